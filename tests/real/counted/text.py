"""Rules about the text and the size of pages."""

import re
from collections import defaultdict
from collections.abc import Callable

from tests.real.counted.regions import content_text
from tests.real.reading import Page, Website

LEAST_WORDS = 50
_UNSPACED = re.compile("[\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f]")

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_END_PARAGRAPHS = frozenset(
    "address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer"
    " form h1 h2 h3 h4 h5 h6 header hgroup hr html li main menu nav ol pre search section summary"
    " table td th ul".split()
)


def word_count(text: str) -> int:
    """Words between spaces; two Chinese or Japanese characters are one."""
    unspaced = len(_UNSPACED.findall(text))
    if not unspaced:
        return len(text.split())
    return (unspaced + 1) // 2 + len(re.findall(r"\S*\w\S*", _UNSPACED.sub(" ", text)))


def fingerprint(page: Page) -> str:
    """The main text without white space and case; empty where it is too short to compare."""
    known = page.memo.get("fingerprint")
    if known is None:
        text = content_text(page)
        known = page.memo["fingerprint"] = "".join(text.casefold().split()) if word_count(text) >= LEAST_WORDS else ""
    return known


def first_page(url: str) -> str:
    """The address of the first page of a paginated series."""
    return re.sub(r"/page/\d+/?$", "/", url)


def copies(website: Website) -> set[str]:
    groups: dict[str, dict[str, str]] = defaultdict(dict)
    for url, page in sorted(website.pages.items(), key=lambda item: (len(item[0]), item[0])):
        if page.indexable and page.own_canonical and fingerprint(page):
            groups[fingerprint(page)].setdefault(first_page(url), url)
    return {url for group in groups.values() if len(group) > 1 for url in group.values()}


def lone_ends_of_paragraphs(page: Page) -> int:
    """How many ``</p>`` end no open paragraph. Browsers make an empty one of each."""
    lone, is_open = 0, False
    for slash, name in _TAG.findall(re.sub(r"<!--.*?-->", "", page.text, flags=re.DOTALL)):
        if name.lower() == "p":
            lone += bool(slash) and not is_open
            is_open = not slash
        elif name.lower() in _END_PARAGRAPHS:
            is_open = False
    return lone


def element_count(page: Page) -> int:
    """The page's elements as browsers count them: a table's rows stand in a body that need not be written."""
    count = sum(isinstance(element.tag, str) for element in page.root.iter())
    for table in page.root.iter("table"):
        bare = False
        for child in table:
            if child.tag == "tr" and not bare:
                count += 1
            bare = child.tag == "tr"
    count += lone_ends_of_paragraphs(page)
    return count + (page.root.find("head") is None) + (page.root.find("body") is None and not page.frameset)


RULES: dict[str, Callable[[Website], set[str]]] = {
    "SEO-CON-002": copies,
    "SEO-PRF-005": lambda website: website.indexable(
        lambda page: len(page.reply.body) > 10_240 and "content-encoding" not in page.reply.headers
    ),
    "SEO-PRF-007": lambda website: website.indexable(lambda page: element_count(page) > 1_500),
    "SEO-SEC-001": lambda website: website.indexable(lambda page: page.url.startswith("http:")),
    "SEO-TEC-026": lambda website: website.indexable(lambda page: len(page.reply.body) > 2 * 1024 * 1024),
}
