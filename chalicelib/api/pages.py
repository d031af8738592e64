"""Crawled pages and their findings."""

import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass
from typing import Any, ClassVar, Final, cast

from chalicelib.api import paging
from chalicelib.api.rule_texts import rule_of
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
    PageFacts,
    PageFinding,
    PageList,
    PageScores,
    RedirectsEnd,
    RenderedPage,
    RenderedWords,
    RobotsDirective,
)
from chalicelib.api.shapes.values import from_tenths, from_tenths_or_none, instant
from chalicelib.domain import ids
from chalicelib.domain.audit.issues import OPEN_STATUSES
from chalicelib.domain.audit.records import PageRecord, PageRow
from chalicelib.domain.crawl import urls
from chalicelib.domain.page import facts as stored
from chalicelib.domain.page.rendered import Rendered
from chalicelib.http.authentication import is_id
from chalicelib.http.endpoints import Call, Group
from chalicelib.http.errors import ApiError, not_found
from chalicelib.http.members import shown
from chalicelib.http.parameters import NoParameters, flag, integer, parsed, text
from chalicelib.http.parts import listed
from chalicelib.rules.model import Category
from chalicelib.store import issues, pages
from chalicelib.store.websites import Website

group = Group("pages", "Pages of the last audit, their facts, scores and findings.")


STATUS_PATTERN: Final = "^[1-5]([0-9]{2}|xx)$"
_STATUS: Final = re.compile(STATUS_PATTERN)


def statuses(raw: str) -> range:
    """The HTTP statuses that ``404`` or ``4xx`` stand for."""
    if not raw.isascii() or not _STATUS.fullmatch(raw):
        raise ValueError("an HTTP status such as 404, or a class of them such as 4xx")
    first = int(raw.replace("x", "0"))
    return range(first, first + (100 if raw.endswith("xx") else 1))


@dataclass(frozen=True, slots=True)
class ListParameters:
    q: str | None = text(
        "Part of the address or of the title, as it is written or as people read it; letter case does not matter.",
        maximum=500,
    )
    status: range | None = parsed(
        "The HTTP status: a code, or a class such as `4xx`. Addresses that were not read have none.",
        {"type": "string", "minLength": 3, "maxLength": 3, "pattern": STATUS_PATTERN},
        statuses,
    )
    template: str | None = text("The page template, as pages name it.", maximum=200, minimum=1)
    indexable: bool | None = flag(
        "Whether search engines may index the page. Addresses that were not read match neither."
    )
    page: int = integer("Which page of the list.", default=1, minimum=1)
    per: int = integer("Pages on a page of the list.", default=50, minimum=1, maximum=200)
    offset: int | None = paging.offset_instead_of_page()

    CHECKS: ClassVar = (paging.ONE_START,)


@group.get(
    "/sites/{siteId}/pages",
    scope="pages:read",
    parameters=ListParameters,
    answer=PageList,
    summary="List a website's pages",
    parts=(listed("pages"),),
)
def list_pages(call: Call[ListParameters]) -> PageList:
    """The pages of the last audit, sorted by address. Empty before the first audit.

    Addresses that are known but were not read stand among them, with `status` null.
    """
    asked, crawl_id = call.parameters, call.website.current_crawl
    found = pages.Listed([], 0)
    start = paging.start(asked)
    if crawl_id is not None:
        wanted = pages.Filter(asked.q, asked.status, asked.template, asked.indexable)
        found = pages.list_rows(call.website.id, crawl_id, wanted, start=start, count=asked.per)
    book = issues.load_state(call.website.id) if found.rows else None
    states = book.statuses() if book is not None else {}
    return PageList(
        total=found.total,
        page=paging.page_of(asked),
        per=asked.per,
        has_more=start + asked.per < found.total,
        offset=start,
        next_offset=paging.following(start, len(found.rows), found.total),
        truncated=False,
        pages=[shaped(Page, row, **_listed(row, states)) for row in found.rows],
    )


def _load(website: Website, page_id: str) -> PageRecord:
    summary = website.summary
    record = None
    if summary is not None and is_id(page_id):
        generation = summary.generation
        record = pages.load_page(website.id, generation.crawl_id, generation.partitions, page_id)
    if record is None:
        raise not_found("page")
    return record


def _find(call: Call[NoParameters]) -> PageRecord:
    return _load(call.website, call.path["pageId"])


@group.get("/sites/{siteId}/pages/{pageId}", scope="pages:read", answer=PageDetail, find=_find, summary="Read one page")
def read_page(call: Call[NoParameters]) -> PageDetail:
    """What the crawler read of the page, its scores, and the rules that fire on it."""
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
    url = urls.normalise(call.parameters.url)
    if url is None:
        sent = shown(call.parameters.url)
        raise ApiError("bad_url", f"`url` must be an absolute http(s) address, not {sent}.", param="url")
    return _detail(call.website, _load(call.website, ids.page_id(call.website.id, url)))


def _listed(row: PageRow, statuses: Mapping[str, str]) -> dict[str, Any]:
    """The members of a page in a list that the row does not have as they are shown."""
    return {
        "page_score": from_tenths_or_none(row.page_score),
        "aeo_score": from_tenths_or_none(row.aeo_score),
        "open_issues": sum(statuses.get(rule_id) in OPEN_STATUSES for rule_id in row.rules),
    }


def _detail(website: Website, record: PageRecord) -> PageDetail:
    row, facts = record.row, record.facts
    return shaped(
        PageDetail,
        row,
        **_listed(row, record.statuses),
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
            if record.statuses.get(finding.rule_id) in OPEN_STATUSES and (rule := rule_of(finding.rule_id)) is not None
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
    """Every hop as it was followed; the first alone where the row is older than that hops are kept."""
    if facts.redirect_to is None:
        return [], None
    if row.redirects[:1] == [facts.redirect_to]:
        return row.redirects, cast(RedirectsEnd | None, row.redirects_end)
    return [facts.redirect_to], "unread"


def _robots(facts: stored.PageFacts) -> list[RobotsDirective]:
    found = [RobotsDirective(source="meta", agent=agent, content=content) for agent, content in facts.robots_meta]
    header = facts.headers.get("x-robots-tag")
    if header is not None:
        found.append(RobotsDirective(source="header", agent="robots", content=header))
    return found
