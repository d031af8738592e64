"""The text of a page, told from what many pages of its template repeat."""

import random
import tracemalloc

import pytest
from msgspec.structs import replace

from chalicelib.domain.page.facts import PageFacts
from chalicelib.rules.context import Site
from chalicelib.rules.engine import Judge
from chalicelib.rules.rechecking import PublishedAudit, judge_again
from chalicelib.rules.registry import BY_ID
from tests.domain.page.reading import read
from tests.rules.builders import NOW, ORIGIN, address, links, page, site_facts, site_of
from tests.rules.suggestions_of import suggested

THIN, ALIKE = "SEO-CON-001", "SEO-CON-003"
WORDS = "tent pole hill river stove rope map boot rain ridge moor cliff".split()
MENU = "".join(f"<li><a href=/class/{name}>{name} members and functions</a></li>" for name in WORDS * 4)  # 192 words


def sentences(words: int, seed: object) -> str:
    draw = random.Random(repr(seed))
    return " ".join(f"{draw.choice(WORDS)}{draw.randrange(400)}" for _ in range(words))


def manual_page(name: str, text: str, menu: str = MENU, title: str = "", heading: str = "") -> PageFacts:
    """A page of an old manual: no ``<main>``, its menu in a plain box before the text, a notice below."""
    html = (
        f"<!doctype html><html lang=en><head><title>{title or 'The class ' + name}</title></head>"
        f"<body><div id=top><ul>{menu}</ul></div><div class=contents><h1>{heading or name}</h1>{text}</div>"
        "<div class=foot>Made by the generator of manuals, all rights reserved by those who wrote it</div></body>"
    )
    return read(html, url=address(f"/class/{name}"), bytes=9_000, content_type="text/html")


def manual(count: int, words: int = 60) -> list[PageFacts]:
    return [
        manual_page(f"part{number}", f"<p>{sentences(words, number)}</p><p>{sentences(words, -number - 1)}</p>")
        for number in range(count)
    ]


def fired(rule_id: str, pages: list[PageFacts]) -> dict[str, dict[str, object]]:
    judge = Judge(site_of(pages), [BY_ID[rule_id]])
    found = {facts.url: judge.page(facts).findings for facts in pages}
    assert not judge.failures
    return {url.removeprefix(ORIGIN): evidence[0][1] for url, evidence in found.items() if evidence}


def own_words(site: Site) -> dict[str, int]:
    return {url.removeprefix(ORIGIN): page.own_words for url, page in site.addresses.items()}


def test_a_repeated_menu_or_notice_is_not_own_text_of_a_page() -> None:
    pages = manual(20)
    assert all(facts.words > 300 for facts in pages)
    assert set(own_words(site_of(pages)).values()) == {121}  # with the name of the class, twice 60 words


def test_the_order_of_pages_does_not_change_their_own_text() -> None:
    pages = manual(20)
    shuffled = random.Random(1).sample(pages, len(pages))
    assert own_words(site_of(shuffled)) == own_words(site_of(pages))


def test_pages_that_share_only_a_menu_are_not_duplicates() -> None:
    assert fired(ALIKE, manual(20, words=15)) == {}


def test_a_copy_is_found_among_pages_with_menus() -> None:
    pages = manual(20)
    text = sentences(200, "copied")
    pages.append(manual_page("model", f"<p>{text}</p>"))
    pages.append(manual_page("copy", f"<p>{text} and some words</p>"))
    pages.append(page("/guide/models", links=links("/class/model")))
    found = fired(ALIKE, pages)
    assert set(found) == {"/class/model", "/class/copy"}
    of_copy, of_model = found["/class/copy"], found["/class/model"]
    assert of_copy["keep"] == of_model["keep"] == address("/class/model")
    assert "All" not in str(of_copy["message"])
    assert "keep https://example.com/class/model" in str(of_copy["message"])
    assert "keep this one" in str(of_model["message"])
    assert "redirect" not in f"{of_copy['message']}{of_model['message']}"


def test_only_the_copy_gets_a_canonical_suggestion() -> None:
    text = sentences(200, "copied")
    named = {"title": "The class", "heading": "Class of tents"}
    model = manual_page("model", f"<p>{text}</p>", **named)
    pages = [*manual(6), model, manual_page("copy", f"<p>{text} and some words</p>", **named)]
    kept, copy = suggested(pages, sitemap=["/class/copy"])[ALIKE].suggestions
    assert (copy.url, copy.suggested, copy.source) == (address("/class/model"), kept.url, "near_duplicate")
    assert (kept.url, kept.suggested) == (address("/class/copy"), None)
    assert kept.note == "This is the page to keep among the pages with nearly the same text."


def test_pages_of_different_releases_get_no_canonical_suggestion() -> None:
    text = sentences(200, "copied")
    pages = [*manual(6), manual_page("19", f"<p>{text}</p>"), manual_page("20", f"<p>{text} and some words</p>")]
    offered = suggested(pages)[ALIKE].suggestions
    assert len(offered) == 2 and all(one.suggested is None and one.note for one in offered)


def test_a_page_with_two_words_of_its_own_is_thin_beside_any_menu() -> None:
    found = fired(THIN, [*manual(20), manual_page("empty", "<p>Nothing</p>")])
    assert {url: evidence["words"] for url, evidence in found.items()} == {"/class/empty": 2}
    assert found["/class/empty"]["usualWords"] == 121


