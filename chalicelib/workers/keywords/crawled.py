"""Loads the published pages of the last audit, for keyword tasks."""

from collections.abc import Collection
from typing import Final, NamedTuple

from chalicelib.domain.audit.issues import OPEN_STATUSES, IssueBook
from chalicelib.domain.audit.records import PageRow
from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.search.addresses import page_key
from chalicelib.rules import registry
from chalicelib.rules.address import kind_of
from chalicelib.rules.kw.model import KnownPage
from chalicelib.rules.kw.suggesting import Own
from chalicelib.store import crawls, pages
from chalicelib.store.websites import Website
from chalicelib.suggestions.page_text import PageText

_SEVERE: Final = frozenset({"critical", "high"})


class Crawled(NamedTuple):
    """The pages of the last audit, for keyword tasks.

    - ``known``: the pages, each by the key that all its addresses share (``page_key``).
    - ``own``: the texts of pages for which values may be suggested, by the same key.
    - ``rows``: the published list of pages.
    """

    known: dict[str, KnownPage]
    own: dict[str, Own]
    rows: list[PageRow]


def crawled(website: Website, book: IssueBook, searched: Collection[str], *, headings_of_all: bool = False) -> Crawled:
    """Load the published pages of an audited website, some of them with their headings.

    - ``searched``: the keys of pages that search showed for a known query. Their texts and headings are loaded.
    - ``headings_of_all``: whether to load the headings of all other indexable pages too.
    """
    assert website.summary is not None
    rows = pages.load_list(website.id, website.summary.generation.crawl_id)
    severe = _severe(book)
    known: dict[str, KnownPage] = {}
    places: dict[tuple[str, int], dict[str, str]] = {}
    for row in sorted(rows, key=lambda one: one.url):
        key = page_key(row.url)
        if row.status is None or (key in known and not row.indexable):
            continue
        known[key] = KnownPage(
            row.url,
            row.status,
            row.indexable,
            row.title,
            headings=None,
            defects=[severe[rule_id] for rule_id in row.rules if rule_id in severe],
            inlinks=row.inlinks,
        )
        if (key in searched or (headings_of_all and row.indexable)) and row.facts_crawl is not None:
            places.setdefault((row.facts_crawl, row.facts_block), {})[row.url] = key
    own: dict[str, Own] = {}
    for (crawl_id, number), wanted in sorted(places.items()):
        for facts in crawls.load_facts_block(crawl_id, number):
            key = wanted.get(facts.url, "")
            if key and known[key].url == facts.url:
                known[key] = known[key]._replace(headings=facts.headings, language=_language(facts.lang))
                if key in searched:
                    own[key] = _own(facts, website.name)
    return Crawled(known, own, rows)


def _severe(book: IssueBook) -> dict[str, str]:
    """Return the titles of rules with severe open issues, by rule id."""
    return {
        issue.rule_id: rule.title
        for issue in book.issues
        if issue.status in OPEN_STATUSES
        and (rule := registry.BY_ID.get(issue.rule_id)) is not None
        and rule.severity in _SEVERE
    }


def _own(facts: PageFacts, name: str) -> Own:
    headings = tuple(text for _, text in sorted(facts.headings, key=lambda one: one[0]))
    page = PageText(
        title=facts.title,
        h1=facts.shown_title or (headings[0] if headings else None),
        description=facts.description,
        og_description=facts.og_description,
        paragraphs=facts.paragraphs,
        lang=facts.lang or None,
        kind=kind_of(facts).certain,
        name=name,
        sections=facts.sections,
    )
    text = " ".join([facts.description or "", *facts.paragraphs, facts.text])
    canonical = ", ".join(dict.fromkeys(written for written, _, _ in facts.canonicals)) or None
    return Own(facts.title, headings, text, page, canonical)


def _language(lang: str | None) -> str | None:
    return lang.lower().replace("_", "-").partition("-")[0] if lang else None
