"""The stored parts of a finished audit after later ones replaced it: its header for 400 days, its pages for 90.

Differences of two audits and the timelines of pages are read from these alone.
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
    """Texts of a page that its row lacks. ``words`` None: not known; ``robots``: its robots directives, in one line."""

    description: str | None
    canonical: str | None
    words: int | None
    robots: str | None = None


class KeptPage(msgspec.Struct, array_like=True, gc=False):
    """A page as an audit left it. ``read``: false for addresses that are known and were not read; ``indexable`` and
    ``words`` None: not known. ``rules``: those whose issues listed it. A cut text ends in a digest of the whole.
    ``current``: false if the audit did not reach the page and kept what the audit before knew; None: not known.
    ``ignored``: rules whose issues people ignore on this page."""

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
    """An issue as an audit left it. ``judged``: false if the audit had no data to judge it by; then nothing is known of
    its pages."""

    id: str
    rule_id: str
    status: IssueStatus
    affected_pages: int
    judged: bool


class KeptSpeed(msgspec.Struct, frozen=True):
    """The speed of a website on phones: medians of ``pages`` that were tested in the lab, and what its visitors
    measured (75th percentile). None: not measured."""

    pages: int = 0
    lab_lcp_ms: float | None = None
    lab_cls: float | None = None
    lab_blocking_ms: float | None = None
    field_lcp_ms: float | None = None
    field_cls: float | None = None
    field_inp_ms: float | None = None


class KeptRobots(msgspec.Struct, frozen=True):
    """The answer of /robots.txt. ``status`` None: nothing; ``digest``: of its text."""

    status: int | None
    digest: str


class KeptAudit(msgspec.Struct, kw_only=True):
    """The header of a kept audit. ``partitions``: into how many blocks its pages are packed, None if they were too
    many to keep; ``robots`` and ``crawlers`` (whether each may read the home page) None: not known; ``asked``: how many
    addresses a preview was to read, None: the whole website."""

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
    """The score that a crawl ended with."""

    crawl_id: str
    kind: ScoredBy
    score: ScoreEntry


class AuditScore(msgspec.Struct, frozen=True):
    """The score that an audit ended with, as histories list it; None if nothing could be judged."""

    id: str
    finished_at: float
    partitions: int | None
    score: ScoreEntry | None = None


def robots_of(status: int | None, text: str) -> KeptRobots:
    return KeptRobots(status, ids.digest(text).hex()[:16])


def texts_of(facts: PageFacts, own_words: int | None) -> PageTexts:
    """``own_words``: of its text, without what many pages of its template repeat."""
    canonical = next((absolute or written for written, absolute, _ in facts.canonicals), None)
    words = (facts.words if own_words is None else own_words) if facts.is_html else None
    return PageTexts(shortened(facts.description), shortened(canonical), words, _robots_line(facts))


def _robots_line(facts: PageFacts) -> str | None:
    said = [content if agent == "robots" else f"{agent}: {content}" for agent, content in facts.robots_meta]
    lines = (*said, *lines_of(facts.headers, "x-robots-tag"))
    written = (" ".join(line.lower().split()) for line in lines)
    return shortened(", ".join(dict.fromkeys(filter(None, written))) or None)


def shortened(text: str | None) -> str | None:
    """The text cut to the length that is kept. Different texts stay different after the cut."""
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
    """The pages of an audit. ``texts``: by page id, of those that were read; ``affected``: the pages that each rule's
    issue lists; ``scopes``: those of them that people ignore."""
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
    """The issues of an audit, without keyword tasks. ``unjudged``: rules that it did not judge."""
    return [
        KeptIssue(one.id, one.rule_id, one.status, one.affected_pages, one.rule_id not in unjudged)
        for one in issues
        if not is_keyword_task(one.rule_id)
    ]
