"""The workspace's plan, how much of its limits is used, and the other plans."""

from typing import Final

from chalicelib.domain import plans
from chalicelib.operations import workspace
from chalicelib.store.api_keys import REQUESTS_PER_HOUR
from chalicelib.web.page import Page
from chalicelib.web.replies import Reply

FULL: Final = 0.8  # a warning is shown from this share of a limit on


def show(page: Page) -> Reply:
    used = workspace.use(page.who.actor, page.who.member.workspace_id)
    uses = [
        ("Websites", used.websites, used.plan.websites),
        ("People", used.people, used.plan.people),
        ("Requests of the busiest key this hour", used.requests, REQUESTS_PER_HOUR),
    ]
    return page.view(
        "plan.html",
        "Plan and use",
        used=used,
        uses=[
            {
                "name": name,
                "count": count,
                "most": most,
                "full": count is not None and most is not None and count >= most * FULL,
            }
            for name, count, most in uses
        ],
        catalogue=plans.catalogue(),
    )
