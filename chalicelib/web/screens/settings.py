"""Settings of a website: its name, address, page budget and audit time, and its removal."""

from typing import Any, Final, NamedTuple

from chalicelib.domain import plans
from chalicelib.domain.crawl.budget import audit_budget
from chalicelib.domain.crawl.weekly import DAYS, DEFAULT_HOUR, in_words
from chalicelib.domain.visibility.names import MOST_ALIASES
from chalicelib.operations import accounts, index_now, websites
from chalicelib.operations.errors import Refused
from chalicelib.store.websites import Website
from chalicelib.web.forms import Form
from chalicelib.web.page import DONE, Page
from chalicelib.web.replies import Redirect, Reply

LONGEST_SHOWN: Final = 4_000  # characters of what was typed that are shown again
NOT_ITS_NAME: Final = "That is not the website's name. Nothing was removed."
_DONE: Final = {
    "saved": "Saved.",
    "paused": "Paused. No audit starts automatically until the website is resumed.",
    "resumed": "Resumed.",
    "index-now-on": "Search engines are notified of changes from now on.",
    "index-now-off": "Search engines are no longer notified.",
}


class Settings(NamedTuple):
    """The values in the form, as text. ``aliases``: one per line. ``budget``: empty for the default."""

    name: str
    address: str
    aliases: str
    budget: str
    day: str
    hour: str

    @classmethod
    def of(cls, website: Website) -> "Settings":
        day, hour = divmod(DEFAULT_HOUR if website.weekly_hour is None else website.weekly_hour, 24)
        budget = "" if website.page_budget is None else str(website.page_budget)
        return cls(website.name, website.url, "\n".join(website.aliases), budget, str(day), str(hour))

    @classmethod
    def typed(cls, form: Form, before: str = "") -> "Settings":
        return cls(*(form.text(f"{before}{name}").replace("\r\n", "\n")[:LONGEST_SHOWN] for name in cls._fields))


def show(
    page: Page,
    typed: Settings | None = None,
    wrong: str | None = None,
    not_removed: str | None = None,
    not_told: str | None = None,
    status: int = 200,
) -> Reply:
    website = page.website
    plan = plans.plan(accounts.existing_workspace(website.workspace_id).plan)
    return page.view(
        "settings.html",
        "Settings",
        status=status,
        website=website,
        kept=Settings.of(website),
        typed=typed or Settings.of(website),
        wrong=wrong,
        not_removed=not_removed,
        telling=index_now.look(website),
        not_told=not_told,
        removes=page.has("remove_websites"),
        days=DAYS,
        weekly=in_words(website.weekly_hour),
        plan_pages=plan.pages_per_audit,
        default_pages=audit_budget(None, plan.pages_per_audit).default,
        most_aliases=MOST_ALIASES,
        done=_DONE.get(page.query.get(DONE, "")),
    )


def act(page: Page, form: Form) -> Reply:
    match form.text("do"):
        case "pause":
            websites.pause(page.who.actor, page.website.id)
            return Redirect(page.here(**{DONE: "paused"}))
        case "resume":
            websites.resume(page.who.actor, page.website.id)
            return Redirect(page.here(**{DONE: "resumed"}))
        case "index-now-on" | "index-now-off" as wanted:
            return _index_now(page, wanted)
        case "remove":
            return _remove(page, form)
    return _edit(page, form)


def _index_now(page: Page, wanted: str) -> Reply:
    turn = index_now.turn_on if wanted == "index-now-on" else index_now.turn_off
    try:
        turn(page.who.actor, page.website.id)
    except Refused as refused:
        if refused.code != "index_now_unavailable":
            raise
        return show(page, not_told=refused.message, status=409)
    return Redirect(page.here(**{DONE: wanted}))


def _edit(page: Page, form: Form) -> Reply:
    """Change only what differs from the shown form.

    So two people who change different settings do not overwrite each other.
    """
    typed, shown = Settings.typed(form), Settings.typed(form, "was-")
    try:
        changes = _changes(typed, shown)
        if changes:
            websites.edit(page.who.actor, page.website.id, **changes)
    except Refused as refused:
        if refused.code in ("not_found", "not_allowed"):
            raise
        return show(page, typed, refused.message, status=409 if refused.code == "busy" else 422)
    return Redirect(page.here(**{DONE: "saved"}))


def _changes(typed: Settings, shown: Settings) -> dict[str, Any]:
    """Return the arguments for ``operations.websites.edit``. Raises ``Refused``."""
    changes: dict[str, Any] = {}
    if typed.name != shown.name:
        changes["name"] = typed.name
    if typed.address != shown.address:
        changes["url"] = websites.in_reach(typed.address)
    if typed.aliases != shown.aliases:
        changes["aliases"] = [line for line in typed.aliases.split("\n") if line.strip()]
    if typed.budget != shown.budget:
        changes["page_budget"] = _number(
            typed.budget, "bad_page_budget", "A page budget must be a whole number, such as 500."
        )
    if (typed.day, typed.hour) != (shown.day, shown.hour):
        changes["weekly_hour"] = _weekly_hour(typed)
    return changes


def _weekly_hour(typed: Settings) -> int | None:
    wrong = "The weekly audit needs a day of the week and an hour from 0 to 23."
    day, hour = (_number(text, "bad_weekly_hour", wrong) for text in (typed.day, typed.hour))
    if day is None or hour is None or day >= len(DAYS) or hour > 23:
        raise Refused("bad_weekly_hour", wrong)
    found = day * 24 + hour
    return None if found == DEFAULT_HOUR else found


def _number(text: str, code: str, wrong: str) -> int | None:
    """Return a whole number. Returns None if nothing was typed."""
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise Refused(code, wrong)
    return int(text)


def _remove(page: Page, form: Form) -> Reply:
    website = page.website
    if " ".join(form.text("confirm").split()) != " ".join(website.name.split()):
        return show(page, not_removed=NOT_ITS_NAME, status=422)
    try:
        websites.remove(page.who.actor, website.id, wait=False)
    except Refused as refused:
        if refused.code != "already_running":
            raise
        return show(
            page, not_removed="An audit or a recheck is running. Cancel it, or wait until it has ended.", status=409
        )
    return Redirect(page.url(**{DONE: "removed"}))
