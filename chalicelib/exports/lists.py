"""The contents of an export: one ``ListOf`` for each list, read through the API's endpoints."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final, NamedTuple, cast

from chalicelib import api
from chalicelib.api import files
from chalicelib.api.shapes.actions import Action
from chalicelib.api.shapes.agentic import AgenticResult
from chalicelib.api.shapes.analytics import LandingPage
from chalicelib.api.shapes.audits import Audit
from chalicelib.api.shapes.changes import ApprovedChange, Batch
from chalicelib.api.shapes.issues import AffectedPage, Issue, IssueOnPage
from chalicelib.api.shapes.pages import Page
from chalicelib.api.shapes.performance import TestedPage
from chalicelib.api.shapes.search import SearchRow
from chalicelib.api.shapes.topics import Topic
from chalicelib.api.shapes.visibility import VisibilityPrompt
from chalicelib.api.shapes.websites import ScoreOfCrawl
from chalicelib.domain.audit.issues import STATUSES
from chalicelib.domain.search.periods import MOST_MONTHS, months_before
from chalicelib.http.answers import Shape
from chalicelib.http.inside import NOTHING, Asker
from chalicelib.rules.model import Category

FIGURES: Final = ("clicks", "impressions", "ctr", "position")


class Row(NamedTuple):
    """An item of a list. ``leading``: the values of the first columns, which identify the item's parent, such as the
    batch of a change.
    """

    item: Shape
    leading: Mapping[str, str] = NOTHING


Rows = Iterator[Sequence[Row]]  # batches of rows, each from one answer


class Walk(NamedTuple):
    """Calls the API's endpoints to read the lists of one website. ``keep``: called before each call, to renew the lease
    of the export's job. Exceptions in it end the export. ``today``: the day on which periods end."""

    asker: Asker
    site_id: str
    today: date
    keep: Callable[[], None]

    def ask(self, operation: str, path: Mapping[str, str], sent: Mapping[str, str]) -> Any:
        """Call an endpoint and return its answer. Raises ``ApiError``."""
        self.keep()
        return self.asker.ask(api.operations()[operation], {"siteId": self.site_id, **path}, sent)

    def answers(self, operation: str, sent: Mapping[str, str] = NOTHING, **path: str) -> Iterator[Any]:
        """Request all pages of a list, one after the other, and yield the answers. Each answer has the cursor or offset
        of the next page. Raises ``ApiError``."""
        following: Mapping[str, str] | None = {}
        while following is not None:
            answer = self.ask(operation, path, {**sent, **following})
            yield answer
            cursor, offset = getattr(answer, "next_cursor", None), getattr(answer, "next_offset", None)
            following = None
            if cursor is not None:
                following = {"cursor": cursor}
            elif offset is not None and not hasattr(answer, "next_cursor"):
                following = {"offset": str(offset)}

    def items(self, operation: str, member: str, sent: Mapping[str, str] = NOTHING, **path: str) -> Rows:
        """Yield the items in the member ``member`` of all answers of a list."""
        for answer in self.answers(operation, sent, **path):
            yield [Row(item) for item in getattr(answer, member)]


class ListOf(NamedTuple):
    """A list of an export.

    - ``about``: a description of the list's rows.
    - ``leading``: the names of the first columns, which do not come from ``shape``.
    - ``only``: the members of ``shape`` that are exported; None for all.
    """

    name: str
    about: str
    shape: type[Shape]
    rows: Callable[[Walk], Rows]
    leading: tuple[str, ...] = ()
    only: tuple[str, ...] | None = None

    @property
    def columns(self) -> list[tuple[str, tuple[str, ...]]]:
        """The columns of the file after the leading ones. For each: its name, and the path of attributes to its
        value."""
        return [
            (".".join(names), attributes)
            for names, attributes in files.columns_of(self.shape)
            if self.only is None or names[0] in self.only
        ]


def _listed(operation: str, member: str, **sent: str) -> Callable[[Walk], Rows]:
    return lambda walk: walk.items(operation, member, sent)


_ALL: Final = {"status": ",".join(STATUSES)}


