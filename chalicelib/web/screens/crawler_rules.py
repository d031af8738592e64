"""Rules for AI crawlers: edited as a table, and approved together with the resulting robots.txt.

An approval is valid only for the difference that was shown. If the live file has changed since, or if the service has
written other rules since, nothing is written, and the new difference is shown.
"""

from typing import Final, NamedTuple

from chalicelib import clock
from chalicelib.domain.crawlers import crawler_list
from chalicelib.domain.readiness import robots_block
from chalicelib.domain.readiness.written import CrawlerRule, rules_text
from chalicelib.http.errors import ApiError
from chalicelib.operations import files, readiness
from chalicelib.operations.errors import Refused
from chalicelib.operations.readiness import AiCrawlers
from chalicelib.store.websites import Website
from chalicelib.web import differences
from chalicelib.web.differences import Difference
from chalicelib.web.forms import Form
from chalicelib.web.page import Page
from chalicelib.web.parts import Part
from chalicelib.web.replies import Redirect, Reply

CHANGED: Final = (
    "The chosen rules, the live robots.txt or the last written rules have changed since they were shown. Nothing was "
    "written. Look at the current difference."
)
UNREADABLE: Final = "The live robots.txt could not be read as a text, so the changes cannot be shown."
_WORDS: Final[dict[str, CrawlerRule]] = {"allow": "allow", "deny": "deny"}
_SHOWN_AGAIN: Final = frozenset({400, 409, 422})

Chosen = dict[str, CrawlerRule]


class Preview(NamedTuple):
    """The result of applying the chosen rules to the live file.

    ``digest``: None if the result cannot be approved; ``why`` is then the reason.
    """

    difference: Difference | None
    digest: str | None
    why: str | None


def show(page: Page) -> Reply:
    website = page.website
    parts = page.parts(crawlers=lambda: readiness.ai_crawlers(website, page.now))
    held = parts["crawlers"].value.write if parts["crawlers"].ready else None
    return _view(page, parts["crawlers"], {} if held is None else dict(held.held))


def act(page: Page, form: Form) -> Reply:
    chosen = _chosen(form)
    live = readiness.ai_crawlers(page.website, clock.now())
    part = Part("crawlers", "ready", live)
    preview = _preview(page.website, live, chosen)
    if form.text("do") != "approve":
        return _view(page, part, chosen, preview)
    if preview.digest is None:
        return _view(page, part, chosen, preview, status=409)
    if preview.digest != form.text("digest"):
        return _view(page, part, chosen, preview, CHANGED, 409)
    try:
        approved = page.ask("write_ai_crawlers", body={"rules": chosen})
    except ApiError as error:
        if error.status not in _SHOWN_AGAIN:
            raise
        return _view(page, part, chosen, preview, error.message, 409 if error.status == 409 else 422)
    return Redirect(page.site_url("changes", approved.batch_id))


def _view(
    page: Page,
    part: Part,
    chosen: Chosen,
    preview: Preview | None = None,
    wrong: str | None = None,
    status: int = 200,
) -> Reply:
    verdicts = {one.bot: one for one in part.value.crawlers} if part.ready else {}
    return page.view(
        "crawler_rules.html",
        "Rules for AI crawlers",
        status=status,
        part=part,
        crawlers=crawler_list().crawlers,
        verdicts=verdicts,
        effects=crawler_list().effect_of_deny,
        chosen=chosen,
        preview=preview,
        wrong=wrong,
    )


def _chosen(form: Form) -> Chosen:
    """Return the chosen rule of each listed crawler that has one in the form."""
    sent = {one.bot: _WORDS.get(form.text(f"rule-{one.bot}")) for one in crawler_list().crawlers}
    return {bot: rule for bot, rule in sent.items() if rule is not None}


def _preview(website: Website, live: AiCrawlers, chosen: Chosen) -> Preview:
    if live.file is None:
        return Preview(None, None, UNREADABLE)
    try:
        made = robots_block.with_block(live.file, robots_block.block_of(live.file, chosen))
    except robots_block.TooLong as reason:
        return Preview(None, None, str(reason))
    difference = differences.between(live.file.decode("utf-8", "replace"), made.decode("utf-8", "replace"))
    try:
        files.writer_of(website, "ai_crawlers")
    except Refused as refused:
        return Preview(difference, None, refused.message)
    last = None if live.write is None else f"{live.write.batch_id} {live.write.status}"
    return Preview(difference, differences.digest(live.file, rules_text(chosen), last), None)
