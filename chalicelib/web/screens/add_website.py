"""Adding a website to the workspace: its address, which is checked before it is stored, and its first audit."""

from typing import Final, NamedTuple

from chalicelib.domain import plans
from chalicelib.http.errors import ApiError
from chalicelib.operations import accounts, websites
from chalicelib.operations.errors import Refused
from chalicelib.web.forms import Form
from chalicelib.web.page import DONE, Page
from chalicelib.web.replies import Redirect, Reply

LONGEST_SHOWN: Final = 2_048  # characters of what was typed that are shown again
_CONFLICTS: Final = frozenset({"plan_limit", "busy"})


class Typed(NamedTuple):
    """The values that the person typed in the form."""

    address: str = ""
    name: str = ""
    audit: bool = True


def show(page: Page, typed: Typed | None = None, wrong: str | None = None, status: int = 200) -> Reply:
    _check_role(page)
    workspace = accounts.existing_workspace(page.who.member.workspace_id)
    plan = plans.plan(workspace.plan)
    return page.view(
        "add_website.html",
        "Add a website",
        status=status,
        typed=typed or Typed(),
        wrong=wrong,
        plan=plan,
        known=workspace.websites,
        full=plan.websites is not None and workspace.websites >= plan.websites,
    )


def act(page: Page, form: Form) -> Reply:
    actor, workspace_id = page.who.actor, page.who.member.workspace_id
    typed = Typed(form.text("address")[:LONGEST_SHOWN], form.text("name")[:LONGEST_SHOWN], bool(form.text("audit")))
    try:
        address = websites.in_reach(form.text("address"))
        if _is_there(page, address):
            return show(page, typed, "This workspace already has a website at that address.", 422)
        added = websites.add(actor, workspace_id, address, name=form.text("name") or None)
    except Refused as refused:
        if refused.code in ("not_found", "not_allowed"):
            raise
        return show(page, typed, refused.message, 409 if refused.code in _CONFLICTS else 422)
    started = typed.audit and _started(page, added.id)
    return Redirect(page.url("sites", added.id, **{DONE: "added-started" if started else "added"}))


def _check_role(page: Page) -> None:
    if not page.works:
        raise ApiError("missing_scope", "This role changes nothing.")


def _is_there(page: Page, address: str) -> bool:
    try:
        websites.id_of_host(page.who.actor, address)
    except Refused as refused:
        return refused.code == "ambiguous_host"
    return True


def _started(page: Page, site_id: str) -> bool:
    """Start the first audit. Returns False if that is refused; the website's screen then offers to start it."""
    try:
        page.ask("start_audit", siteId=site_id)
    except ApiError:
        return False
    return True
