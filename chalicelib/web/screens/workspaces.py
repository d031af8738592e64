"""The workspaces of the signed-in person, and choosing the workspace to show."""

from typing import Final

from chalicelib.http.errors import ApiError
from chalicelib.web import cookies
from chalicelib.web.forms import Form
from chalicelib.web.page import Page
from chalicelib.web.replies import Redirect, Reply

ONCE: Final = False  # choosing twice has no further effect


def show(page: Page) -> Reply:
    return page.view("workspaces.html", "Your workspaces")


def act(page: Page, form: Form) -> Reply:
    wanted = form.text("workspace")
    if wanted not in [one.workspace_id for one in page.who.memberships]:
        raise ApiError("not_found", "You are not in that workspace.")
    return Redirect(page.url(), (cookies.kept(cookies.WORKSPACE, wanted, page.secure),))
