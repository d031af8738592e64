"""Crawled pages and their findings."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import MISSING, dataclass
from typing import Any, ClassVar, Final, cast

from chalicelib.api import files, paging
from chalicelib.api.addresses import page_url
from chalicelib.api.rule_texts import rule_of, texts_of
from chalicelib.api.shaped import shaped
from chalicelib.api.shapes.pages import (
    BeforeAndAfter,
    Heading,
    HreflangLink,
    Images,
    Links,
    ListsBeforeAndAfter,
    Page,
    PageCategoryScore,
    PageDetail,
    PageFacets,
    PageFacts,
    PageFinding,
    PageHistory,
    PageList,
    PageScores,
    PageVersion,
    RedirectsEnd,
    RenderedPage,
    RenderedWords,
    RobotsDirective,
)
from chalicelib.api.shapes.values import from_tenths, from_tenths_or_none, instant
from chalicelib.domain import ids
from chalicelib.domain.audit.issues import OPEN_STATUSES, IssueBook, OpenRules, is_open_on
from chalicelib.domain.audit.kept import AuditScore, KeptPage
from chalicelib.domain.audit.page_timeline import Version, timeline
from chalicelib.domain.audit.records import PageRow
from chalicelib.domain.page import facts as stored
from chalicelib.domain.page.headers import lines_of
from chalicelib.domain.page.rendered import Rendered
from chalicelib.http.answers import Answer
from chalicelib.http.authentication import is_id
from chalicelib.http.endpoints import Call, Group
from chalicelib.http.errors import not_found
from chalicelib.http.parameters import NoParameters, flag, integer, parsed, text
from chalicelib.http.parts import listed
from chalicelib.rules.model import Category
from chalicelib.store import issues, kept_audits, pages
from chalicelib.store.websites import Website

group = Group("pages", "Pages of the last audit, their facts, scores and findings.")


STATUS_CLASSES: Final = ("1xx", "2xx", "3xx", "4xx", "5xx")
UNREAD, UNLINKED = "unread", "unlinked"  # the names in counts of pages without a status, or without a depth
STATUS_PATTERN: Final = "^[1-5]([0-9]{2}|xx)$"
_STATUS: Final = re.compile(STATUS_PATTERN)


def statuses(raw: str) -> range:
    """Return the HTTP statuses that a filter such as ``404`` or ``4xx`` matches."""
    if not raw.isascii() or not _STATUS.fullmatch(raw):
        raise ValueError("an HTTP status such as 404, or a class of them such as 4xx")
    first = int(raw.replace("x", "0"))
    return range(first, first + (100 if raw.endswith("xx") else 1))


RULE_PATTERN: Final = "^[A-Z]{2,4}(-[A-Z]{2,4})?-[0-9]{3}$"
_RULE: Final = re.compile(RULE_PATTERN)


def rule_ids(raw: str) -> str:
    """Return the parameter if it is the id of an existing rule."""
    if not raw.isascii() or not _RULE.fullmatch(raw) or texts_of(raw) is None:
        raise ValueError("the id of a rule, such as SEO-ONP-001")
    return raw


@dataclass(frozen=True, slots=True)
class ListParameters:
    q: str | None = text(
        "Part of the title, or of the encoded or decoded address; letter case does not matter.",
        maximum=500,
    )
    status: range | None = parsed(
        "The HTTP status: a code, or a class such as `4xx`. Addresses that were not read have none.",
        {"type": "string", "minLength": 3, "maxLength": 3, "pattern": STATUS_PATTERN},
        statuses,
    )
    template: str | None = text("The page template, as in a page's `template`.", maximum=200, minimum=1)
    indexable: bool | None = flag(
        "Whether search engines may index the page. Addresses that were not read match neither value."
    )
    rule: str | None = parsed(
        "Only pages that an open issue of this rule affects.",
        {"type": "string", "minLength": 6, "maxLength": 20, "pattern": RULE_PATTERN},
        rule_ids,
    )
    depth: int | None = integer("Number of clicks from the home page.", default=None, minimum=0)
    page: int = integer("Which page of the list.", default=1, minimum=1)
    per: int = integer("Pages in an answer.", default=50, minimum=1, maximum=200)
    offset: int | None = paging.offset_instead_of_page()
    format: str = files.file_format()

    CHECKS: ClassVar = (paging.ONE_START,)


@group.get(
    "/sites/{siteId}/pages",
    scope="pages:read",
    parameters=ListParameters,
    answer=PageList,
    files=(files.CSV,),
    errors=(files.TOO_LARGE,),
    summary="List a website's pages",
    parts=(listed("pages"),),
)
def list_pages(call: Call[ListParameters]) -> PageList | Answer:
    """The pages of the last audit, sorted by address. Empty before the first audit.

    Known addresses that were not read are listed too, with `status` null. `counts` has numbers by class of `status` and
    by `depth`. For example, `counts.status.4xx` is the number of pages with `status=4xx` and the other parameters
    unchanged.
    """
    asked, crawl_id = call.parameters, call.website.current_crawl
    found = pages.Listed([], 0, {})
    start = paging.start(asked)
    book = issues.load_state(call.website.id) if asked.rule is not None else None
    if crawl_id is not None:
        affected = None if asked.rule is None else _affected(call.website, book, asked.rule)
        wanted = pages.Filter(asked.q, asked.status, asked.template, asked.indexable, asked.depth, affected)
        count = None if asked.format == "csv" else asked.per
        found = pages.list_rows(call.website.id, crawl_id, wanted, start=start, count=count)
    if found.rows and book is None:
        book = issues.load_state(call.website.id)
    open_rules = book.open_rules() if book is not None else {}
    shown_rows = (shaped(Page, row, **_listed(row, open_rules)) for row in found.rows)
    if asked.format == "csv":
        return files.of_shapes("pages", call.website.host, Page, shown_rows)
    return PageList(
        total=found.total,
        counts=None if crawl_id is None else _facets(found.counts, asked),
        page=paging.page_of(asked),
        per=asked.per,
        has_more=start + asked.per < found.total,
        offset=start,
        next_offset=paging.following(start, len(found.rows), found.total),
        truncated=False,
        pages=list(shown_rows),
    )


def _affected(website: Website, book: IssueBook | None, rule_id: str) -> frozenset[str]:
    """Return the ids of the pages that an open issue of the rule affects; for the whole website, its home page."""
    found: set[str] = set()
    for issue in book.issues if book is not None else []:
        if issue.rule_id == rule_id and issue.status in OPEN_STATUSES:
            listed = issues.load_affected_ids(website.id, issue)
            found |= listed or {ids.page_id(website.id, website.home_url)}
    return frozenset(found)


def _facets(counts: Mapping[tuple[int | None, int | None], int], asked: ListParameters) -> PageFacets:
    """Return the count of each class of status at the requested depth, and of each depth at the requested status."""
    by_status, by_depth = Counter(dict.fromkeys((*STATUS_CLASSES, UNREAD), 0)), Counter[int | None]()
    for (status, depth), count in counts.items():
        if asked.depth is None or depth == asked.depth:
            by_status[UNREAD if status is None else f"{status // 100}xx"] += count
        if asked.status is None or status in asked.status:
            by_depth[depth] += count
    unlinked = by_depth.pop(None, 0)
    of_depth = {str(depth): count for depth, count in sorted(by_depth.items())}
    return PageFacets(status=by_status, depth=of_depth | {UNLINKED: unlinked})


def _load(website: Website, page_id: str) -> pages.PageRecord:
    summary = website.summary
    record = None
    if summary is not None and is_id(page_id):
        generation = summary.generation
        record = pages.load_page(website.id, generation.crawl_id, generation.partitions, page_id)
    if record is None:
        raise not_found("page")
    return record


def _find(call: Call[NoParameters]) -> pages.PageRecord:
    return _load(call.website, call.path["pageId"])


@group.get("/sites/{siteId}/pages/{pageId}", scope="pages:read", answer=PageDetail, find=_find, summary="Read one page")
def read_page(call: Call[NoParameters]) -> PageDetail:
    """The crawler's facts of the page, its scores, and the rules that it breaks."""
    return _detail(call.website, call.found)


