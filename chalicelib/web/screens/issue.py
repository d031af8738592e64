"""One issue: what it is, why it matters, how to fix it, its pages, its suggestions, and its history."""

from collections.abc import Sequence
from datetime import UTC, datetime
from difflib import SequenceMatcher
from typing import Any, Final, NamedTuple

from msgspec import UNSET

from chalicelib.api.rule_texts import texts_of
from chalicelib.domain.audit.ignoring import Scope
from chalicelib.domain.page.widths import DESCRIPTION_SIZE, TITLE_SIZE, description_px, title_px
from chalicelib.http.errors import ApiError
from chalicelib.operations import issues
from chalicelib.operations.errors import Refused
from chalicelib.web import offering
from chalicelib.web.forms import Form
from chalicelib.web.page import DONE, Page
from chalicelib.web.replies import Redirect, Reply
from chalicelib.web.screens.audits import PARTIAL
from chalicelib.web.screens.changes import STATES, may_undo

PAGES: Final = 20
SUGGESTIONS: Final = 10
EVENTS: Final = 50
MOST_COMPARED: Final = 320  # characters: longer values are not compared by word
STALE_DAYS: Final = 14
FIELDS: Final = {
    "title": "title",
    "meta_description": "description",
    "canonical": "canonical address",
    "noindex": "noindex",
}
_MEASURES: Final = {"title": (title_px, TITLE_SIZE), "meta_description": (description_px, DESCRIPTION_SIZE)}
_UNDER_WAY: Final = ("approved", "applying")
NO_REASON: Final = "Give the reason for ignoring it, so that others know."
NOTHING_CHOSEN: Final = "No page is ticked, and no pattern is entered."
ALL_OR_SOME: Final = "Pages are ticked or a pattern is entered, although the whole issue is chosen."
_EXPLAINED: Final = {
    "bad_until": 422,
    "bad_pattern": 422,
    "too_many_ignored": 422,
    "no_pages": 422,
    "not_listed": 409,
    "wrong_state": 409,
    "busy": 409,
}
NOTHING_TO_DRAFT: Final = "Tick the pages that need a draft. They must be listed pages without a suggestion."
DRAFT_GONE: Final = "The draft was dropped, because the page has changed since."
# By rule: the screen under AI readiness that edits the file of the issue, and the text of its link.
_EDITED: Final = dict.fromkeys(
    ("SEO-AEO-001", "SEO-AEO-002", "SEO-AEO-003"), ("crawlers", "Edit the rules for crawlers")
) | dict.fromkeys(("SEO-AEO-005", "SEO-AEO-006", "SEO-AEO-007"), ("llms-txt", "Edit llms.txt"))
_USE: Final = "use-"  # the button that puts a page's draft into its field
NO_DATE: Final = "Write the date in the form 2026-12-31."
NOTHING_TICKED: Final = "Nothing is ticked. Tick at least one page, then approve."
_NOT_LISTED: Final = "A ticked page is no longer listed here. Nothing was approved: check the current list."
_DONE: Final = {
    "queued": "The check is queued. It reads the listed pages again, without any cache.",
    "approved": "Approved. The values are written one after the other. Then the live pages are checked.",
    "ignored": "The issue is ignored. It is no longer listed, but still counts in the score.",
    "some": "Ignored on these pages, which still count in the score. The issue now shows only the other pages.",
    "unignored": "No part of the issue is ignored any more.",
}


class Piece(NamedTuple):
    """Words of the current value. ``gone``: whether the new value lacks these words."""

    text: str
    gone: bool


class Typed(NamedTuple):
    """A person's entries in the form of suggestions: typed values by page, and the ticked pages.

    If a page has a typed value but is not ticked, the form asks once whether to write the value. ``asked``: the pages
    about which it asked before. ``left``: the pages about which it asks now.
    """

    values: dict[str, str]
    ticked: frozenset[str]
    asked: frozenset[str] = frozenset()
    left: frozenset[str] = frozenset()

    @classmethod
    def of(cls, form: Form) -> "Typed":
        sent = [name.removeprefix("value-") for name in form.fields if name.startswith("value-")]
        values = {page_id: form.text(f"value-{page_id}") for page_id in sent}
        return cls(values, frozenset(form.all("tick")), offering.asked_about(form, sent))


