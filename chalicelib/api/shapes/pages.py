"""Crawled pages: the list, and a page with its facts, scores and findings."""

from typing import Annotated, Literal

from msgspec import Meta

from chalicelib.api.shapes.issues import Evidence
from chalicelib.api.shapes.values import (
    Address,
    AuditId,
    Count,
    FirstSeen,
    HasMore,
    IssueId,
    IssueTitle,
    NextOffset,
    Offset,
    OpenIssues,
    PageId,
    PageUrl,
    RuleId,
    Score,
    Template,
    Timestamp,
    Total,
    Truncated,
)
from chalicelib.domain.audit.page_timeline import PageMember
from chalicelib.domain.severity import Severity
from chalicelib.http.answers import Shape
from chalicelib.rules.model import Category


class Page(Shape):
    """A page of the last audit."""

    id: PageId
    url: PageUrl
    status: Annotated[int | None, Meta(description="HTTP status; null: the address is known, but was not read.")]
    title: Annotated[str | None, Meta(description="Text of the title element; null: none.")]
    template: Template
    page_score: Score | None
    aeo_score: Score | None
    open_issues: OpenIssues
    inlinks: Annotated[Count, Meta(description="Pages of the website that link here.")]
    last_crawled: Annotated[Timestamp | None, Meta(description="When the page was last read; null: never.")]
    depth: Annotated[Count | None, Meta(description="Clicks from the home page; null: no links lead to the page.")]


class PageFacets(Shape):
    """How many pages have each class of ``status`` and each ``depth``, among those that match the other parameters.
    `unread`: known addresses that were not read or did not answer. `unlinked`: pages that no page links to."""

    status: Annotated[dict[str, Count], Meta(description="Pages by class of status, such as `2xx`.")]
    depth: Annotated[dict[str, Count], Meta(description="Pages by clicks from the home page.")]


class PageList(Shape):
    """One page of the list, sorted by address. ``counts`` is null before the first audit."""

    total: Total
    counts: PageFacets | None
    page: Annotated[int, Meta(description="This page of the list, from 1.")]
    per: Annotated[int, Meta(description="Pages in an answer.")]
    has_more: HasMore
    offset: Offset
    next_offset: NextOffset
    truncated: Truncated
    pages: Annotated[list[Page], Meta(description="The pages.")]


class RobotsDirective(Shape):
    """A robots directive of the page."""

    source: Annotated[Literal["meta", "header"], Meta(description="Meta element, or HTTP header.")]
    agent: Annotated[str, Meta(description="Crawler that it addresses.")]
    content: Annotated[str, Meta(description="The directives as written.")]


HreflangSource = Literal["html", "header", "sitemap"]


class HreflangLink(Shape):
    lang: Annotated[str, Meta(description="Language code, or `x-default`.")]
    url: Annotated[str, Meta(description="Address of the version.")]
    source: Annotated[HreflangSource, Meta(description="Where the link was found.")]


class Heading(Shape):
    level: Annotated[int, Meta(description="1 to 6.")]
    text: Annotated[str, Meta(description="Its text.")]


class Images(Shape):
    total: Annotated[Count, Meta(description="Images of the page.")]
    without_alt: Annotated[Count, Meta(description="Images without an alt attribute.")]


class Links(Shape):
    """How many different links the page has, and how many pages link to it."""

    incoming: Annotated[Count, Meta(description="Pages that link here.")]
    internal: Annotated[Count, Meta(description="Number of link targets on the website.")]
    external: Annotated[Count, Meta(description="Targets elsewhere.")]


RedirectsEnd = Literal["answer", "loop", "unread"]


class PageFacts(Shape):
    """The crawler's facts of a page. Facts about HTML are null if the address returned no HTML page."""

    final_url: Annotated[
        Address, Meta(description="The address at the end of the redirects; the page's own address if there are none.")
    ]
    redirects: Annotated[list[str], Meta(description="Every address that a redirect passes through, in order.")]
    redirects_end: Annotated[
        RedirectsEnd | None,
        Meta(
            description="How the redirects end. `answer`: the last address answers. `loop`: they never end. `unread`: "
            "the last address was not read. Null: no redirects."
        ),
    ]
    status: Annotated[int | None, Meta(description="HTTP status; null: no answer.")]
    error: Annotated[
        str | None,
        Meta(
            description="Why there was no answer, such as `timeout` or `dns`, or why the answer is unusable: "
            "`too_hard` (it takes too much time or memory to read) or `unreadable`."
        ),
    ]
    content_type: Annotated[str | None, Meta(description="The Content-Type header.")]
    bytes: Annotated[Count, Meta(description="Size of the body, in bytes.")]
    ttfb_ms: Annotated[Count | None, Meta(description="Time to the first byte, milliseconds.")]
    title: Annotated[str | None, Meta(description="Text of the title element.")]
    description: Annotated[str | None, Meta(description="The meta description.")]
    canonical: Annotated[str | None, Meta(description="The canonical address that the page names.")]
    robots: Annotated[list[RobotsDirective], Meta(description="Its robots directives.")]
    hreflang: Annotated[list[HreflangLink], Meta(description="Its versions in other languages.")]
    headings: Annotated[list[Heading], Meta(description="Its headings, in order.")]
    word_count: Annotated[Count | None, Meta(description="Words of the main text.")]
    language: Annotated[str | None, Meta(description="Language that the HTML names.")]
    structured_data_types: Annotated[list[str], Meta(description="Types of its structured data.")]
    images: Annotated[Images | None, Meta(description="Its images.")]
    links: Links
    indexable: Annotated[bool, Meta(description="Whether search engines may index the page.")]
    not_indexable_reason: Annotated[
        str | None, Meta(description="Why search engines may not index the page; null: they may.")
    ]


