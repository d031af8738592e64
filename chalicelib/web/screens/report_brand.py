"""The name and the colour that a workspace's reports for clients show."""

from typing import Final

from chalicelib.domain.reports import DEFAULT_COLOUR, initial, read_colour
from chalicelib.operations import accounts, reports
from chalicelib.operations.errors import Refused
from chalicelib.operations.permission import require
from chalicelib.web.forms import Form
from chalicelib.web.page import DONE, Page
from chalicelib.web.replies import Redirect, Reply

LONGEST_SHOWN: Final = 200  # characters of what was typed that are shown again
WRONG: Final = {"bad_name": "name", "bad_colour": "colour", "busy": None}  # refusals, and the field that each is about
_DONE: Final = {"saved": "Saved. Every report uses this name and colour from now on."}


def show(
    page: Page, name: str | None = None, colour: str | None = None, refused: Refused | None = None, status: int = 200
) -> Reply:
    workspace_id = page.who.member.workspace_id
    require(page.who.actor, "brand_reports", workspace_id)
    kept = accounts.existing_workspace(workspace_id)
    shown = kept.report_name or kept.name
    return page.view(
        "report_brand.html",
        "Client reports",
        status=status,
        own=kept.name,
        name=(kept.report_name or "") if name is None else name[:LONGEST_SHOWN],
        colour=(kept.report_colour or "") if colour is None else colour[:LONGEST_SHOWN],
        default=DEFAULT_COLOUR,
        shown=shown,
        initial=initial(shown),
        fill=read_colour(kept.report_colour or "") or DEFAULT_COLOUR,
        wrong=refused.message if refused else None,
        wrong_in=WRONG[refused.code] if refused else None,
        done=_DONE.get(page.query.get(DONE, "")),
    )


def act(page: Page, form: Form) -> Reply:
    name, colour = form.text("name"), form.text("colour")
    try:
        reports.brand(page.who.actor, page.who.member.workspace_id, name, colour)
    except Refused as refused:
        if refused.code not in WRONG:
            raise
        return show(page, name, colour, refused, 409 if refused.code == "busy" else 422)
    return Redirect(page.here(**{DONE: "saved"}))
