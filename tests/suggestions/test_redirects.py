"""Where an address that is gone should lead: the page that is clearly alike, and none where it is not clear."""

import random
import time
from collections.abc import Sequence
from difflib import SequenceMatcher

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.domain.crawl.urls import normalise, path_and_query
from chalicelib.suggestions import redirects
from chalicelib.suggestions.redirects import Gone, Page, Proposed, proposals
from tests.lengths import examples

SITE = "https://a.example"
WORDS = ("tents", "boots", "winter", "stoves", "ropes", "maps", "de", "en", "page", "2023", "12", "zelte", "a")


def proposed(
    gone: str, *pages: tuple[str, str | None], texts: Sequence[str] = (), queries: Sequence[str] = ()
) -> Proposed | None:
    known = [Page(SITE + url, title) for url, title in pages]
    return proposals([Gone(SITE + gone, texts, queries)], known).get(SITE + gone)


@pytest.mark.parametrize(
    ("gone", "target", "because"),
    [
        ("/old/winter-tents.html", "/tents/winter-tents/", "name"),
        ("/2019/05/12/winter-tents/", "/tents/winter-tents/", "name"),
        ("/tents/winter-tents-2", "/tents/winter-tents/", "address"),
        ("/winter-tents-2019", "/tents/winter-tents/", "name"),
        ("/Winter_Tents.aspx", "/tents/winter-tents/", "name"),
        ("/winter-tent", "/tents/winter-tents/", "address"),
        ("/wintertents", "/tents/winter-tents/", "address"),
        ("/winter-tents/index.html", "/tents/winter-tents/", "name"),
        ("/tents/winter-tents/page/9", "/tents/winter-tents/", "name"),
        ("/z%C3%BCrich-hats", "/hats/z%C3%BCrich-hats", "name"),
    ],
)
def test_a_page_with_a_similar_address_is_proposed(gone: str, target: str, because: str) -> None:
    pages = [
        ("/tents/winter-tents/", "Winter tents | Acme"),
        ("/boots/summer-boots/", "Summer boots | Acme"),
        ("/hats/z%C3%BCrich-hats", "Hats | Acme"),
        ("/", "Winter tents and boots | Acme"),
    ]
    assert proposed(gone, *pages) == Proposed(SITE + target, because)  # type: ignore[arg-type]


def test_link_texts_or_search_queries_lead_to_a_page_with_this_title() -> None:
    pages = [("/p/1", "Winter tents | Acme"), ("/p/2", "Summer boots | Acme"), ("/p/3", "Maps | Acme")]
    assert proposed("/x9", *pages, texts=["click here", "Winter tents"]) == Proposed(
        f"{SITE}/p/1", "links", "Winter tents"
    )
    assert proposed("/x9", *pages, queries=["summer boots"]) == Proposed(f"{SITE}/p/2", "search", "summer boots")


@pytest.mark.parametrize(
    ("gone", "pages"),
    [
        ("/boots", [("/a/boots", "Boots"), ("/b/boots", "Boots")]),  # equally alike
        ("/de/zelte", [("/en/zelte", "Zelte")]),  # another language
        ("/p/123", [("/p/124", "Boots"), ("/p/125", "Tents")]),  # ids alone
        ("/product.php?id=12", [("/product", "Product")]),
        ("/iphone-12", [("/iphone-13", "iPhone 13")]),
        ("/dev/tents-3.2/", [("/tents.html", "Acme")]),  # a release, and a page of that name in another folder
        ("/tents", [("/archive/tents-3.2/", "Acme")]),
        ("/tents", [("/", "Tents"), ("/de/", "Tents"), ("/index.html", "Tents")]),  # home pages
        ("/tents/page/3", [("/tents/page/2", "Tents")]),  # a page of a list
        ("/", [("/tents", "Tents")]),
        ("/" + "a-" * 1_000, [("/a", "A")]),
        ("/%FF%FE/%00", [("/tents", "Tents")]),
        ("/tents", [("/tents", "Tents")]),  # itself, as an older list has it
    ],
)
def test_without_a_clear_match_no_page_is_proposed(gone: str, pages: list[tuple[str, str]]) -> None:
    assert proposed(gone, *pages) is None


