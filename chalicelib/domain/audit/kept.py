"""The parts of a finished audit that stay stored after later audits: its header for 400 days, its pages for 90 days.

Comparisons of two audits and the timelines of pages use only these parts.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple

import msgspec

from chalicelib.domain import ids
from chalicelib.domain.audit.ignoring import Scope
from chalicelib.domain.audit.issues import Issue, IssueStatus, RuleCount, is_keyword_task
from chalicelib.domain.audit.records import AffectedPage, CrawlStatus, PageRow, PartialReason
from chalicelib.domain.audit.summary import CategoryScore, RuleLoss, ScoreEntry
from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.page.headers import lines_of

HEADER_SECONDS: Final = 400 * 86_400.0
PAGES_SECONDS: Final = 90 * 86_400.0
MOST_TEXT: Final = 300  # characters of a title, a description or a canonical address
_DIGEST: Final = 12
MOST_SCORES: Final = 500  # of a history

ScoredBy = Literal["audit", "recheck", "alert"]


class PageTexts(NamedTuple):
    """Texts of a page that are stored in addition to its row. ``words``: None if unknown. ``robots``: the page's robots
    directives in one line."""

    description: str | None
    canonical: str | None
    words: int | None
    robots: str | None = None


class KeptPage(msgspec.Struct, array_like=True, gc=False):
    """A page as it was at the end of an audit.

    - ``read``: False for an address that is known but was not read.
    - ``indexable`` and ``words``: None if unknown.
    - ``rules``: the rules whose issues listed the page.
    - ``current``: False if the audit did not reach the page and copied the previous audit's data; None if unknown.
    - ``ignored``: the rules that fire on this page and whose issues people ignore here.

    A text that was cut ends with a digest of the whole text.
    """

    id: str
    url: str
    read: bool
    status: int | None = None
    title: str | None = None
    description: str | None = None
    canonical: str | None = None
    indexable: bool | None = None
    words: int | None = None
    page_score: int | None = None  # integer tenths
    depth: int | None = None
    rules: list[str] = []
    current: bool | None = None
    ignored: list[str] = []


class KeptIssue(msgspec.Struct, array_like=True, gc=False):
    """An issue as it was at the end of an audit.

    ``judged``: False if the audit had no data to judge the issue. The pages of the issue are then unknown.
    """

    id: str
    rule_id: str
    status: IssueStatus
    affected_pages: int
    judged: bool


class KeptSpeed(msgspec.Struct, frozen=True):
    """The speed of a website on phones. Lab values are medians over the ``pages`` tested pages. Field values are 75th
    percentiles of its visitors. None means not measured."""

    pages: int = 0
    lab_lcp_ms: float | None = None
    lab_cls: float | None = None
    lab_blocking_ms: float | None = None
    field_lcp_ms: float | None = None
    field_cls: float | None = None
    field_inp_ms: float | None = None


class KeptRobots(msgspec.Struct, frozen=True):
    """The answer of /robots.txt. ``status``: None if there was no answer. ``digest``: a hash of the text."""

    status: int | None
    digest: str


class KeptAudit(msgspec.Struct, kw_only=True):
    """The header of a finished audit: the part that stays stored longest.

    - ``partitions``: the number of blocks that hold its pages; None if there were too many pages to store.
    - ``robots``: the answer of /robots.txt; None if unknown.
    - ``crawlers``: whether each crawler may read the home page; None if unknown.
    - ``asked``: for a preview, how many addresses it was asked to read; None for the whole website.
    """

    id: str
    status: CrawlStatus
    started_at: float | None
    finished_at: float
    pages_crawled: int
    partial_reason: PartialReason | None
    ruleset: str
    score: ScoreEntry | None
    categories: list[CategoryScore]
    losses: list[RuleLoss] | None
    counts: dict[str, RuleCount]
    issues: list[KeptIssue]
    partitions: int | None
    robots: KeptRobots | None = None
    crawlers: dict[str, bool | None] | None = None
    speed: KeptSpeed | None = None
    asked: int | None = None

    @property
    def header_until(self) -> float:
        return self.finished_at + HEADER_SECONDS

    @property
    def pages_until(self) -> float:
        return self.finished_at + PAGES_SECONDS


class CrawlScore(NamedTuple):
    """The score at the end of a crawl."""

    crawl_id: str
    kind: ScoredBy
    score: ScoreEntry


class AuditScore(msgspec.Struct, frozen=True):
    """The score at the end of an audit, for histories. ``score``: None if nothing could be judged."""

    id: str
    finished_at: float
    partitions: int | None
    score: ScoreEntry | None = None


def robots_of(status: int | None, text: str) -> KeptRobots:
    return KeptRobots(status, ids.digest(text).hex()[:16])


def texts_of(facts: PageFacts, own_words: int | None) -> PageTexts:
    """Extract the texts to keep. ``own_words``: the word count without text that many pages of the template repeat."""
    canonical = next((absolute or written for written, absolute, _ in facts.canonicals), None)
    words = (facts.words if own_words is None else own_words) if facts.is_html else None
    return PageTexts(shortened(facts.description), shortened(canonical), words, _robots_line(facts))


def _robots_line(facts: PageFacts) -> str | None:
    said = [content if agent == "robots" else f"{agent}: {content}" for agent, content in facts.robots_meta]
    lines = (*said, *lines_of(facts.headers, "x-robots-tag"))
    written = (" ".join(line.lower().split()) for line in lines)
    return shortened(", ".join(dict.fromkeys(filter(None, written))) or None)


def shortened(text: str | None) -> str | None:
    """Cut a text that is longer than the stored length.

    The cut text ends with a digest, so that different texts stay different.
    """
    if text is None or len(text) <= MOST_TEXT:
        return text
    return f"{text[: MOST_TEXT - _DIGEST - 1]}…{ids.digest(text).hex()[:_DIGEST]}"


def kept_pages(
    audit_id: str,
    rows: Sequence[PageRow],
    texts: Mapping[str, PageTexts],
    affected: Mapping[str, Sequence[AffectedPage]],
    scopes: Mapping[str, Scope],
) -> list[KeptPage]:
    """Make the stored pages of an audit.

    - ``texts``: the texts of the pages that were read, by page id.
    - ``affected``: for each rule, the pages in the list of its issue.
    - ``scopes``: for each rule, the pages on which people ignore its issue.
    """
    pages = {row.id: _page(audit_id, row, texts.get(row.id)) for row in rows}
    for rule_id, listed in sorted(affected.items()):
        scope = scopes.get(rule_id)
        for page in listed:
            kept = pages.get(page.page_id)
            if kept is None:
                kept = pages[page.page_id] = KeptPage(page.page_id, page.url, False)
            (kept.rules if scope is None or not scope.holds(page.page_id, page.url) else kept.ignored).append(rule_id)
    return list(pages.values())


def _page(audit_id: str, row: PageRow, texts: PageTexts | None) -> KeptPage:
    read = row.facts_crawl is not None
    description, canonical, words, _ = texts or PageTexts(None, None, None)
    return KeptPage(
        row.id,
        row.url,
        read,
        status=row.status,
        title=shortened(row.title),
        description=description,
        canonical=canonical,
        indexable=row.indexable if read and row.status is not None else None,
        words=words,
        page_score=row.page_score,
        depth=row.depth,
        rules=[],
        ignored=[],
        current=row.facts_crawl == audit_id if read else None,
    )


def kept_issues(issues: Sequence[Issue], unjudged: frozenset[str]) -> list[KeptIssue]:
    """Make the stored issues of an audit. Keyword tasks are left out. ``unjudged``: rules that the audit did not
    judge."""
    return [
        KeptIssue(one.id, one.rule_id, one.status, one.affected_pages, one.rule_id not in unjudged)
        for one in issues
        if not is_keyword_task(one.rule_id)
    ]
