"""Killed at any write, an issue is ignored, in part or as a whole, and taken back once: with its history, the log of
who did what, and the website's counts."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.audit.ignoring import Scope
from chalicelib.domain.audit.issues import Issue
from chalicelib.operations import issues as operations
from chalicelib.operations import workspace
from chalicelib.store import issues
from chalicelib.store.websites import Website
from local import embedded
from tests.crash.crashing import Killed, Point, killed_at, points
from tests.operations.test_issues import shown
from tests.servers.wire import WireServer
from tests.workers.audit import rechecking
from tests.workers.audit.conftest import audits_of_loopback as audits_of_loopback
from tests.workers.audit.websites import audit, new_website

RULE = rechecking.TITLE
Act = Callable[[Website], Issue]


def ignored(website: Website) -> Issue:
    return operations.ignore(OPERATOR, website.id, ids.issue_id(website.id, RULE), "Meant so")


def ignored_in_part(website: Website) -> Issue:
    page = ids.page_id(website.id, f"{website.url.rstrip('/')}/b")
    issue_id = ids.issue_id(website.id, RULE)
    return operations.ignore_pages(OPERATOR, website.id, issue_id, Scope((page,), ("/c*",)), "Meant so")


def taken_back(website: Website) -> Issue:
    return operations.unignore(OPERATOR, website.id, ids.issue_id(website.id, RULE))


ACTS: dict[str, list[Act]] = {
    "ignored": [ignored],
    "ignored in part": [ignored_in_part],
    "ignored in part, then as a whole": [ignored_in_part, ignored],
    "ignored and taken back": [ignored, taken_back],
    "ignored in part and taken back": [ignored_in_part, taken_back],
}


@pytest.fixture
def server() -> Iterator[WireServer]:
    with WireServer(rechecking.untitled_site()) as found:
        yield found


def website_of(server: WireServer) -> Website:
    """An audited website in an empty store."""
    embedded.clear()
    clock.set_offset(0.0)
    website = new_website(server)
    audit(website)
    return website


def outcome(website: Website) -> dict[str, Any]:
    """Everything that somebody can see of it, without times and ids that are made at random."""
    issue = rechecking.issue_of(website, RULE)
    known, root = issue.ignored, website.url.rstrip("/")
    entries = [(entry.kind, entry.pages) for entry in reversed(issues.load_log(website.id, issue.id))]
    acts = [one.act.act for one in reversed(workspace.log(OPERATOR, website.workspace_id, 500))]
    return {
        "issue": (issue.status, issue.affected_pages, issue.summary, issue.importance, issue.impressions),
        "ignored": None if known is None else (known.reason, known.until, known.scope is None, known.aside),
        "pages": [page.url.removeprefix(root) for page in issues.load_affected(website.id, issue)],
        "counts": shown(website),
        "score": rechecking.tenths(website),
        "history": entries,
        "acts": [act for act in acts if act.startswith("issue.")],
        "events": sorted(event.kind for event in rechecking.stored_events()),
    }


def version(website: Website) -> int:
    book = issues.load_state(website.id)
    assert book is not None
    return book.version


def done_with(website: Website, steps: list[Act], point: Point) -> None:
    """The acts, one after the other. The one that is killed is done again, unless it shows that it was done."""
    began, reached = version(website), 0
    with contextlib.suppress(Killed), killed_at(*point):
        for act in steps:
            began = version(website)
            act(website)
            reached += 1
    if reached < len(steps) and version(website) > began:
        reached += 1
    for act in steps[reached:]:
        act(website)


@pytest.mark.parametrize("name", ACTS)
@pytest.mark.usefixtures("audits_of_loopback")
def test_ignoring_takes_effect_once_even_if_the_process_is_killed_at_any_write(server: WireServer, name: str) -> None:
    steps, website = ACTS[name], website_of(server)
    with killed_at(None) as counter:
        for act in steps:
            act(website)
    undisturbed = outcome(website)
    assert counter.count >= len(steps) == len(undisturbed["acts"])
    for point in points(counter.count, 1):
        website = website_of(server)
        done_with(website, steps, point)
        assert outcome(website) == undisturbed, point