class Ignoring(NamedTuple):
    """A person's entries in the form for ignoring the issue or some of its pages, and why the form failed.

    The pages to ignore are the ticked pages, and the pages that ``patterns`` match.
    """

    reason: str = ""
    until: str = ""
    some: bool = False
    pages: tuple[str, ...] = ()
    patterns: str = ""
    wrong: str | None = None

    @classmethod
    def of(cls, form: Form) -> "Ignoring":
        some = form.text("what") == "some"
        return cls(form.text("reason"), form.text("until"), some, tuple(form.all("page")), form.text("patterns"))


_NOTHING_SAID: Final = Ignoring()


def data(page: Page) -> tuple[str, dict[str, str]]:
    sent = {"pages_limit": str(PAGES), "suggestions_limit": str(SUGGESTIONS)}
    return "read_issue", sent | page.sent("pages_offset", "suggestions_offset")


def show(
    page: Page,
    typed: Typed | None = None,
    wrong: str | None = None,
    status: int = 200,
    ignoring: Ignoring = _NOTHING_SAID,
    drafting: bool = False,
) -> Reply:
    """Show the issue. ``drafting``: whether the form was sent to request drafts. The values typed into it are then not
    saved yet."""
    found = page.ask(*data(page))
    suggestions = [] if found.suggestions is UNSET else found.suggestions
    last = found.last_change
    under_way = {one.url for one in last.changes if one.status in _UNDER_WAY} if last else set()
    acts = page.works and found.status not in ("resolved", "ignored") and any(one.writable for one in suggestions)
    wanted = {"history": lambda: page.ask("read_issue_history", {"limit": EVENTS})}
    if found.status not in ("resolved", "ignored"):
        wanted["gain"] = lambda: _gain(page)
    parts = page.parts(**wanted)
    measure, size = _MEASURES.get(found.writable_field, (None, None))
    empty = "false" if found.writable_field == "noindex" else ""  # what the field shows without a suggestion
    done = frozenset() if typed is None else typed.asked | typed.left
    rows = []
    for one in suggestions:
        value = (one.suggested or "") if typed is None else typed.values.get(one.page_id, one.suggested or "")
        offered = bool(one.writable and one.suggested and one.url not in under_way)
        rows.append(
            {
                "one": one,
                "value": value,
                "ticked": one.page_id in typed.ticked if typed else offered,
                "left": typed is not None and one.page_id in typed.left,
                "hash": offering.hashed(one.suggested or empty) if one.page_id not in done else None,
                "under_way": one.url in under_way,
                "pieces": struck(one.current, value),
                "width": measure(value) if measure and value else None,
                "before": measure(one.current) if measure and one.current else None,
                "draft": None if one.draft is UNSET else one.draft,
                "advice": None if one.advice is UNSET else one.advice,
                "reason": None if one.not_writable_reason is UNSET else one.not_writable_reason,
            }
        )
    return page.view(
        "issue.html",
        found.title,
        status=status,
        found=found,
        rule=texts_of(found.rule_id),
        parts=parts,
        acts=acts,
        rows=rows,
        wrong=wrong,
        drafts=_drafts(page, acts=acts, field=found.writable_field),
        drafting=drafting,
        field=FIELDS.get(found.writable_field, "value"),
        limit=_widest(found.writable_field),
        size=size,
        blocked=_blocked(rows),
        unconnected=bool(rows) and str(rows[0]["reason"]).startswith("No CMS connection"),
        steps=steps_of(found, last),
        counts=counts_of(last),
        redirects=_is_about_missing(found.rule_id),
        edited=_EDITED.get(found.rule_id),
        in_shop=page.website.connections.writes_shop,
        approved=_approved(found),
        ignoring=ignoring,
        may_ignore=page.works and found.status in ("open", "reopened"),
        tomorrow=f"{datetime.fromtimestamp(page.now + 86_400, UTC):%Y-%m-%d}",
        may_undo=last is not None and may_undo(page, last.approved_at, [one.status for one in last.changes]),
        states=STATES,
        audit_note=_audit_note(page),
        about_website=not found.pages_total and bool(found.evidence),
        per=PAGES,
        suggestions_per=SUGGESTIONS,
        suggestions_total=None if found.suggestions is UNSET else found.suggestions_total,
        suggestions_next=None if found.suggestions is UNSET else found.suggestions_next_offset,
        suggestions_start=0 if found.suggestions is UNSET else found.suggestions_offset,
        suggestions_note=None if found.suggestions is UNSET else found.suggestions_note,
        done=_DONE.get(page.query.get(DONE, "")),
    )