@pytest.mark.parametrize(("words", "thin"), [(40, True), (98, True), (180, False), (330, False)])
def test_a_page_of_two_paragraphs_among_long_pages_is_thin(words: int, thin: bool) -> None:
    pages = [manual_page(f"part{number}", f"<p>{sentences(900 + 90 * number, number)}</p>") for number in range(12)]
    found = fired(THIN, [*pages, manual_page("short", f"<p>{sentences(words, 's')}</p>")])
    assert {url: evidence["words"] for url, evidence in found.items()} == ({"/class/short": words + 1} if thin else {})


def test_a_page_of_links_is_not_thin_and_does_not_change_the_typical_page_length() -> None:
    hub = "".join(f"<li><a href=/class/part{number}>The part {number}</a></li>" for number in range(8))
    pages = [*manual(8), *(manual_page(f"hub{number}", hub if number else hub * 3) for number in range(4))]
    assert fired(THIN, pages) == {}


def test_an_index_page_of_links_is_not_thin() -> None:
    index = "".join(f"<li><a href=/class/part{number}>part{number}</a> : kitchen file</li>" for number in range(4))
    assert fired(THIN, [*manual(8), manual_page("index-k", index)]) == {}
    three = "".join(f"{sentences(8, number)} <a href=/class/part{number}>part{number}</a> " for number in range(3))
    assert set(fired(THIN, [*manual(8), manual_page("prose", f"<p>{three}</p>")])) == {"/class/prose"}


def test_a_code_word_that_many_pages_share_still_counts_as_own_text() -> None:
    pages = [
        manual_page(f"part{number}", f"<p>{sentences(50, number)} <code>int</code> {sentences(50, -number - 1)}</p>")
        for number in range(20)
    ]
    assert set(own_words(site_of(pages)).values()) == {102}


def test_slightly_changed_copies_are_duplicates_and_not_thin() -> None:
    text = "".join(f"<p>{sentences(40, ('copied', number))}</p>" for number in range(5))
    copies = [manual_page(f"copy{number}", f"{text}<p>Only of number {number}</p>") for number in range(6)]
    pages = [*manual(34), *copies]
    assert fired(THIN, pages) == {}
    assert set(fired(ALIKE, pages)) == {f"/class/copy{number}" for number in range(6)}


def test_text_shared_by_many_pages_is_not_own_text() -> None:
    text = "".join(f"<p>{sentences(40, ('copied', number))}</p>" for number in range(5))
    pages = [manual_page(f"copy{number}", f"{text}<p>Only of number {number}</p>") for number in range(12)]
    found = fired(THIN, pages)
    assert {evidence["words"] for evidence in found.values()} == {5}
    assert len(found) == 12
    assert "5 words of its own and 406 that many pages repeat. Say" in str(found["/class/copy0"]["message"])
    assert fired(ALIKE, pages) == {}


def test_no_text_counts_as_repeated_if_a_website_has_few_pages() -> None:
    site = site_of(manual(4))
    assert own_words(site) == {url.removeprefix(ORIGIN): page.words for url, page in site.addresses.items()}


def test_text_that_pages_with_other_templates_repeat_is_not_own_text() -> None:
    home = manual_page("home", f"<p>{sentences(50, 'home')}</p>")
    home.url = address("/")
    assert own_words(site_of([*manual(12), home]))["/"] == 51


def test_paragraphs_repeated_on_many_pages_are_not_suggested() -> None:
    notice = "<p>We use cookies on this website to measure what visitors do, and you may refuse all of them below.</p>"
    pages = [manual_page(f"part{number}", f"{notice}<p>{sentences(30, number)}.</p>") for number in range(12)]
    site = site_of(pages)
    assert all(facts.paragraphs[0].startswith("We use cookies") for facts in pages)
    kept = [site.own_text.paragraphs(facts, site.addresses[facts.url].template) for facts in pages]
    assert kept == [[f"{sentences(30, number)}."] for number in range(12)]


def test_own_text_is_recognised_in_languages_without_spaces() -> None:
    menu = "".join(f"<li><a href=/class/{number}>各部分的成员和函数{number}</a></li>" for number in range(12))
    texts = ["".join(chr(0x4E00 + (number * 91 + place * 7) % 5_000) for place in range(200)) for number in range(12)]
    pages = [manual_page(f"部分{number}", f"<p>{text}</p>", menu) for number, text in enumerate(texts)]
    assert all(95 <= words <= 110 for words in own_words(site_of(pages)).values())


def test_a_recheck_uses_the_same_repeated_text_as_an_audit() -> None:
    pages = [*manual(20), manual_page("empty", "<p>Nothing</p>")]
    by_audit = fired(THIN, pages)["/class/empty"]
    fresh = manual_page("empty", "<p>Nothing</p>")
    found = judge_again(
        BY_ID[THIN],
        site_facts(),
        listed=[fresh.url],
        audit=PublishedAudit({facts.url: facts for facts in pages}),
        fresh={fresh.url: fresh},
        images=(),
        now=NOW,
    )
    assert found.outcomes[fresh.url].outcome == "present"
    assert found.outcomes[fresh.url].evidence == by_audit


def test_finding_repeated_text_on_two_thousand_pages_takes_bounded_memory() -> None:
    pages = manual(40)
    large = manual_page("large", "".join(f"<p>{sentences(3, number)}</p>" for number in range(1_500)))
    many = []
    for number in range(2_000):
        facts = pages[number % 40]
        url = address(f"/class/part{number}")
        many.append(replace(facts, url=url, text_hash=str(number), blocks=large.blocks))
    assert len(large.blocks) == 5_000
    tracemalloc.start()
    site = site_of(many)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert all(not page.blocks for page in site.addresses.values())
    assert peak < 60_000_000