class PageCategoryScore(Shape):
    category: Category
    score: Score


class PageScores(Shape):
    """The page's own scores; null if it was not judged."""

    page: Score | None
    aeo: Score | None
    categories: Annotated[list[PageCategoryScore], Meta(description="Scores by category.")]


class PageFinding(Shape):
    """A rule that the page breaks."""

    issue_id: IssueId
    rule_id: RuleId
    title: IssueTitle
    severity: Severity
    evidence: Evidence
    first_seen: FirstSeen


class RenderedWords(Shape):
    """Number of words in the main text: in the HTML from the server, and in the browser."""

    raw: Annotated[Count, Meta(description="The value in the HTML from the server.")]
    rendered: Annotated[Count, Meta(description="In the browser.")]


class BeforeAndAfter(Shape):
    """A value in the HTML from the server, and after its scripts have run."""

    before: Annotated[str | None, Meta(description="The value in the HTML from the server.")]
    after: Annotated[str | None, Meta(description="In the browser.")]


class ListsBeforeAndAfter(Shape):
    """A list in the HTML from the server, and after its scripts have run. It may be empty, never null."""

    before: Annotated[list[str], Meta(description="The value in the HTML from the server.")]
    after: Annotated[list[str], Meta(description="In the browser.")]


class RenderedPage(Shape):
    """The page in a browser, compared with the HTML from the server."""

    rendered_at: Annotated[Timestamp, Meta(description="When the browser opened it.")]
    words: RenderedWords
    links_after_java_script: Annotated[
        list[str], Meta(description="Links to pages of the website that only scripts add: the first 20.")
    ]
    title: BeforeAndAfter
    canonical: BeforeAndAfter
    robots: Annotated[
        ListsBeforeAndAfter, Meta(description="Directives that restrict search engines, such as `noindex`.")
    ]
    structured_data_types: ListsBeforeAndAfter


class PageDetail(Page):
    """A page in full. ``facts`` is null for an address that was never read. Personal email addresses are masked."""

    facts: PageFacts | None
    scores: PageScores
    findings: Annotated[list[PageFinding], Meta(description="Rules that the page breaks.")]
    text: Annotated[str | None, Meta(description="The start of the page's main text.")]
    rendered: Annotated[
        RenderedPage | None,
        Meta(description="The page after rendering. Null if the audit did not render it."),
    ]


class PageVersion(Shape):
    """The page as an audit found it. Null: no such value; for `status`, no answer.

    Texts over 300 characters are cut to 300 and end with a digest of the whole text.
    """

    audit_id: AuditId
    at: Annotated[Timestamp, Meta(description="When the audit ended.")]
    read: Annotated[
        bool,
        Meta(
            description="Whether the audit read the page. If not, `title`, `canonical`, `status` and `pageScore` "
            "are null."
        ),
    ]
    title: Annotated[str | None, Meta(description="Text of the title element.")]
    canonical: Annotated[str | None, Meta(description="The canonical address that the page names.")]
    status: Annotated[int | None, Meta(description="HTTP status.")]
    page_score: Score | None
    changed: Annotated[
        list[PageMember],
        Meta(description="Names of members that differ from the version before. Empty at the first audit."),
    ]


class PageHistory(Shape):
    """The audits in which the page was new, changed, gone or back, newest first."""

    page_id: PageId
    url: PageUrl
    audits: Annotated[Count, Meta(description="The number of compared audits: at most the last 50, within 90 days.")]
    since: Annotated[Timestamp, Meta(description="When the first of these audits ended.")]
    versions: Annotated[list[PageVersion], Meta(description="The versions, newest first.")]