def _on_pages(walk: Walk) -> Rows:
    """Yield the affected pages of each issue, from the detail of the issue."""
    for issue in walk.ask("list_issues", {}, _ALL).issues:
        start: int | None = 0
        while start is not None:
            sent = {"pages_offset": str(start), "suggestions_limit": "1"}
            detail = walk.ask("read_issue", {"issueId": issue.id}, sent)
            yield [Row(_on_page(issue, page)) for page in detail.pages]
            start = detail.pages_next_offset


def _on_page(issue: Issue, page: AffectedPage) -> IssueOnPage:
    return IssueOnPage(
        issue_id=issue.id,
        rule_id=issue.rule_id,
        title=issue.title,
        category=cast(Category, issue.category),
        severity=issue.severity,
        status=issue.status,
        url=page.url,
        page_id=page.page_id,
        evidence=page.evidence,
        first_seen=page.first_seen,
        last_seen=page.last_seen,
    )


def _changes(walk: Walk) -> Rows:
    for listed in walk.answers("list_changes"):
        for batch in listed.batches:
            for detail in walk.answers("read_batch", batchId=batch.batch_id):
                yield [Row(change, {"batchId": batch.batch_id}) for change in detail.changes]


def _scores(walk: Walk) -> Rows:
    yield [Row(score) for score in walk.ask("read_scores", {}, {"detail": "audits"}).audits]


def _prompts(walk: Walk) -> Rows:
    for answer in walk.answers("read_visibility", {"weeks": "12"}):
        yield [Row(prompt, {"week": week.week}) for week in answer.weeks for prompt in week.prompts]


def _searched(dimension: str) -> Callable[[Walk], Rows]:
    def rows(walk: Walk) -> Rows:
        first = months_before(walk.today, MOST_MONTHS)
        sent = {"from": str(first), "to": str(walk.today), "dimension": dimension, "limit": "10000"}
        return walk.items("read_search_rows", "rows", sent)

    return rows


def _search(name: str, about: str, dimension: str, *members: str) -> ListOf:
    return ListOf(name, about, SearchRow, _searched(dimension), only=(*members, *FIGURES))


LISTS: Final = (
    ListOf("issues", "An issue in any state.", Issue, _listed("list_issues", "issues", **_ALL)),
    ListOf("issues_pages", "One affected page of an issue.", IssueOnPage, _on_pages),
    ListOf("pages", "One page of the last audit.", Page, _listed("list_pages", "pages", per="200")),
    ListOf(
        "actions",
        "One open issue or keyword task, by priority.",
        Action,
        _listed("list_actions", "actions", limit="100"),
    ),
    ListOf("audits", "An audit, newest first.", Audit, _listed("list_audits", "audits", limit="25")),
    ListOf("scores", "The score after one audit, recheck or alert, newest first.", ScoreOfCrawl, _scores),
    ListOf(
        "change_batches",
        "One batch of changes that were approved together in the last 90 days.",
        Batch,
        _listed("list_changes", "batches"),
    ),
    ListOf("changes", "A change of these batches.", ApprovedChange, _changes, leading=("batchId",)),
    _search("search_dates", "One day of web search in the last 16 months.", "date", "date"),
    _search("search_queries", "One query of web search in the last 16 months.", "query", "query"),
    _search("search_pages", "One page of web search in the last 16 months.", "page", "page"),
    _search(
        "search_query_pages",
        "One pair of query and page, of those with most clicks in 28 days.",
        "query_page",
        "query",
        "page",
    ),
    ListOf(
        "topics",
        "One topic that the website was found for in 28 days.",
        Topic,
        _listed("list_topics", "topics", minPages="1", limit="200"),
    ),
    ListOf(
        "landing_pages",
        "One landing page of visits from organic search, in 28 days.",
        LandingPage,
        _listed("read_landing_pages", "rows", limit="1000"),
    ),
    ListOf("speed_tests", "One page whose speed was tested.", TestedPage, _listed("read_performance", "pages")),
    ListOf(
        "agentic",
        "The last Agentic browsing test of one page and device.",
        AgenticResult,
        _listed("list_agentic", "results", per="200"),
    ),
    ListOf(
        "ai_visibility",
        "The answers of assistants to one prompt in one of the last 12 weeks.",
        VisibilityPrompt,
        _prompts,
        leading=("week",),
    ),
)
