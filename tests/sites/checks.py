"""One small check for each declared rule, written from the rule's words and apart from the service's rules.

Each returns the affected paths of a crawl, or for website rules whether the fault is there.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import pairwise

from tests.sites.reader import Crawl, Document

Check = Callable[[Crawl], set[str] | bool]

# Helvetica's advance widths, thousandths of the font size; Arial has the same.
WIDTHS = {
    **dict.fromkeys("abdeghnopquL0123456789", 556),
    **dict.fromkeys("cksvxyzJ", 500),
    **dict.fromkeys("ABEKPSVXY&", 667),
    **dict.fromkeys("CDHNRUw", 722),
    **dict.fromkeys(" ,.:;/!It", 278) | {"f": 278},
    **dict.fromkeys("FTZ", 611),
    **dict.fromkeys("GOQ", 778),
    **dict.fromkeys("ijl", 222),
    **dict.fromkeys("mM", 833),
    **dict.fromkeys("r-()", 333),
    "W": 944, "|": 260, "'": 191,
}  # fmt: skip


def pixels(text: str, size: int) -> float:
    return sum(WIDTHS.get(letter, 600) for letter in text) * size / 1000


def _pages(crawl: Crawl, wanted: Callable[[Document], object], *, indexable: bool = True) -> set[str]:
    return {path for path, page in crawl.documents.items() if (page.indexable or not indexable) and wanted(page)}


def _repeated(crawl: Crawl, value: Callable[[Document], str | None]) -> set[str]:
    groups: dict[str, set[str]] = defaultdict(set)
    for path, page in crawl.documents.items():
        text = value(page)
        if text and page.indexable:
            groups[text].add(path)
    return set().union(*(group for group in groups.values() if len(group) > 1))


def _status(crawl: Crawl, target: str) -> int:
    if target in crawl.documents:
        return 200
    return crawl.others[target].status if target in crawl.others else crawl.reader.get(target).status


def _canonical_target(crawl: Crawl, page: Document) -> str | None:
    if not page.canonicals or not page.canonicals[0].startswith(crawl.base):
        return None
    target = page.canonicals[0].removeprefix(crawl.base).partition("#")[0]
    return None if target == page.path else target


def _canonicals(crawl: Crawl, wanted: Callable[[str], object]) -> set[str]:
    targets = {path: _canonical_target(crawl, page) for path, page in crawl.documents.items()}
    return {path for path, target in targets.items() if target and not crawl.disallowed(target) and wanted(target)}


def _names_other_text(crawl: Crawl, page: Document) -> bool:
    target = crawl.documents.get(_canonical_target(crawl, page) or "")
    if target is None or not target.indexable or "noindex" in page.robots:
        return False
    both, together = page.shingles & target.shingles, page.shingles | target.shingles
    called_alike = page.title == target.title or page.texts("h1") == target.texts("h1")
    long_enough = min(len(page.shingles), len(target.shingles)) > 50
    return long_enough and not called_alike and len(both) <= 0.1 * len(together)


def _hops(crawl: Crawl, path: str) -> int:
    hops, seen = 0, {path}
    while True:
        reply = crawl.others.get(path) or (None if path in crawl.documents else crawl.reader.get(path))
        if reply is None or not 300 <= reply.status < 400:
            return hops
        path = reply.headers["location"].removeprefix(crawl.base)
        hops += 1
        if path in seen:
            return 99
        seen.add(path)


def _linking(crawl: Crawl, wanted: Callable[[str], bool]) -> set[str]:
    return {path for target, sources in crawl.inlinks.items() if wanted(target) for path in sources}


def _broken(crawl: Crawl, target: str) -> bool:
    return not crawl.disallowed(target) and _status(crawl, target) >= 400


def _near_duplicates(crawl: Crawl) -> set[str]:
    found: set[str] = set()
    pages = [page for page in crawl.documents.values() if page.indexable and len(page.shingles) > 50]
    for number, one in enumerate(pages):
        for other in pages[number + 1 :]:
            shorter, longer = sorted((len(one.shingles), len(other.shingles)))
            if shorter < 0.9 * longer or one.words == other.words:
                continue
            common = len(one.shingles & other.shingles)
            if common >= 0.9 * (shorter + longer - common):
                found |= {one.path, other.path}
    return found


def _thin(crawl: Crawl) -> set[str]:
    groups: dict[tuple[str, str], list[Document]] = defaultdict(list)
    for page in crawl.documents.values():
        kind = page.attributes("body", "class")[0]
        groups[(kind or "", (page.attributes("html", "lang")[0] or "")[:2])].append(page)
    found = set()
    for (kind, _), pages in groups.items():
        if kind in ("kind-product", "kind-contact", "kind-legal"):
            continue
        median = sorted(len(page.words) for page in pages)[len(pages) // 2]
        found |= {page.path for page in pages if len(page.words) < 200 and len(page.words) < median / 2}
    return found


def _skipped_level(page: Document) -> bool:
    levels = [
        int((node.tag or "h0")[1]) for node in page.tree.css("main h1, main h2, main h3, main h4, main h5, main h6")
    ]
    return any(after > before + 1 for before, after in pairwise(levels))


def _direct_answers(page: Document) -> bool:
    """Whether every question among the headings is followed by a paragraph of 15 to 80 words."""
    for node in page.tree.css("main h2, main h3"):
        following = node.next
        while following is not None and following.tag == "-text":
            following = following.next
        words = following.text().split() if following is not None else []
        if node.text().strip().endswith("?") and not 15 <= len(words) <= 80:
            return False
    return True


def _return_links_missing(crawl: Crawl) -> set[str]:
    def back(page: Document, target: str) -> bool:
        other = crawl.documents.get(target)
        return other is None or page.path in [path for _, path in other.alternates]

    return _pages(crawl, lambda page: not all(back(page, target) for _, target in page.alternates))


def _duplicate_alternates(page: Document) -> bool:
    named = [pair for pair in page.alternates if pair[0] != "x-default"]
    return len({path for _, path in named}) < len(named) or len({code for code, _ in named}) < len(named)


def _blocked(crawl: Crawl, agents: Iterable[str]) -> bool:
    groups = crawl.robots.split("\n\n")
    return any(
        f"User-agent: {agent}\n" in group and "Disallow: /\n" in f"{group}\n" for group in groups for agent in agents
    )


def _organization(crawl: Crawl) -> dict[str, object] | None:
    pages = [crawl.documents[path] for path in ("/", "/about/") if path in crawl.documents]
    return next((page.block("Organization") for page in pages if page.block("Organization")), None)


def _required_missing(page: Document) -> bool:
    product = page.block("Product")
    return product is not None and not ("name" in product and {"offers", "aggregateRating"} & product.keys())


def _price_differs(page: Document) -> bool:
    product = page.block("Product")
    return product is not None and "offers" in product and product["offers"]["price"] not in page.main


def _article_facts_missing(page: Document) -> bool:
    article = page.block("Article")
    return article is not None and not {"author", "datePublished"} <= article.keys()


def _without_size(page: Document) -> bool:
    return any("width" not in image.attributes for image in page.images)


def _lazy_first_image(page: Document) -> bool:
    return page.attributes("main img", "loading")[:1] == ["lazy"]


def _images(crawl: Crawl, wanted: Callable[[int, int], bool]) -> set[str]:
    found = set()
    for path, page in crawl.documents.items():
        for source in page.attributes("img", "src"):
            reply = crawl.others.get(source) or crawl.reader.get(source)
            crawl.others[source] = reply
            if wanted(reply.status, len(reply.body)):
                found.add(path)
    return found


def _slow(crawl: Crawl) -> set[str]:
    """Pages that begin to answer late, twice: a busy machine must not make a page slow."""
    late = {path for path, page in crawl.documents.items() if page.reply.seconds > 0.8}
    return {path for path in late if crawl.reader.get(path).seconds > 0.8}


def _depth(page: Document) -> int:
    return page.depth or 0


_STOCK = {"alderfell", "home", "untitled", "index", "page"}
_NAMED_LEVELS = re.compile(r"^[a-z]{2}(-[A-Z]{2})?$")

CHECKS: dict[str, Check] = {
    "SEO-ONP-001": lambda crawl: _pages(crawl, lambda page: not page.title),
    "SEO-ONP-002": lambda crawl: _repeated(crawl, lambda page: page.title),
    "SEO-ONP-003": lambda crawl: _pages(crawl, lambda page: len(page.texts("head > title")) > 1),
    "SEO-ONP-004": lambda crawl: _pages(
        crawl,
        lambda page: (
            page.title and len(page.title) < 30 and pixels(page.title, 20) < 200 and page.title.lower() not in _STOCK
        ),
    ),
    "SEO-ONP-005": lambda crawl: _pages(crawl, lambda page: page.title and pixels(page.title, 20) > 561),
    "SEO-ONP-006": lambda crawl: _pages(crawl, lambda page: (page.title or "").lower() in _STOCK),
    "SEO-ONP-008": lambda crawl: _pages(
        crawl,
        lambda page: page.title and page.title.lower() not in _STOCK and not page.title.endswith(" | Alderfell"),
    ),
    "SEO-ONP-010": lambda crawl: _pages(crawl, lambda page: not page.description),
    "SEO-ONP-011": lambda crawl: _repeated(crawl, lambda page: page.description),
    "SEO-ONP-012": lambda crawl: _pages(crawl, lambda page: pixels(page.description or "", 14) > 985),
    "SEO-ONP-013": lambda crawl: _pages(crawl, lambda page: page.description and len(page.description) < 70),
    "SEO-ONP-014": lambda crawl: _pages(crawl, lambda page: len(page.tree.css("meta[name=description]")) > 1),
    "SEO-ONP-015": lambda crawl: _pages(crawl, lambda page: not page.texts("h1")),
    "SEO-ONP-016": lambda crawl: _pages(crawl, lambda page: len(page.texts("h1")) > 1),
    "SEO-ONP-018": lambda crawl: _pages(crawl, _skipped_level),
    "SEO-ONP-019": lambda crawl: _pages(
        crawl, lambda page: not _NAMED_LEVELS.match(page.attributes("html", "lang")[0])
    ),
    "SEO-ONP-020": lambda crawl: _pages(crawl, lambda page: not page.tree.css("meta[name=viewport]")),
    "SEO-ONP-021": lambda crawl: _pages(crawl, lambda page: page.tree.css("body meta[name=robots]")),
    "SEO-ONP-022": lambda crawl: _pages(crawl, lambda page: not page.tree.css('meta[property="og:image"]')),
    "SEO-ONP-023": lambda crawl: _pages(crawl, lambda page: "nosnippet" in page.robots),
    "SEO-ONP-024": lambda crawl: _pages(crawl, lambda page: re.search("[A-Z_]", page.path)),
    "SEO-TEC-003": lambda crawl: {path for path, reply in crawl.others.items() if reply.status >= 500},
    "SEO-TEC-004": lambda crawl: {
        path for path, reply in crawl.others.items() if reply.status in (404, 410) and path in crawl.inlinks
    },
    "SEO-TEC-005": lambda crawl: _pages(crawl, lambda page: "not found" in " ".join(page.texts("h1"))),
    "SEO-TEC-008": lambda crawl: _pages(
        crawl,
        lambda page: (
            "noindex" in page.robots and page.path not in crawl.sitemap and len(crawl.inlinks.get(page.path, ())) >= 10
        ),
        indexable=False,
    ),
    "SEO-TEC-009": lambda crawl: _pages(
        crawl, lambda page: "noindex" in page.robots and page.path in crawl.sitemap, indexable=False
    ),
    "SEO-TEC-011": lambda crawl: _pages(
        crawl, lambda page: re.search(r"(?<!no)index", page.robots) and "noindex" in page.robots, indexable=False
    ),
    "SEO-TEC-012": lambda crawl: {path for path in crawl.inlinks if crawl.disallowed(path)},
    "SEO-TEC-013": lambda crawl: _pages(crawl, lambda page: not page.canonicals),
    "SEO-TEC-014": lambda crawl: _canonicals(crawl, lambda target: _status(crawl, target) >= 400),
    "SEO-TEC-015": lambda crawl: _canonicals(crawl, lambda target: 300 <= _status(crawl, target) < 400),
    "SEO-TEC-016": lambda crawl: {
        path
        for path, page in crawl.documents.items()
        if (target := _canonical_target(crawl, page))
        and (crawl.disallowed(target) or (target in crawl.documents and "noindex" in crawl.documents[target].robots))
    },
    "SEO-TEC-017": lambda crawl: _canonicals(
        crawl,
        lambda target: target in crawl.documents and _canonical_target(crawl, crawl.documents[target]),
    ),
    "SEO-TEC-018": lambda crawl: _pages(crawl, lambda page: len(set(page.canonicals)) > 1),
    "SEO-TEC-019": lambda crawl: _pages(
        crawl,
        lambda page: any(not href.startswith("https://") or "#" in href for href in page.canonicals),
    ),
    "SEO-TEC-022": lambda crawl: {
        path for path in {*crawl.inlinks, *crawl.sitemap} if not crawl.disallowed(path) and 2 <= _hops(crawl, path) < 99
    },
    "SEO-TEC-030": lambda crawl: bool(
        re.search(r"^(?!User-agent|Allow|Disallow|Sitemap|Content-Signal)\S+:", crawl.robots, re.MULTILINE)
    ),
    "SEO-TEC-034": lambda crawl: _pages(
        crawl,
        lambda page: any(".website.test" not in href for href in page.canonicals if href.startswith("https://")),
        indexable=False,
    ),
    "SEO-TEC-044": lambda crawl: _pages(crawl, lambda page: _names_other_text(crawl, page), indexable=False),
    "SEO-SMP-002": lambda crawl: any(reply.status != 200 for reply in crawl.sitemap_files.values()),
    "SEO-SMP-003": lambda crawl: {
        path
        for path in crawl.sitemap
        if not crawl.disallowed(path) and path not in crawl.inlinks and _status(crawl, path) != 200
    },
    "SEO-SMP-004": lambda crawl: _pages(
        crawl,
        lambda page: page.path in crawl.sitemap and _canonical_target(crawl, page),
        indexable=False,
    ),
    "SEO-SMP-005": lambda crawl: {path for path in crawl.sitemap if crawl.disallowed(path)},
    "SEO-SMP-006": lambda crawl: _pages(crawl, lambda page: page.path not in crawl.sitemap),
    "SEO-SMP-008": lambda crawl: len(set(crawl.sitemap.values())) <= 2,
    "SEO-LNK-001": lambda crawl: _linking(crawl, lambda target: _broken(crawl, target)),
    "SEO-LNK-002": lambda crawl: _linking(
        crawl, lambda target: not crawl.disallowed(target) and 300 <= _status(crawl, target) < 400
    ),
    "SEO-LNK-003": lambda crawl: _pages(crawl, lambda page: page.path != "/" and page.path not in crawl.inlinks),
    "SEO-LNK-005": lambda crawl: _pages(crawl, lambda page: _depth(page) > 4),
    "SEO-LNK-006": lambda crawl: _pages(crawl, lambda page: not crawl.own_links(page)),
    "SEO-LNK-007": lambda crawl: _pages(crawl, lambda page: page.tree.css('a[rel="nofollow"]')),
    "SEO-LNK-008": lambda crawl: _pages(crawl, lambda page: page.tree.css('a[href^="https://partner."]')),
    "SEO-LNK-009": lambda crawl: _pages(
        crawl, lambda page: len(page.tree.css('a[href^="javascript:"], a:not([href])')) >= 3
    ),
    "SEO-LNK-010": lambda crawl: _pages(
        crawl, lambda page: sum(text in ("click here", "read more") for text in page.texts("a")) >= 3
    ),
    "SEO-LNK-012": lambda crawl: _pages(crawl, lambda page: page.tree.css('a[href^="http://"]')),
    "SEO-IMG-001": lambda crawl: _pages(
        crawl, lambda page: any("alt" not in image.attributes for image in page.images)
    ),
    "SEO-IMG-002": lambda crawl: _pages(
        crawl, lambda page: any(len(alt) > 125 for alt in page.attributes("img", "alt"))
    ),
    "SEO-IMG-003": lambda crawl: _pages(
        crawl,
        lambda page: any(re.search(r"\.(jpe?g|png)$|^IMG_\d+$", alt) for alt in page.attributes("img", "alt")),
    ),
    "SEO-IMG-004": lambda crawl: _images(crawl, lambda status, size: status >= 400),
    "SEO-IMG-005": lambda crawl: _images(crawl, lambda status, size: size > 500_000),
    "SEO-IMG-006": lambda crawl: _pages(crawl, _without_size),
    "SEO-IMG-007": lambda crawl: _pages(crawl, _lazy_first_image),
    "SEO-IMG-008": lambda crawl: _pages(crawl, lambda page: "noimageindex" in page.robots),
    "SEO-SCH-001": lambda crawl: _pages(crawl, lambda page: None in page.blocks),
    "SEO-SCH-002": lambda crawl: _pages(crawl, _required_missing),
    "SEO-SCH-003": lambda crawl: _pages(crawl, _price_differs),
    "SEO-SCH-004": lambda crawl: _pages(
        crawl, lambda page: page.tree.css("body.kind-recipe") and not page.block("Recipe")
    ),
    "SEO-SCH-005": lambda crawl: _pages(
        crawl, lambda page: page.tree.css(".breadcrumb") and not page.block("BreadcrumbList")
    ),
    "SEO-HRE-001": _return_links_missing,
    "SEO-HRE-002": lambda crawl: _pages(
        crawl, lambda page: any(_status(crawl, target) != 200 for _, target in page.alternates)
    ),
    "SEO-HRE-003": lambda crawl: _pages(crawl, lambda page: any(code == "en-UK" for code, _ in page.alternates)),
    "SEO-HRE-004": lambda crawl: _pages(
        crawl, lambda page: page.alternates and page.path not in [path for _, path in page.alternates]
    ),
    "SEO-HRE-005": lambda crawl: _pages(
        crawl, lambda page: len(page.alternates) >= 2 and "x-default" not in dict(page.alternates)
    ),
    "SEO-HRE-006": lambda crawl: _pages(crawl, _duplicate_alternates),
    "SEO-HRE-007": lambda crawl: _pages(
        crawl,
        lambda page: any(
            target == page.path and code != "x-default" and code[:2] != page.attributes("html", "lang")[0][:2]
            for code, target in page.alternates
        ),
    ),
    "SEO-SEC-002": lambda crawl: _pages(crawl, lambda page: page.tree.css('script[src^="http://"]')),
    "SEO-SEC-003": lambda crawl: "strict-transport-security" not in crawl.home.reply.headers,
    "SEO-SEC-004": lambda crawl: (
        not {"content-security-policy", "x-content-type-options", "referrer-policy"} <= crawl.home.reply.headers.keys()
    ),
    "SEO-SEC-005": lambda crawl: _pages(crawl, lambda page: page.tree.css('form[action^="http://"]')),
    # What a speed test measures follows from what stands in the page.
    "SEO-PRF-001": lambda crawl: _pages(crawl, _lazy_first_image),
    "SEO-PRF-002": lambda crawl: _pages(crawl, _without_size),
    "SEO-PRF-004": _slow,
    "SEO-PRF-005": lambda crawl: _pages(
        crawl,
        lambda page: "content-encoding" not in page.reply.headers and len(page.reply.body) > 10_240,
        indexable=False,
    ),
    "SEO-PRF-007": lambda crawl: _pages(crawl, lambda page: len(page.tree.css("*")) > 1_500),
    "SEO-AGT-001": lambda crawl: _pages(
        crawl,
        lambda page: any(not node.text(strip=True) for node in page.tree.css("button, a[href]:not(:has(img, svg))")),
    ),
    "SEO-AGT-002": lambda crawl: _pages(crawl, _without_size),
    "SEO-CON-001": _thin,
    "SEO-CON-002": lambda crawl: _repeated(crawl, lambda page: " ".join(page.words)),
    "SEO-CON-003": _near_duplicates,
    "SEO-CON-004": lambda crawl: _pages(
        crawl, lambda page: "/category/" in page.path and not page.tree.css("main .cards")
    ),
    "SEO-CON-005": lambda crawl: _pages(crawl, lambda page: re.search(r"[Ll]orem ipsum|\{\{", page.main)),
    "SEO-CON-006": lambda crawl: _pages(crawl, lambda page: "Ã" in page.main),
    "SEO-CON-008": lambda crawl: _pages(crawl, lambda page: page.path.startswith("/account/")),
    "SEO-AEO-001": lambda crawl: _blocked(crawl, ["OAI-SearchBot", "PerplexityBot", "Claude-SearchBot", "*"]),
    "SEO-AEO-002": lambda crawl: _blocked(crawl, ["ChatGPT-User", "Claude-User", "*"]),
    "SEO-AEO-003": lambda crawl: _blocked(crawl, ["GPTBot", "ClaudeBot", "*"]),
    "SEO-AEO-004": lambda crawl: crawl.reader.get("/", User_Agent="Mozilla/5.0 (Claude-SearchBot)").status != 200,
    "SEO-AEO-005": lambda crawl: crawl.reader.get("/llms.txt").status != 200,
    "SEO-AEO-008": lambda crawl: _organization(crawl) is None,
    "SEO-AEO-012": lambda crawl: _pages(crawl, lambda page: not _direct_answers(page)),
    "SEO-AEO-013": lambda crawl: _pages(crawl, _article_facts_missing),
    "SEO-AEO-015": lambda crawl: _pages(crawl, lambda page: "max-snippet:20" in page.robots),
    "SEO-AEO-016": lambda crawl: "Content-Signal: search=yes\nDisallow: /\n" in f"{crawl.robots}\n",
}
