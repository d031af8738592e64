"""Small websites to judge: page facts with sensible defaults, and the answer of one rule about one page of them.

``page()`` is a page without a fault, so that a case says only what makes it differ.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from chalicelib.domain.content import ContentFields, ContentItem
from chalicelib.domain.page.facts import Link, PageFacts, RobotsFile, SiteFacts, SitemapFile, TargetFacts, TextFile
from chalicelib.domain.search.figures import Figures
from chalicelib.rules.context import Site, SiteBuilder
from chalicelib.rules.engine import Judge
from chalicelib.rules.registry import BY_ID
from tests.content import content_item

ORIGIN: Final = "https://example.com"
HOME: Final = ORIGIN + "/"
NOW: Final = 1_800_000_000.0

_ORGANIZATION: Final = {"name": "Example", "url": HOME, "sameAs": ["https://profiles.example.net/example"]}
_LLMS_TXT: Final = """# Example

> A website without a fault.

- [Start](https://example.com/): where to begin
"""


def page(path: str = "/page", **changes: Any) -> PageFacts:
    """The facts of a page without a fault at ``path`` (or a full address), with ``changes``."""
    url = address(path)
    facts: dict[str, Any] = {
        "url": url,
        "status": 200,
        "fetched_at": int(NOW),
        "content_type": "text/html",
        "bytes": 9_000,
        "is_html": True,
        "title": f"What there is to know about {path}",
        "title_count": 1,
        "description": f"What there is to say about {path}, in a sentence that is neither too long nor too short.",
        "description_count": 1,
        "canonicals": [(url, url, "html")],
        "lang": "en",
        "viewport": "width=device-width, initial-scale=1",
        "headings": [(1, f"About {path}")],
        "h1_count": 1,
        "words": 300,
        "text_hash": f"text of {path}",
        "shape": "article",
    }
    if url == HOME:
        facts["headers"] = {
            "strict-transport-security": "max-age=31536000",
            "content-security-policy": "default-src 'self'",
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
        }
        facts["organization"] = _ORGANIZATION
    return PageFacts(**{**facts, **changes})


def address(path: str) -> str:
    """The full address of a path of the example website; full addresses stay as they are."""
    return path if "://" in path else ORIGIN + path


def synced(path: str, *, noindex: bool | None = None) -> dict[str, ContentItem]:
    """Synced content by address: the one item of this path."""
    url = address(path)
    return {url: content_item(url, fields=ContentFields(noindex=noindex))}


def answer(path: str, status: int, **changes: Any) -> PageFacts:
    """The facts of an address that answers with ``status`` and no page."""
    facts: dict[str, Any] = {"content_type": "text/html", "bytes": 500, "is_html": True, "tries": 2}
    return PageFacts(url=address(path), status=status, **{**facts, **changes})


def document(path: str, content_type: str = "application/pdf") -> PageFacts:
    """The facts of an address that answers with a document."""
    return PageFacts(url=address(path), status=200, content_type=content_type, bytes=9_000)


def redirect(path: str, target: str, status: int = 301) -> PageFacts:
    """The facts of an address that redirects to ``target``."""
    return PageFacts(url=address(path), status=status, redirect_to=address(target))


def links(*paths: str, flags: int = 0) -> list[Link]:
    """Links to these addresses."""
    return [Link(address(path), f"to {path}", flags) for path in paths]


def robots(text: str, status: int = 200) -> RobotsFile:
    """A robots.txt with this text."""
    return RobotsFile(url=ORIGIN + "/robots.txt", status=status, text=text)


def site_facts(*, sitemap: Sequence[str] = (), **changes: Any) -> SiteFacts:
    """What is known of a website without a fault; ``sitemap`` lists the paths in its sitemap."""
    facts: dict[str, Any] = {
        "home_url": HOME,
        "host": "example.com",
        "robots": robots("User-agent: *\nDisallow:\n"),
        "sitemaps": [SitemapFile(ORIGIN + "/sitemap.xml", "robots", 200, "urlset", len(sitemap))],
        "sitemap_urls": [(address(path), None) for path in sitemap],
        "llms_txt": TextFile(ORIGIN + "/llms.txt", 200, _LLMS_TXT, len(_LLMS_TXT), "text/plain"),
    }
    return SiteFacts(**{**facts, **changes})


def shown(impressions: Mapping[str, int] | None) -> dict[str, Figures] | None:
    """Search data of pages that were shown so often, by address."""
    return None if impressions is None else {url: Figures(0, count, 10 * count) for url, count in impressions.items()}


def site_of(
    pages: Sequence[PageFacts],
    facts: SiteFacts | None = None,
    *,
    known: Sequence[str] = (),
    search: Mapping[str, int] | None = None,
    targets: Sequence[TargetFacts] = (),
    inputs: Mapping[str, Any] | None = None,
) -> Site:
    """The website that these pages make up; ``known`` are paths that were discovered but not asked for, ``targets``
    addresses that were only checked, ``inputs`` data beside the crawl (speed, rendered, content, agentic).
    """
    builder = SiteBuilder(facts or site_facts(), now=NOW, search=shown(search), **(inputs or {}))
    for item in pages:
        builder.add(item)
    for target in targets:
        builder.add_target(target)
    for path in known:
        builder.add_known(address(path))
    return builder.finish()


@dataclass(frozen=True)
class Case:
    """One line of a rule's tables: the judged page (None: the website itself), and the website around it.

    ``targets`` were only checked, ``inputs`` is data beside the crawl (see ``site_of``).
    ``seen`` is what the evidence must hold, ``says`` what its message must contain.
    """

    judged: PageFacts | None
    others: tuple[PageFacts, ...] = ()
    site: SiteFacts | None = None
    known: tuple[str, ...] = ()
    search: Mapping[str, int] | None = None
    asked: bool = True
    seen: Mapping[str, object] = field(default_factory=dict)
    says: str = ""
    targets: tuple[TargetFacts, ...] = ()
    inputs: Mapping[str, Any] = field(default_factory=dict)


def case(
    judged: PageFacts,
    *others: PageFacts,
    site: SiteFacts | None = None,
    known: Sequence[str] = (),
    search: Mapping[str, int] | None = None,
    asked: bool = True,
    seen: Mapping[str, object] | None = None,
    says: str = "",
    targets: Sequence[TargetFacts] = (),
    inputs: Mapping[str, Any] | None = None,
) -> Case:
    """A case of a page rule: the first page is judged. ``asked=False``: its address is known, nobody asked for it."""
    return Case(judged, others, site, tuple(known), search, asked, seen or {}, says, tuple(targets), inputs or {})


def site_case(
    *pages: PageFacts,
    site: SiteFacts | None = None,
    known: Sequence[str] = (),
    seen: Mapping[str, object] | None = None,
    says: str = "",
    inputs: Mapping[str, Any] | None = None,
) -> Case:
    """A case of a site rule. Without pages the website consists of its home page."""
    return Case(None, pages or (page("/"),), site, tuple(known), None, True, seen or {}, says, (), inputs or {})


@dataclass(frozen=True)
class Outcome:
    """What one rule says in a case. ``applicable`` counts the judged page (or the website), nothing else."""

    evidence: Mapping[str, Any] | None
    applicable: int
    affected: int


def outcome(rule_id: str, one: Case) -> Outcome:
    """Judge the case by one rule."""
    pages = list(one.others)
    known = list(one.known)
    if one.judged is not None:
        if one.asked:
            pages.insert(0, one.judged)
        else:
            known.append(one.judged.url)
    site = site_of(pages, one.site, known=known, search=one.search, targets=one.targets, inputs=one.inputs)
    judge = Judge(site, [BY_ID[rule_id]])
    if one.judged is None:
        findings = judge.site()
    elif one.asked:
        findings = judge.page(one.judged).findings
    else:
        findings = judge.unread(one.judged.url).findings
    assert not judge.failures, judge.failures
    tally = judge.tallies()[rule_id]
    evidence = dict(findings).get(rule_id)
    return Outcome(evidence, tally.applicable, tally.affected)