def test_a_similar_page_in_the_same_language_is_preferred() -> None:
    pages = [("/en/zelte", "Zelte"), ("/de/alle/zelte", "Zelte")]
    assert proposed("/de/zelte", *pages) == Proposed(f"{SITE}/de/alle/zelte", "name")


def test_a_word_on_every_page_does_not_count_as_a_match() -> None:
    pages = [(f"/shop/item-{number:04d}x", "Shop | Acme") for number in range(300)]
    assert proposed("/shop", *pages, texts=["Shop"]) is None


_paths = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map("-".join)
_addresses = st.lists(_paths, min_size=0, max_size=3).map(lambda parts: f"{SITE}/{'/'.join(parts)}")
_anything = st.text(max_size=60).map(lambda text: normalise(f"{SITE}/{text}")).filter(bool)
_titles = st.none() | st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join) | st.text(max_size=40)


@settings(max_examples=examples(200), deadline=None)
@given(st.data())
def test_a_proposal_is_a_known_page_and_never_a_home_page(data: st.DataObject) -> None:
    pages = data.draw(
        st.lists(st.builds(Page, _addresses | _anything, _titles), max_size=8, unique_by=lambda one: one.url)
    )
    texts = st.lists(st.text(max_size=30) | st.sampled_from(WORDS), max_size=3)
    gone = data.draw(st.lists(st.builds(Gone, _addresses | _anything, texts, texts), max_size=4))
    found = proposals(gone, pages)
    left = {page.url for page in pages} - {one.url for one in gone} - {f"{SITE}/", f"{SITE}/de", f"{SITE}/en"}
    assert {one.url for one in found.values()} <= left
    shuffled = data.draw(st.permutations(pages))
    assert proposals(gone, shuffled) == found, "the order of pages decides nothing"


def test_a_thousand_addresses_are_matched_to_ten_thousand_pages_in_seconds() -> None:
    draw = random.Random(1)
    words = ["".join(draw.choices("abcdefghij", k=7)) for _ in range(3_000)]
    pages = [
        Page(
            f"{SITE}/{draw.choice(words)}/{draw.choice(words)}-{draw.choice(words)}-shop", f"{draw.choice(words)} shop"
        )
        for _ in range(10_000)
    ]
    gone = [Gone(f"{SITE}/{draw.choice(words)}-{draw.choice(words)}-shop", ["shop"] * 5) for _ in range(1_000)]
    started = time.process_time()
    assert proposals(gone, pages)
    assert time.process_time() - started < 20


def test_long_similar_names_are_compared_quickly() -> None:
    def slug(number: int) -> str:
        return f"{SITE}/{'a' * 480}{'bcdefghij'[number % 9]}{'bcdefghij'[number // 9]}-tents"

    pages = [Page(slug(number), None) for number in range(60)]
    started = time.process_time()
    proposals([Gone(slug(70)), Gone(slug(71))], pages)
    assert time.process_time() - started < 2


def test_only_few_of_many_similar_names_are_compared_letter_by_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []

    class Counted(SequenceMatcher[str]):
        def ratio(self) -> float:
            compared.append("a pair")
            return super().ratio()

    monkeypatch.setattr(redirects, "SequenceMatcher", Counted)
    monkeypatch.setattr(redirects, "MOST_BY_LETTERS", 50)
    draw = random.Random(3)

    def slug() -> str:
        return f"tent-{''.join(draw.choices('cdefghijkl', k=5) + draw.choices('ab', k=53))}"

    pages = [Page(f"{SITE}/p/{slug()}", "Tent") for _ in range(100)]
    first = Gone(f"{SITE}/old{path_and_query(pages[0].url).removeprefix('/p')}b")
    found = proposals([first, *(Gone(f"{SITE}/old/{slug()}") for _ in range(20))], pages)
    assert len(compared) == 50 and found[first.url].url == pages[0].url
