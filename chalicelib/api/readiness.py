"""Readiness for assistants: the last audit's findings, and the current llms.txt and robots.txt. Both files can be
written.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from chalicelib.api.refusals import refusal
from chalicelib.api.shaped import shaped, shaped_or_none
from chalicelib.api.shapes import readiness as shapes
from chalicelib.api.shapes.values import instant, site_link
from chalicelib.domain.changes.batch import Batch, ChangeStatus
from chalicelib.domain.readiness.live_file import Live
from chalicelib.domain.readiness.records import CrawlerAccess, Draft
from chalicelib.domain.readiness.written import MOST_CHARACTERS, FileWrite, Rules
from chalicelib.http.endpoints import Call, Group
from chalicelib.http.parameters import NoParameters
from chalicelib.operations import readiness
from chalicelib.operations.errors import Refused
from chalicelib.store import readiness as stored
from chalicelib.store.websites import Website

if TYPE_CHECKING:
    from chalicelib.operations.approvals import Approver

T = TypeVar("T")
C = TypeVar("C", shapes.LlmsChange, shapes.RulesChange)

group = Group("readiness", "Readiness for AI assistants: crawlers, llms.txt, and who is behind the website.")


@group.get("/sites/{siteId}/geo", scope="ai:read", answer=shapes.Readiness, summary="Read AI readiness")
def read_readiness(call: Call[NoParameters]) -> shapes.Readiness:
    """The last audit's facts: robots.txt, whether crawlers may read the home page, llms.txt, and the website's owner.
    This sends no request to the website."""
    found = stored.load(call.website.id)
    if found is None:
        return shapes.Readiness(checked_at=None, robots_txt=None, crawlers=[], llms_txt=None, entity=None)
    llms = found.llms
    return shaped(
        shapes.Readiness,
        found,
        robots_txt=shaped_or_none(shapes.RobotsTxt, found.robots),
        crawlers=[shaped(shapes.StoredCrawler, crawler, rule=crawler.line) for crawler in found.crawlers],
        llms_txt=None if llms is None else shaped(shapes.StoredLlmsTxt, llms, checked_at=instant(llms.fetched_at)),
        entity=shaped_or_none(shapes.Entity, found.entity),
    )


@group.get(
    "/sites/{siteId}/geo/llms-txt",
    scope="ai:read",
    answer=shapes.LlmsTxt,
    stored=False,
    errors=("busy",),
    summary="Read the live llms.txt and a draft of it",
)
def read_llms_txt(call: Call[NoParameters]) -> shapes.LlmsTxt:
    """Reads `/llms.txt` twice: bypassing the website's page cache and CDN, and as visitors get it. That can take ten
    seconds. While one request reads the file, others get the last copy, at most ten minutes old, with its time in
    `live.fetchedAt`. If there is no copy, they get 409 `busy`.

    `draft` lists the last audit's pages by folder. It uses no data of the CMS. The same audit gives the same draft.
    """
    found = _read(lambda: readiness.llms_txt(call.website, call.now))
    return shapes.LlmsTxt(
        url=found.url,
        live=_live(found.live, found.fetched_at),
        draft=None if found.draft is None else _draft(found.draft),
        cms=_cms(call.website),
        can_publish=readiness.can_publish(call.website, "llmsTxt"),
        last_change=_change(shapes.LlmsChange, found.write, seen=found.live.matches is True),
        max_chars=MOST_CHARACTERS,
    )


@group.get(
    "/sites/{siteId}/geo/ai-crawlers",
    scope="ai:read",
    answer=shapes.AiCrawlers,
    stored=False,
    errors=("busy",),
    summary="Read what robots.txt says to AI crawlers",
)
def read_ai_crawlers(call: Call[NoParameters]) -> shapes.AiCrawlers:
    """The current `/robots.txt`, and whether it lets each crawler read the home page. Reading can take ten seconds.
    While one request reads the file, others get the last copy, at most ten minutes old, with its time in
    `robotsTxt.fetchedAt`. If there is no copy, they get 409 `busy`.

    A crawler obeys the group of lines with its name or, if there is none, the group of `*`. In this group, the longest
    rule that matches the address decides.
    """
    found = _read(lambda: readiness.ai_crawlers(call.website, call.now))
    rules: Rules = {} if found.write is None else found.write.held
    crawlers = [_live_crawler(crawler, rules) for crawler in found.crawlers]
    seen = bool(rules) and all(crawler.matches for crawler in crawlers if crawler.rule is not None)
    return shapes.AiCrawlers(
        robots_txt=shaped(shapes.RobotsTxt, found.robots),
        crawlers=crawlers,
        rules=dict(rules),
        cms=_cms(call.website),
        can_publish=readiness.can_publish(call.website, "robotsBlock"),
        last_change=_change(shapes.RulesChange, found.write, seen=seen),
        note=found.note,
    )


def _read(read: Callable[[], T]) -> T:
    try:
        return read()
    except Refused as refused:
        raise refusal(refused) from refused


_MEMBERS = {"bad_value": "value", "bad_rules": "rules"}  # the member that each code is about
_REFUSED = ("cms_not_connected", "cms_not_writable", "no_change", "too_many_waiting", "busy")


@group.post(
    "/sites/{siteId}/geo/llms-txt",
    scope="actions:apply",
    body=shapes.NewLlmsTxt,
    answer=shapes.FileApproved,
    errors=("too_long", "bad_value", *_REFUSED),
    summary="Approve a new llms.txt and have it written",
)
def write_llms_txt(call: Call[NoParameters]) -> shapes.FileApproved:
    """Approve a new text of `/llms.txt`, at most 60,000 characters. An empty text removes the file that the service
    wrote. The text is written through the website's CMS; then the file is read to check it.

    The result is in `lastChange` of `GET`, and in the events `write.applied`, `write.failed` and `write.not_live`, with
    empty `issueIds`. The change can be undone in the app for 30 days.
    """
    from chalicelib.operations import files

    return _approved(call, "llms-txt", lambda by: files.write_llms_txt(call.website, call.body.value, by=by))


@group.post(
    "/sites/{siteId}/geo/ai-crawlers",
    scope="actions:apply",
    body=shapes.NewCrawlerRules,
    answer=shapes.FileApproved,
    errors=("unknown_crawler", "bad_rules", *_REFUSED),
    summary="Approve rules for AI crawlers and have them written",
)
def write_ai_crawlers(call: Call[NoParameters]) -> shapes.FileApproved:
    """Approve the full set of rules for crawlers. A crawler that is left out gets no rule; `{}` removes all rules that
    the service wrote. The CMS writes the rules at the end of `/robots.txt`, and the file is read again.

    An allowed crawler may read what all crawlers may: its group repeats the rules of `*`, except a rule that denies the
    whole website. Nothing changes for other crawlers. The same events as for llms.txt are sent.
    """
    from chalicelib.operations import files

    return _approved(call, "ai-crawlers", lambda by: files.write_ai_crawlers(call.website, call.body.rules, by=by))


def _approved(call: Call[NoParameters], file: str, approve: Callable[["Approver"], Batch]) -> shapes.FileApproved:
    from chalicelib.operations.approvals import Approver

    try:
        batch = approve(Approver(call.auth.person_id, call.auth.used_key))
    except Refused as refused:
        error = refusal(refused)
        error.extras |= {"param": _MEMBERS[refused.code]} if refused.code in _MEMBERS else {}
        raise error from refused
    return shapes.FileApproved(
        approved=batch.count,
        batch_id=batch.id,
        poll=call.url(f"/sites/{call.website.id}/geo/{file}"),
        note="The file is written after all changes that were approved earlier. Then the live file is read.",
        link=site_link(call.website.id, "ai-readiness"),
    )


def _live(found: Live, fetched_at: float) -> shapes.LiveFile:
    return shaped(
        shapes.LiveFile,
        found,
        matches_last_write=found.matches,
        cached=shaped_or_none(shapes.CachedFile, found.cached),
        fetched_at=instant(fetched_at),
    )


def _draft(found: Draft) -> shapes.Draft:
    pages = [shaped(shapes.DraftPage, page) for page in found.pages]
    return shaped(shapes.Draft, found, chars=len(found.text), pages=pages)


def _cms(website: Website) -> shapes.FileAccess:
    cms = website.connections.cms
    return shapes.FileAccess(connected=cms is not None, writable=cms is not None and cms.writable)


def _status(write: FileWrite, seen: bool) -> ChangeStatus:
    """Return the state of the change. A change that was not live counts as applied once it is seen, since no job checks
    it."""
    return "applied" if seen and write.status == "not_live" else write.status


def _change(shape: type[C], write: FileWrite | None, *, seen: bool) -> C | None:
    if write is None:
        return None
    status = _status(write, seen)
    return shaped(shape, write, status=status, error=write.error if status == write.status else None)


def _live_crawler(found: CrawlerAccess, rules: Rules) -> shapes.LiveCrawler:
    rule = rules.get(found.bot)
    carried = found.group is not None and found.group.casefold() == found.bot.casefold()
    return shaped(
        shapes.LiveCrawler,
        found,
        rule=rule,
        matches=None if rule is None or found.allowed is None else carried and found.allowed == (rule == "allow"),
    )
