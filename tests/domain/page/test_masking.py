"""No text that is stored of a page carries a personal e-mail address, and no rule or suggestion suffers from that."""

import msgspec
import pytest

from chalicelib.domain.page.text import is_masked, kept
from chalicelib.suggestions import descriptions, titles
from chalicelib.suggestions.page_text import PageText
from tests.domain.page.reading import read

ADDRESS = "maximilian.mustermann@example.com"
PAGE = f"""<html lang="en"><head><title>Write to {ADDRESS}</title>
<meta name="description" content="Ask {ADDRESS} about boots.">
<meta property="og:title" content="og {ADDRESS}"><meta property="og:description" content="ogd {ADDRESS}">
<meta name="generator" content="by {ADDRESS}">
<script type="application/ld+json">{{"@type": "Organization", "name": "{ADDRESS}", "url": "https://x.test/",
"address": "{ADDRESS}", "telephone": "{ADDRESS}"}}</script>
<script type="application/ld+json">{{"@type": "Person", "email": "{ADDRESS}" "name": "x"}}</script>
<script type="application/ld+json">{{"@type": "Product", "name": "{ADDRESS}", "offers": {{"@type": "Offer"}}}}</script>
</head><body><main><h1>Of {ADDRESS}</h1><h2>Who is {ADDRESS}?</h2><p>Me.</p>
<p>{"A paragraph that is long enough to be kept as one. " * 2} {ADDRESS}</p>
<a href="/a">{ADDRESS}</a><a href="/b"><b>bold</b> {ADDRESS}</a><a href="/c" aria-label="{ADDRESS}"></a>
<a href="javascript:mail('{ADDRESS}')">mail</a><a>no {ADDRESS}</a>
<a href="/d">{"x" * 60} {ADDRESS}</a><h2>{"y" * 180} {ADDRESS}</h2>
<img src="/i.png" alt="{ADDRESS}"><address>{ADDRESS}</address></main></body></html>"""


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for item in value.items() for text in _texts(item)]
    return [text for item in value for text in _texts(item)] if isinstance(value, list | tuple) else []


def test_an_email_address_in_a_page_is_masked_in_every_stored_text() -> None:
    facts = read(PAGE)
    found = [text for text in _texts(msgspec.to_builtins(facts)) if "aximilian" in text or "mustermann" in text]
    assert found == []
    assert facts.title == "Write to m***@***"
    assert facts.description == "Ask m***@*** about boots."
    assert (facts.og_title, facts.og_description) == ("og m***@***", "ogd m***@***")


def test_the_length_of_the_original_title_is_stored() -> None:
    facts = read(f"<title>Write to {ADDRESS}</title>")
    assert facts.title_written is not None
    assert facts.title_written.characters == len(f"Write to {ADDRESS}")
    other = read("<title>Write to martha.musterfrau@example.com</title>")
    assert other.title == facts.title
    assert other.title_written is not None and other.title_written.digest != facts.title_written.digest
    assert read("<title>Write to us</title>").title_written is None


@pytest.mark.parametrize("limit", range(20, 70))
def test_a_cut_text_contains_no_part_of_an_email_address(limit: int) -> None:
    assert "aximilian" not in kept(f"Some words before {ADDRESS} and after", limit)


def test_a_title_with_a_masked_address_is_not_suggested() -> None:
    page = titles.PageTitle("https://x.test/a", None, "Ask m***@*** about winter boots", "Ask m***@*** about boots")
    assert titles.replacements(page, titles.SharedTitle(), frozenset({"missing"})) == []


def test_a_description_with_a_masked_address_is_not_suggested() -> None:
    first = "These boots keep your feet warm and dry on every path through the whole winter season."
    product = PageText(h1="Boots m***@***", title="boots", og_description=f"{first} m***@***", paragraphs=[first])
    assert not any(map(is_masked, descriptions.candidates(product)))
