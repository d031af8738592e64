"""Crawled pages: the list, and a page with its facts, scores and findings."""

from typing import Annotated, Literal

from msgspec import Meta

from chalicelib.api.shapes.issues import Evidence
from chalicelib.api.shapes.values import Address, Count, NextOffset, Offset, Score, Timestamp, Truncated
from chalicelib.domain.audit.page_timeline import PageMember
from chalicelib.domain.severity import Severity
from chalicelib.http.answers import Shape
from chalicelib.rules.model import Category


class Page(Shape):
    """A page of the last audit. ``status`` is null for an address that is known but was not read."""

    id: str
    url: Address
    status: int | None
    title: str | None
    template: str | None
    page_score: Score | None
    aeo_score: Score | None
    open_issues: Count
    inlinks: Count
    last_crawled: Timestamp | None
    depth: Annotated[Count | None, Meta(description="Clicks from the home page; null where no links lead there.")]


class PageFacets(Shape):
    """How many pages each class of ``status`` and each ``depth`` would list, with the other parameters as they were
    sent. `unread`: addresses that are known but were not read or did not answer; `unlinked`: pages to which no links
    lead."""

    status: dict[str, Count]
    depth: dict[str, Count]


class PageList(Shape):
    """One page of the list, sorted by address. ``total`` counts what matches, on all pages of the list; ``counts`` is
    null before the first audit."""

    total: Count
    counts: PageFacets | None
    page: int
    per: Annotated[int, Meta(description="Pages in an answer.")]
    has_more: bool
    offset: Offset
    next_offset: NextOffset
    truncated: Truncated
    pages: list[Page]


class RobotsDirective(Shape):
    """A robots directive of the page: whom it addresses and what it says."""

    source: Literal["meta", "header"]
    agent: str
    content: str


HreflangSource = Literal["html", "header", "sitemap"]


class HreflangLink(Shape):
    lang: str
    url: str
    source: HreflangSource


class Heading(Shape):
    level: int
    text: str


class Images(Shape):
    total: Count
    without_alt: Count


class Links(Shape):
    """Distinct links: ``incoming`` pages of the website that link here, ``internal`` and ``external`` targets."""

    incoming: Count
    internal: Count
    external: Count


RedirectsEnd = Literal["answer", "loop", "unread"]


class PageFacts(Shape):
    """The crawler's facts of a page. Facts of HTML are null where the address gave no HTML page."""

    final_url: Annotated[Address, Meta(description="Where the redirects end; the page's own address without any.")]
    redirects: Annotated[list[str], Meta(description="Every address that a redirect passes through, in order.")]
    redirects_end: Annotated[
        RedirectsEnd | None,
        Meta(
            description="How the redirects end: `answer`, the last address answers itself; `loop`, they never end; "
            "`unread`, nobody asked the last address, so they may go on. Null without redirects."
        ),
    ]
    status: int | None
    error: Annotated[
        str | None,
        Meta(
            description="Why there was no answer, such as timeout or dns; or the reason why an answer is unusable: "
            "too_hard (it takes more time or memory to read than a page is given) or unreadable (reading it failed)."
        ),
    ]
    content_type: str | None
    bytes: Count
    ttfb_ms: Count | None
    title: str | None
    description: str | None
    canonical: str | None
    robots: list[RobotsDirective]
    hreflang: list[HreflangLink]
    headings: list[Heading]
    word_count: Count | None
    language: str | None
    structured_data_types: list[str]
    images: Images | None
    links: Links
    indexable: bool
    not_indexable_reason: str | None


class PageCategoryScore(Shape):
    category: Category
    score: Score


class PageScores(Shape):
    """Scores of the page alone; null where it was not judged."""

    page: Score | None
    aeo: Score | None
    categories: list[PageCategoryScore]


class PageFinding(Shape):
    """A rule that fires on the page."""

    issue_id: str
    rule_id: str
    title: str
    severity: Severity
    evidence: Evidence
    first_seen: Timestamp


class RenderedWords(Shape):
    """Words of the main text: in the HTML from the server, and in the browser."""

    raw: Count
    rendered: Count


class BeforeAndAfter(Shape):
    """A value in the HTML from the server, and after its scripts have run."""

    before: str | None
    after: str | None


class ListsBeforeAndAfter(Shape):
    """The same for lists, which are empty instead of null."""

    before: list[str]
    after: list[str]


class RenderedPage(Shape):
    """The page in a browser, next to the HTML from the server."""

    rendered_at: Timestamp
    words: RenderedWords
    links_after_java_script: Annotated[
        list[str], Meta(description="Links to pages of the website that only scripts add: the first 20.")
    ]
    title: BeforeAndAfter
    canonical: BeforeAndAfter
    robots: Annotated[ListsBeforeAndAfter, Meta(description="Directives that forbid search engines something.")]
    structured_data_types: ListsBeforeAndAfter


class PageDetail(Page):
    """A page in full. ``facts`` is null for an address that was never read. Personal email addresses are masked."""

    facts: PageFacts | None
    scores: PageScores
    findings: list[PageFinding]
    text: Annotated[str | None, Meta(description="The start of the page's main text.")]
    rendered: Annotated[
        RenderedPage | None,
        Meta(description="The page in a browser. Null if the audit did not render it."),
    ]


class PageVersion(Shape):
    """The page as an audit left it. Null: it had none, or (`status`) did not answer, or (`pageScore`) has no score.

    Long texts are cut to 300 characters, the last of which are a digest of the whole text."""

    audit_id: str
    at: Timestamp
    read: Annotated[bool, Meta(description="False: the audit did not read the page, and the members below are null.")]
    title: str | None
    canonical: str | None
    status: int | None
    page_score: Score | None
    changed: Annotated[
        list[PageMember], Meta(description="Members that differ from what was known before. Empty at the first audit.")
    ]


class PageHistory(Shape):
    """The audits at which the page appeared, changed, left or came back, newest first.

    ``audits``: the number of audits, at most the last 50 of 90 days; ``since``: when the first of them ended.
    """

    page_id: str
    url: Address
    audits: Count
    since: Timestamp
    versions: list[PageVersion]
