"""The report on a website. The client opens it by a link, without signing in.

It shows the results of the last four weeks, the next steps, and the decisions that the client has to make.
"""

from collections.abc import Mapping
from typing import Any, Final

from chalicelib.domain.audit.issues import STATUSES
from chalicelib.domain.report_figures import SECONDS
from chalicelib.domain.reports import DEFAULT_COLOUR, initial
from chalicelib.http.errors import ApiError
from chalicelib.http.inside import NOTHING
from chalicelib.operations import reports, reviews, sessions
from chalicelib.store.accounts import Workspace
from chalicelib.store.websites import Website
from chalicelib.web import reporting, signing
from chalicelib.web.page import Page
from chalicelib.web.replies import Reply, View
from chalicelib.web.screens.changes import FIELDS

# Search engines must not find a report, and websites that it links must not learn its address.
HEADERS: Final = {"X-Robots-Tag": "noindex, nofollow, noarchive", "Referrer-Policy": "no-referrer"}
BATCHES: Final = 25
EFFORTS: Final = {"low": "little work", "medium": "some work", "high": "much work"}
DECISIONS: Final = {
    "title": "New page titles",
    "meta_description": "New descriptions for search results",
    "canonical": "Which address search results should show for pages with the same content",
    "noindex": "Which pages search engines leave out",
}


def show(page: Page) -> Reply:
    link = reports.opened(page.path["token"])
    if link is None:
        sessions.count_wrong_token(page.ip)
        return _gone(page)
    sessions.count_reading(link.key)
    page.reader = reader = signing.reader(link, page.now)
    try:
        workspace, record = reader.workspace(link.site_id), reader.website(link.site_id)
    except ApiError:
        return _gone(page)
    return _view(page, "report.html", "Report", 200, **_values(page, link, workspace, record))


def _values(page: Page, link: reports.ReportLink, workspace: Workspace, record: Website) -> dict[str, Any]:
    def ask(operation: str, sent: Mapping[str, object] = NOTHING) -> Any:
        return page.ask(operation, sent, siteId=link.site_id)

    periods = reporting.Periods.until(page.now)
    website, scores = ask("read_site"), ask("read_scores", {"detail": "audits"})
    issues = ask("list_issues", {"status": ",".join(STATUSES)}).issues
    actions, batches = ask("list_actions", {"limit": reporting.NEXT}), ask("list_changes", {"limit": BATCHES})
    name = workspace.report_name or workspace.name
    return {
        "link": link,
        "name": name,
        "initial": initial(name),
        "colour": workspace.report_colour or DEFAULT_COLOUR,
        "website": website,
        "first": reporting.day_of(page.now - SECONDS),
        "last": reporting.day_of(page.now),
        "past": reporting.past_score(scores, periods),
        "weeks": reporting.weeks(scores),
        "fixed": reporting.fixed(issues, scores, periods),
        "found": reporting.found(issues, periods),
        "changes": reporting.changes(batches, periods),
        "next": actions.actions,
        "open": actions.total,
        "undecided": reporting.undecided(reviews.approvable(record)),
        "reasons": reporting.REASONS,
        "fields": FIELDS,
        "efforts": EFFORTS,
        "decisions": DECISIONS,
    }


def _gone(page: Page) -> View:
    """Return the screen for a link that does not work, for whatever reason.

    It expired, was revoked, never existed, or its website was removed. All get the same screen.
    """
    return _view(page, "report_gone.html", "This report is not there", 404)


def _view(page: Page, template: str, title: str, status: int, **values: Any) -> View:
    return View(template, {"page": page, "title": title, **values}, status, HEADERS)