@dataclass(frozen=True, slots=True)
class FindingsParameters:
    url: str = text("The page's address.", default=MISSING, minimum=1)


@group.get(
    "/sites/{siteId}/pages/findings",
    scope="pages:read",
    parameters=FindingsParameters,
    answer=PageDetail,
    summary="Read one page by its address",
)
def read_page_by_address(call: Call[FindingsParameters]) -> PageDetail:
    """The same record as `GET /sites/{siteId}/pages/{pageId}`. Addresses are compared after normalisation."""
    return _detail(call.website, _load(call.website, ids.page_id(call.website.id, page_url(call.parameters.url))))


MOST_AUDITS: Final = 50


def _find_kept(call: Call[NoParameters]) -> list[tuple[AuditScore, KeptPage | None]]:
    """Return the page as each of the last audits found it (None: not found), with the audit's score, oldest audit
    first."""
    site_id, page_id = call.website.id, call.path["pageId"]
    found: list[tuple[AuditScore, KeptPage | None]] = []
    if is_id(page_id):
        found = kept_audits.load_page(site_id, page_id, list(reversed(kept_audits.newest(site_id, MOST_AUDITS))))
    if not any(page is not None for _, page in found):
        raise not_found("page")
    return found


@group.get(
    "/sites/{siteId}/pages/{pageId}/history",
    scope="pages:read",
    answer=PageHistory,
    find=_find_kept,
    summary="Read how one page changed",
)
def read_page_history(call: Call[NoParameters]) -> PageHistory:
    """A page's title, canonical address, status and score over time: one entry for each audit in which one of them
    changed.

    Pages that the last audit did not find have a history too. Results of rechecks and alerts are left out, since they
    are not audits.
    """
    found = call.found
    return PageHistory(
        page_id=call.path["pageId"],
        url=next(page.url for _, page in reversed(found) if page is not None),
        audits=len(found),
        since=instant(found[0][0].finished_at),
        versions=[_version(one) for one in reversed(timeline(found))],
    )


