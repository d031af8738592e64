"""The stored types of crawls and pages: requests, headers, page rows, findings and affected pages."""

from typing import Literal

import msgspec

CrawlKind = Literal["audit", "recheck", "preview"]
CrawlStatus = Literal["queued", "running", "done", "failed", "cancelled"]
CrawlStage = Literal["queued", "discovering", "crawling", "analysing", "scoring", "finished"]
PartialReason = Literal["page_budget", "plan_page_budget", "time_budget", "cancelled"]

ENDED: frozenset[str] = frozenset({"done", "failed", "cancelled"})


class Coverage(msgspec.Struct):
    """How much of the sitemap was read. ``percent``: 0 to 100."""

    sitemap_urls: int
    sitemap_crawled: int
    percent: float


class CrawlRequest(msgspec.Struct, kw_only=True):
    """The request for a crawl: its kind, its limits, and who made it. It never changes. Times are epoch seconds."""

    id: str
    site_id: str
    workspace_id: str
    kind: CrawlKind
    queued_at: float
    page_budget: int
    time_limit_minutes: int
    started_by: Literal["person", "schedule"] = "person"
    person_id: str | None = None
    capped_by_plan: bool = False
    budget_is_plan_limit: bool = False
    issue_id: str | None = None  # of a recheck
    # The batch that a recheck follows: an undo (its pages are read too, listed or not), or the write of a file, which
    # may bring the resolved issue back.
    batch_id: str | None = None
    request_id: str | None = None
    alert: bool = False  # a recheck of the pages that an alert named, for all issues
    # For a preview: the origin that is read, the website's origin that it represents, and whether robots.txt and
    # noindex are ignored.
    preview_origin: str | None = None
    site_origin: str | None = None
    ignores_robots: bool = False
    due_at: float = 0.0  # it does not start before this time; until then an alert accepts further addresses


class CrawlReport(CrawlRequest, kw_only=True):
    """The part of a crawl's header that shows its progress and how it ended."""

    status: CrawlStatus
    stage: CrawlStage
    started_at: float | None = None
    finished_at: float | None = None
    pages_crawled: int = 0
    pages_discovered: int = 0
    coverage: Coverage | None = None
    partial_reason: PartialReason | None = None
    issues_found: int | None = None
    error: str | None = None
    notes: list[str] = []  # what an audit could not find out, in sentences

    @property
    def ended(self) -> bool:
        return self.status in ENDED


class CrawlHeader(CrawlReport, kw_only=True):
    """The stored header of an audit, preview or recheck, with the data that its workers need to continue after a crash.

    - ``slice``: the number of the worker run that may claim the crawl next.
    - ``fence``: a number that rises with each claim. A worker's write fails if the number has risen since the worker's
      claim.
    - ``checkpoint``: the number of committed steps.
    """

    cancel_requested: bool = False
    slice: int = 0
    lease_until: float = 0.0
    fence: int = 0
    checkpoint: int = 0
    claimed_checkpoint: int = -1
    stalled: int = 0
    worked_seconds: float = 0.0  # how long workers have held it, up to the last checkpoint, without waiting time
    refused: int = 0
    fetches: int = 0
    # For a preview of named pages: how many were requested, including the home page, and how many of these can be
    # read. They are its first known addresses. ``store.previews`` stores the named addresses.
    asked_pages: int = 0
    asked_known: int = 0
    site_facts_fence: int = 0  # the fence under which the committed website facts are stored
    reading_ended_at: float | None = None  # after this time, slow pages are requested again, then targets of links
    times_asked: int = 0  # how many slow pages were requested again
    links_unasked: int | None = None  # links of the website, not checked for lack of time; None: not counted
    images_unasked: int | None = None  # files of pages not requested, by limit or lack of time; None: not counted
    render_job: str | None = None  # the job that renders some pages in a browser; None: not requested yet
    lane: str | None = None  # the queue of the worker that holds it
    slot: int | None = None  # the workspace's concurrency slot that it holds in this lane
    replaces: str | None = None  # the generation that it replaced, until the old blocks are marked for expiry


class PageRow(msgspec.Struct, array_like=True, gc=False):
    """A page in the list of pages: everything that ``GET /pages`` shows, and where the page's facts are stored.

    Scores are in tenths of a point (830 is 83.0).
    """

    id: str
    url: str
    status: int | None
    title: str | None
    template: str | None
    page_score: int | None
    aeo_score: int | None
    rules: list[str]  # ids of the rules that fire on it; the count of open issues is computed on reading
    inlinks: int
    last_crawled: int | None
    facts_crawl: str | None = None
    facts_block: int = 0
    depth: int | None = None
    indexable: bool = False
    not_indexable_reason: str | None = None
    category_scores: dict[str, int] = {}
    redirects: list[str] = []  # every address that its redirect passes through, in order
    redirects_end: str | None = None  # answer, loop or unread; None if it does not redirect, or was not followed
    own_words: int | None = None  # words, without text that many pages of its template repeat; None: unknown


class PageFinding(msgspec.Struct, array_like=True, gc=False):
    """The finding of one rule on one page, with its evidence."""

    rule_id: str
    evidence: dict[str, object]
    first_seen: int


class AffectedPage(msgspec.Struct, array_like=True, gc=False):
    """A page that an issue lists."""

    url: str
    page_id: str
    evidence: dict[str, object]
    first_seen: int
    last_seen: int