def act(page: Page, form: Form) -> Reply:
    match form.text("do"):
        case "approve":
            return _approve(page, form)
        case "ignore":
            return _ignore(page, Ignoring.of(form))
        case "unignore":
            issues.unignore(page.who.actor, page.path["siteId"], page.path["issueId"])
            return Redirect(page.here(**{DONE: "unignored"}))
    page.ask("recheck_issue")
    return Redirect(page.here(**{DONE: "queued"}))


def _ignore(page: Page, sent: Ignoring) -> Reply:
    until = None
    if sent.until:
        try:
            until = datetime.strptime(sent.until, "%Y-%m-%d").replace(tzinfo=UTC).timestamp()
        except ValueError:
            return show(page, status=422, ignoring=sent._replace(wrong=NO_DATE))
    if not sent.reason:
        return show(page, status=422, ignoring=sent._replace(wrong=NO_REASON))
    patterns = tuple(filter(None, map(str.strip, sent.patterns.splitlines())))
    if sent.some != bool(sent.pages or patterns):
        return show(page, status=422, ignoring=sent._replace(wrong=NOTHING_CHOSEN if sent.some else ALL_OR_SOME))
    whose = (page.who.actor, page.path["siteId"], page.path["issueId"])
    try:
        if sent.some:
            issues.ignore_pages(*whose, Scope(sent.pages, patterns), sent.reason, until)
        else:
            issues.ignore(*whose, sent.reason, until)
    except Refused as refused:
        if refused.code not in _EXPLAINED:
            raise
        return show(page, status=_EXPLAINED[refused.code], ignoring=sent._replace(wrong=refused.message))
    return Redirect(page.here(**{DONE: "some" if sent.some else "ignored"}))


def _approve(page: Page, form: Form) -> Reply:
    typed = Typed.of(form)
    match form.text("choose"):
        case "all":
            return show(page, typed._replace(ticked=frozenset(typed.values)))
        case "none":
            return show(page, typed._replace(ticked=frozenset()))
        case "measure" | "stay":
            return show(page, typed)
        case "draft":
            return _draft(page, typed)
        case chosen if chosen.startswith(_USE):
            return _use(page, typed, chosen.removeprefix(_USE))
    left = offering.left_out(form, typed.values, typed.ticked)
    if left:
        return show(page, typed._replace(left=left), offering.NOT_TICKED, 422)
    if not typed.ticked:
        return show(page, typed, NOTHING_TICKED, 422)
    found = page.ask(*data(page))
    listed = {} if found.suggestions is UNSET else {one.page_id: one.url for one in found.suggestions}
    if not typed.ticked <= listed.keys() & typed.values.keys():
        return show(page, typed, _NOT_LISTED, 422)
    wanted = [{"url": listed[one], "value": typed.values[one]} for one in typed.values if one in typed.ticked]
    try:
        approved = page.ask("apply_changes", body={"changes": wanted})
    except ApiError as error:
        if error.status not in (400, 409):
            raise
        return show(page, typed, error.message, 409 if error.status == 409 else 422)
    if not approved.poll.endswith(f"/{page.path['issueId']}"):
        # Another issue's batch already writes the same values.
        return Redirect(page.site_url("changes", approved.batch_id))
    return Redirect(page.here(**{DONE: "approved"}))


def _draft(page: Page, typed: Typed) -> Reply:
    """Request drafts for the ticked pages without a value. Typed values stay in the form."""
    from chalicelib.operations import drafts

    empty = [one for one in typed.values if one in typed.ticked and not typed.values[one]]
    if not empty:
        return show(page, typed, NOTHING_TO_DRAFT, 422)
    try:
        drafts.request(page.who.actor, page.path["siteId"], page.path["issueId"], empty)
    except Refused as refused:
        if refused.code in ("not_found", "not_allowed"):
            raise
        return show(page, typed, refused.message, 409)
    return show(page, typed, drafting=True)


def _use(page: Page, typed: Typed, page_id: str) -> Reply:
    """Put a page's draft into its field. It is not saved until it is approved."""
    found = page.ask(*data(page))
    listed = [] if found.suggestions is UNSET else found.suggestions
    text = next((one.draft.text for one in listed if one.page_id == page_id and one.draft is not UNSET), None)
    if text is None:
        return show(page, typed, DRAFT_GONE, 409)
    return show(page, typed._replace(values=typed.values | {page_id: text}, ticked=typed.ticked | {page_id}))


class Drafts(NamedTuple):
    """The state of drafts of descriptions. ``running``: whether drafts are being made. ``error``: why the last request
    for drafts ended early."""

    running: bool
    error: str | None