def _version(one: Version) -> PageVersion:
    page = one.page
    return PageVersion(
        audit_id=one.audit.id,
        at=instant(one.audit.finished_at),
        read=page is not None,
        title=None if page is None else page.title,
        canonical=None if page is None else page.canonical,
        status=None if page is None else page.status,
        page_score=None if page is None else from_tenths_or_none(page.page_score),
        changed=list(one.changed),
    )


def _listed(row: PageRow, open_rules: OpenRules) -> dict[str, Any]:
    """Return the members of a listed page that the row lacks, or has in another form."""
    return {
        "page_score": from_tenths_or_none(row.page_score),
        "aeo_score": from_tenths_or_none(row.aeo_score),
        "open_issues": sum(is_open_on(open_rules, rule_id, row.id, row.url) for rule_id in row.rules),
    }


def _detail(website: Website, record: pages.PageRecord) -> PageDetail:
    row, facts = record.row, record.facts
    return shaped(
        PageDetail,
        row,
        **_listed(row, record.rules),
        facts=None if facts is None else _facts(row, facts),
        scores=PageScores(
            page=from_tenths_or_none(row.page_score),
            aeo=from_tenths_or_none(row.aeo_score),
            categories=[
                PageCategoryScore(category=cast(Category, category), score=from_tenths(score))
                for category, score in row.category_scores.items()
            ],
        ),
        findings=[
            shaped(
                PageFinding,
                finding,
                issue_id=ids.issue_id(website.id, rule.id),
                title=rule.title,
                severity=rule.severity,
            )
            for finding in record.findings
            if is_open_on(record.rules, finding.rule_id, row.id, row.url)
            and (rule := rule_of(finding.rule_id)) is not None
        ],
        text=facts.text if facts is not None and facts.is_html else None,
        rendered=None if record.rendered is None else _rendered(record.rendered),
    )


def _rendered(page: Rendered) -> RenderedPage:
    before, after = page.before, page.after
    return RenderedPage(
        rendered_at=instant(page.rendered_at),
        words=RenderedWords(raw=before.words, rendered=after.words),
        links_after_java_script=list(page.links_added),
        title=BeforeAndAfter(before=before.title, after=after.title),
        canonical=BeforeAndAfter(before=before.canonical, after=after.canonical),
        robots=ListsBeforeAndAfter(before=list(before.robots), after=list(after.robots)),
        structured_data_types=ListsBeforeAndAfter(before=list(before.types), after=list(after.types)),
    )


def _facts(row: PageRow, facts: stored.PageFacts) -> PageFacts:
    html = facts.is_html
    canonical = next((absolute or written for written, absolute, _ in facts.canonicals), None)
    redirects, redirects_end = _redirects(row, facts)
    return shaped(
        PageFacts,
        facts,
        final_url=redirects[-1] if redirects else facts.url,
        redirects=redirects,
        redirects_end=redirects_end,
        status=facts.status or None,
        canonical=canonical,
        robots=_robots(facts),
        hreflang=[shaped(HreflangLink, link) for link in facts.hreflang],
        headings=[Heading(level=level, text=content) for level, content in facts.headings],
        word_count=(facts.words if row.own_words is None else row.own_words) if html else None,
        language=facts.lang,
        structured_data_types=facts.structured_types,
        images=Images(
            total=len(facts.images),
            without_alt=sum(image.alt is None and not image.decorative for image in facts.images),
        )
        if html
        else None,
        links=Links(incoming=row.inlinks, internal=len(facts.links), external=len(facts.external_links)),
        indexable=row.indexable,
        not_indexable_reason=row.not_indexable_reason,
    )


def _redirects(row: PageRow, facts: stored.PageFacts) -> tuple[list[str], RedirectsEnd | None]:
    """Return every hop that was followed; only the first for rows from before hops were stored."""
    if facts.redirect_to is None:
        return [], None
    if row.redirects[:1] == [facts.redirect_to]:
        return row.redirects, cast(RedirectsEnd | None, row.redirects_end)
    return [facts.redirect_to], "unread"


def _robots(facts: stored.PageFacts) -> list[RobotsDirective]:
    found = [RobotsDirective(source="meta", agent=agent, content=content) for agent, content in facts.robots_meta]
    lines = lines_of(facts.headers, "x-robots-tag")
    return found + [RobotsDirective(source="header", agent="robots", content=line) for line in lines]
