"""The activity log of the workspace: actions of people and of the operator. Actions for which a person used an API key
are included."""

from typing import Final

from chalicelib.domain.accounts.acts import ACTS
from chalicelib.http.authentication import is_id
from chalicelib.operations import workspace
from chalicelib.web.page import Page
from chalicelib.web.replies import Reply

PER: Final = 50


def show(page: Page) -> Reply:
    before = page.query.get("before", "")
    known = before if is_id(before) else None
    found = workspace.log(page.who.actor, page.who.member.workspace_id, PER, known)
    return page.view(
        "log.html",
        "Who did what",
        acts=found,
        words=ACTS,
        first=known is not None,
        after=found[-1].act.id if len(found) == PER else None,
    )