def _drafts(page: Page, *, acts: bool, field: str | None) -> Drafts | None:
    """Return the state of drafts. Returns None if none can be requested here."""
    if not acts or field != "meta_description":
        return None
    from chalicelib.operations import drafts

    if drafts.why_off() is not None:
        return None
    job = drafts.last_job(page.path["siteId"])
    return Drafts(job is not None and not job.ended, None if job is None else job.error)


def _gain(page: Page) -> float | None:
    """Return the points that the score gains once no page has the issue. Returns None if unknown."""
    listed = page.ask("list_actions", {"limit": 100}).actions
    return next((one.estimated_score_gain for one in listed if one.issue_id == page.path["issueId"]), None)


def _widest(field: str | None) -> int | None:
    """Return how many pixels of a title or description a search result shows. Returns None for other fields."""
    # Importing rules is slow, so only screens with findings do so.
    from chalicelib.rules.onp import seo_onp_005_title_too_long as titles
    from chalicelib.rules.onp import seo_onp_012_013_description_length as descriptions

    return {"title": titles.WIDEST_PX, "meta_description": descriptions.WIDEST_PX}.get(field or "")


def _blocked(rows: Sequence[dict[str, Any]]) -> str | None:
    """Return why none of the values can be written, if one reason applies to all. Returns None otherwise."""
    reasons = {row["reason"] for row in rows}
    return reasons.pop() if len(reasons) == 1 and all(row["reason"] for row in rows) else None


def _is_about_missing(rule_id: str) -> bool:
    """Whether the issue is about addresses that no longer exist, which the screen of redirects lists."""
    from chalicelib.rules.missing_addresses import LINKED_BY, LISTED_BY

    return rule_id in (LISTED_BY, LINKED_BY)


def _approved(found: Any) -> Sequence[str]:
    """Return the noun for what a batch of the issue counts, and its plural if that is irregular."""
    if found.writable_field == "alt":
        return ["image"]
    return ["address", "addresses"] if _is_about_missing(found.rule_id) else ["page"]


def counts_of(last: Any) -> dict[str, int]:
    """Count the listed changes of the last batch by their status."""
    shown = [one.status for one in last.changes] if last else []
    return {state: shown.count(state) for state in STATES if state in shown}


def steps_of(found: Any, last: Any) -> list[tuple[str, str]]:
    """Return the progress of the last batch of changes: its steps, each with the state ``done``, ``now`` or "" (not
    begun)."""
    if last is None:
        return []
    ended = [one.status for one in last.changes if one.status not in _UNDER_WAY]
    written = len(ended) == len(last.changes)
    live = written and all(one.live for one in last.changes)
    done = [True, written, live, found.status == "resolved"]
    now = done.index(False) if False in done else len(done)
    stopped = written and not live and not any(state in ("applied", "reverted") for state in ended)
    names = ("Approved", "Written", "Live", "Resolved")
    if found.status == "resolved":
        return [(name, "done") for name in names]
    return [
        (name, "done" if number < now else "now" if number == now and not stopped else "")
        for number, name in enumerate(names)
    ]


def _audit_note(page: Page) -> str | None:
    """Return a note about the audit that the screen is based on. Returns None if there is nothing to note."""
    site = page.site
    if site is None:
        return None
    if site.running:
        return "An audit is running. Until it ends, the results of the previous audit are shown."
    last = site.last_audit
    if last is None:
        return None
    days = int((page.now - datetime.fromisoformat(last.finished_at).timestamp()) // 86_400)
    if last.partial_reason:
        why = PARTIAL[last.partial_reason]
        return f"The last audit is partial: {why}. More pages may show this issue."
    if days > STALE_DAYS:
        return f"The last audit is {days} days old. Pages may have changed since; check again before you approve."
    return None


def struck(current: str | None, suggested: str | None) -> list[Piece]:
    """Return the words of the current value. Words that the new value does not have are marked. Long values are not
    compared."""
    if not current:
        return []
    if not suggested or len(current) > MOST_COMPARED or len(suggested) > MOST_COMPARED:
        return [Piece(shortened(current), gone=False)]
    old, new = current.split(), suggested.split()
    steps: list[Any] = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [Piece(" ".join(old[first:last]), step != "equal") for step, first, last, _, _ in steps if last > first]


def shortened(text: str) -> str:
    """Cut a text to the maximum length for comparisons."""
    return text if len(text) <= MOST_COMPARED else f"{text[: MOST_COMPARED - 1]}…"
