"""SEO-LNK-010: links whose text does not say where they lead."""

from collections import Counter
from typing import Final
from urllib.parse import unquote, urlsplit

from chalicelib.domain.page.facts import LINK_LABELLED
from chalicelib.domain.page.link_words import is_vague
from chalicelib.domain.page.text import fold
from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.titles import shared_ending, without_ending
from chalicelib.rules.wording import quoted, spelled

LEAST_LINKS: Final = 3
TARGETS_SHOWN: Final = 20


def check(page: Page, site: Site) -> PageVerdict:
    facts = page.facts
    found = [(link.url, link.text) for link in facts.links if not link.flags & LINK_LABELLED and is_vague(link.text)]
    found += facts.vague_links
    if len(found) < LEAST_LINKS:
        return None
    targets = Counter(fold(text) for _, text in set(found))
    found = [
        (url, text)
        for url, text in found
        if not ((targets[fold(text)] == 1 and _is_in_path(url, text)) or _is_title(url, text, site))
    ]
    if len(found) < LEAST_LINKS:
        return None
    url, text = found[0]
    return Finding(
        f"{len(found):,} links have a text that says nothing about their target, such as {quoted(text)} to {url}; name "
        "what is there.",
        {"links": len(found), "targets": [{"url": url, "text": text} for url, text in found[:TARGETS_SHOWN]]},
    )


def _is_in_path(url: str, text: str) -> bool:
    """Whether a link's text is a part of its target's path: "Go" for /languages/go/index.html, "Link" for
    /classes/links.html."""
    parts = {fold(part.partition(".")[0]) for part in unquote(urlsplit(url).path).split("/")}
    return not parts.isdisjoint({fold(text), f"{fold(text)}s"})


def _is_title(url: str, text: str, site: Site) -> bool:
    """Whether a link's text is the title of its target, without the ending that the website's titles share."""
    target = site.addresses.get(url)
    if target is None or not target.title:
        return False
    ending = site.once(shared_ending)
    bare = without_ending(target.title, ending) if ending else None
    return fold(bare or target.title) == fold(text)


RULE = Rule(
    id="SEO-LNK-010",
    title="Non-descriptive link text",
    category="LNK",
    severity="low",
    confidence="likely",
    scope="page",
    population="links",
    weight=2,
    effort="low",
    writable_field=None,
    what=f'At least {spelled(LEAST_LINKS)} links to pages of the website have a text such as "click here" or "read '
    'more" (in one of twelve languages), and no label for assistive technology.',
    why="The text of a link tells search engines, assistants and people who use a screen reader what to expect. "
    '"Read more" says the same of every page.',
    fix='Use the name of the target, such as "Delivery times" instead of "click here". In lists of teasers, link '
    "the heading, or add the title to the link text for screen readers only.",
    not_when="A vague link does not count if the page also links its target with a meaningful text, such as the "
    "heading of a teaser. Links with aria-label, title or an image's alt text do not count. "
    'A text that equals the title of its target does not count, such as "more" for the manual of a command called '
    "more. Nor does a text with a single target whose path has it.",
    source="Lighthouse's link-text audit; WCAG 2.2, success criterion 2.4.4. This service set the limit of "
    f"{spelled(LEAST_LINKS)}.",
    page_check=check,
    cause=("template",),
)
