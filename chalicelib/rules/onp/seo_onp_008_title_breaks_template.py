"""SEO-ONP-008: a title without the part that all other titles of the website share."""

import re
from collections import Counter
from typing import Final, NamedTuple

from chalicelib.domain.page.text import fold
from chalicelib.domain.page.widths import title_px
from chalicelib.rules.context import Page, Site
from chalicelib.rules.duplicates import is_copy_of_home
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.onp.seo_onp_005_title_too_long import WIDEST_PX
from chalicelib.rules.onp.seo_onp_006_title_says_nothing import says_nothing
from chalicelib.rules.series import is_later_page
from chalicelib.rules.wording import quoted, spelled
from chalicelib.suggestions.first_words import PAGE_NOUNS
from chalicelib.suggestions.words import split_words

LEAST_SHARE: Final = 0.7
LEAST_TITLES: Final = 10
# If this many titles share another ending or beginning, they follow another template, such as that of a second
# language.
OTHER_TEMPLATE: Final = 3

_SHORTEST_NAME: Final = 3  # letters
_SEPARATOR: Final = re.compile(r"\s*(?:\||::|»|•|·)\s*|\s+[-–—]\s+|:\s+")


class Template(NamedTuple):
    """The part with which the titles of a website end (or begin), including the separator. Of several spellings, it is
    the most frequent one. ``titles``: how many of the ``of`` titles follow the template."""

    part: str
    mark: str
    at_end: bool
    titles: int
    of: int
    others: frozenset[tuple[str, bool]]  # folded parts of smaller templates, and whether each is at the end
    other_marks: frozenset[str]  # separators that join the same part on as many titles as a smaller template has

    @property
    def shown(self) -> str:
        return self.mark + self.part if self.at_end else self.part + self.mark


def _parts(title: str) -> list[tuple[str, str, bool]]:
    """Return (part, separator, whether at the end) of the first and the last part of a title."""
    marks = [match for match in _SEPARATOR.finditer(title) if match.start() > 0 and match.end() < len(title)]
    if not marks:
        return []
    last, first = marks[-1], marks[0]
    return [(title[last.end() :], last[0], True), (title[: first.start()], first[0], False)]


def template_of(site: Site) -> Template | None:
    """Return the website's title template. Returns None if there are fewer than ten different titles, or if fewer than
    70% of the titles or of the pages follow the template with its separator."""
    titles = [address.title for address in site.indexable() if address.title and address.url != site.home_url]
    different = {fold(title): title for title in titles}
    if len(different) < LEAST_TITLES:
        return None
    shared: Counter[tuple[str, bool]] = Counter()
    joined: Counter[tuple[str, bool, str]] = Counter()  # like ``shared``, but also by separator
    written: dict[tuple[str, bool, str], Counter[tuple[str, str]]] = {}
    having: dict[tuple[str, bool, str], set[str]] = {}
    for title in titles:
        for part, mark, at_end in _parts(title):
            key = (fold(part), at_end, mark.strip())
            shared[key[:2]] += 1
            joined[key] += 1
            written.setdefault(key, Counter())[part, mark] += 1
            having.setdefault(key, set()).add(title)
    if not joined:
        return None
    key, count = min(joined.items(), key=lambda item: (-item[1], not item[0][1], item[0]))
    if count < LEAST_SHARE * len(titles):
        return None
    following = sum(title in having[key] for title in different.values())
    if following < LEAST_SHARE * len(different):
        return None
    part, mark = min(written[key].items(), key=lambda item: (-item[1], item[0]))[0]
    others = frozenset(other for other, number in shared.items() if number >= OTHER_TEMPLATE and other[0] != key[0])
    marks = frozenset(other[2] for other, number in joined.items() if number >= OTHER_TEMPLATE and other[:2] == key[:2])
    return Template(part, mark, key[1], count, len(titles), others, marks)


def check(page: Page, site: Site) -> PageVerdict:
    template = site.once(template_of)
    if template is None or page.is_home or is_copy_of_home(page) or page.facts.in_frame:
        return NOT_APPLICABLE
    title = page.facts.title
    if not title or not page.canonical_is_self or is_later_page(page.url, site) or says_nothing(page, site) is not None:
        return None
    folded = fold(template.part)
    parts = _parts(title)
    seen = "without it"
    for part, mark, at_end in parts:
        if fold(part) == folded and at_end == template.at_end:
            if mark.strip() == template.mark.strip() or mark.strip() in template.other_marks:
                return None
            seen = f"with {quoted(mark.strip())} for a separator"
            break
        if fold(part) == folded:
            seen = f"with it at the {'end' if at_end else 'beginning'}"
            break
        if (fold(part), at_end) in template.others:
            return None  # another template, such as that of another language
    if seen == "without it" and (_names(title, template.part) or title_px(title + template.shown) > WIDEST_PX):
        return None  # the title names the website in words, or the ending would not have fitted
    verb = "end" if template.at_end else "begin"
    return Finding(
        f"{template.titles} of {template.of} titles {verb} with {quoted(template.shown)}, but {quoted(title)} is "
        f"written {seen}. Use the website's title template here too.",
        {"title": title, "template": template.shown, "seen": seen, "titles": template.titles, "of": template.of},
    )


def _names(title: str, part: str) -> bool:
    """Whether a title contains the shared part, or has its words at one end, but for those for a kind of document:
    "Acme 2.1" has "Acme API documentation"."""
    name = [word for word in split_words(fold(part)) if word not in PAGE_NOUNS]
    words = split_words(fold(title))
    at_end = name in (words[: len(name)], words[-len(name) :]) if name else False
    return fold(part) in fold(title) or (at_end and len("".join(name)) >= _SHORTEST_NAME)


RULE = Rule(
    id="SEO-ONP-008",
    title="Title breaks the site's title template",
    category="ONP",
    severity="low",
    confidence="likely",
    scope="page",
    population="indexable",
    weight=2,
    effort="low",
    writable_field="title",
    what=f"At least {LEAST_SHARE:.0%} of the website's titles share a beginning or an ending, such as the website's "
    f"name, and there are at least {spelled(LEAST_TITLES)} different titles. This title lacks the shared part, has "
    "it at the other end, or joins it with another separator.",
    why="A name in the same place in every title makes the website recognisable in search results. If one title lacks "
    "the name, somebody usually forgot to set the title template there.",
    fix="Use the same title template as on the other pages, or add the shared part by hand.",
    not_when="The home page and copies of it, menus whose links open in another frame, and later pages of a list are "
    "left out. Pages that name another page as canonical are left out. If few titles of a website differ, or "
    "if all pages with the shared part have one title, nothing is reported. Titles are left out if the shared "
    "part, or its name without words like “documentation”, is inside their text (“How Acme makes tents”), or if they "
    "would be too long with this part. Titles "
    f"are also left out if they follow another template of at least {spelled(OTHER_TEMPLATE)} pages, such as the one "
    "of another language, or the same part with another separator.",
    source="This service set the limits. The audit tool squirrelscan has a similar check.",
    page_check=check,
    title_need="template",
    cause=("template",),
)
