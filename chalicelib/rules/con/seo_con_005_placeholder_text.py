"""SEO-CON-005: a text that nobody meant to publish."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from chalicelib.domain.page.text import fold
from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import counted, quoted

_SEEN: Final[Mapping[str, str]] = {
    "lorem": "filler text",
    "template": "template code that was not filled in",
    "shortcode": "a shortcode that was not replaced",
    "markdown": "markup that was not converted",
    "post": "the sample post of a new website",
}
_ADVICE: Final[Mapping[str, str]] = {
    "lorem": "Write the text, or take the block out of the page.",
    "template": "Fill in the variable, or correct its name in the template.",
    "shortcode": "Activate the plugin that the shortcode belongs to, or remove the shortcode.",
    "markdown": "Convert the markup: use the editor's link and heading buttons, or a Markdown block.",
    "post": "Delete the sample post, or replace it by a real one.",
}
_TEMPLATE: Final = re.compile(r"\{\{[^{}]{1,80}\}\}|\{%[^{}%]{1,80}%\}")
# The first words of the post that a fresh WordPress publishes, in eight languages.
_SAMPLE_POST: Final = re.compile(
    r"welcome to wordpress\. this is your first post|willkommen bei wordpress\. dies ist dein erster beitrag"
    r"|bienvenue sur wordpress\. ceci est votre premier article"
    r"|te damos la bienvenida a wordpress\. esta es tu primera entrada|bienvenido a wordpress\. esta es tu primera"
    r"|benvenut[oi] in wordpress\. questo è il tuo primo articolo|welkom bij wordpress\. dit is je eerste bericht"
    r"|boas-vindas ao wordpress\. este é o seu primeiro post|bem-vindo ao wordpress\. este é o seu primeiro"
    r"|witamy w wordpressie\. to jest twój pierwszy wpis|witaj w wordpressie\. to twój pierwszy wpis"
)
_SAMPLE_WITHIN: Final = 400  # characters


def found_on(page: Page) -> Iterator[tuple[str, str]]:
    """(kind, excerpt) of every placeholder of the page."""
    facts = page.facts
    heading = next((text for level, text in facts.headings if level == 1), "")
    about_filler = "lorem ipsum" in fold(f"{facts.title or ''} {heading}")  # then the page is about it
    for kind, excerpt in facts.placeholders:
        if not (kind == "lorem" and about_filler):
            yield kind, excerpt
    for text in (facts.title, facts.description):
        match = _TEMPLATE.search(text) if text and "{" in text else None
        if match is not None:
            yield "template", match[0]
    beginning = facts.text[:_SAMPLE_WITHIN]
    if "WordPress" in beginning and _SAMPLE_POST.search(fold(beginning)):
        yield "post", facts.text[:80]


def check(page: Page, site: Site) -> PageVerdict:
    found = list(dict.fromkeys(found_on(page)))
    if not found:
        return None
    kind, excerpt = found[0]
    more = f", and {counted(len(found) - 1, 'more place')}" if len(found) > 1 else ""
    return Finding(
        f"The page shows {_SEEN[kind]}: {quoted(excerpt, 80)}{more}. {_ADVICE[kind]}",
        {"placeholders": [{"kind": one, "text": text} for one, text in found], "advice": _ADVICE[kind]},
    )


RULE = Rule(
    id="SEO-CON-005",
    title="Placeholder text",
    category="CON",
    severity="medium",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=8,
    effort="low",
    writable_field=None,
    what="The page shows filler text (lorem ipsum), the sample post of a new WordPress, template code in braces, a "
    "shortcode in brackets, or links and headings in Markdown.",
    why="It tells every visitor that the page is not finished, and search engines index it as the content.",
    fix="Replace the text, or repair what should have replaced it: the evidence names the place.",
    not_when="Code samples (code, pre, samp, kbd) are never looked at, nor is template code that a script of the page "
    "fills in while it loads. A page whose title names lorem ipsum is about it.",
    source="What content systems and template languages leave behind when something is missing.",
    page_check=check,
    advice=_ADVICE,
)
