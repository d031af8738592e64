"""What holds of every suggested title: ten thousand titles, and whatever a title holds."""

import random
import re
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.domain.page.stop_words import ALL_STOP_WORDS, STOP_WORDS
from chalicelib.domain.page.text import fold
from chalicelib.domain.page.widths import title_px
from chalicelib.suggestions.choice import choose
from chalicelib.suggestions.shortened_titles import shortened
from chalicelib.suggestions.title_parts import SharedTitle
from chalicelib.suggestions.titles import WIDEST_PX, PageTitle, replacements, too_short
from chalicelib.suggestions.words import balanced, ends_well, split_words
from tests.lengths import examples
from tests.suggestions.title_samples import ACME, ERLANG, NOUNS, PLAIN, SMALL

_SEPARATORS = (" | ", " – ", " — ", " - ", " · ", " • ", " » ", " :: ")
_MARKS = (": ", ", ", "; ", "? ", "! ", ". ", " (", ") ", " [", "] ", ' "', '" ', "… ", " & ")
_SPLIT = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def _title(draw: random.Random) -> PageTitle:
    """A page whose title has parts of words, stop words and marks, joined by separators."""
    lang = draw.choice(sorted(NOUNS))
    parts = []
    for _ in range(draw.randint(1, 5)):
        words = [draw.choice(NOUNS[lang] if draw.random() < 0.7 else SMALL[lang]) for _ in range(draw.randint(1, 9))]
        parts.append("".join(word + (draw.choice(_MARKS) if draw.random() < 0.25 else " ") for word in words).strip())
    title = parts[0]
    for part in parts[1:]:
        title += draw.choice(_SEPARATORS) + part
    if draw.random() < 0.5:
        title += ACME.ending or ""
    if draw.random() < 0.2:
        title = f"{draw.randint(1, 12)}. {title}"
    heading = draw.choice([parts[0], parts[-1], " ".join(parts[0].split()[:3]), ""])
    slug = "-".join(split_words(heading)[:3]) or "page"
    url = f"https://a.example/{draw.randrange(10**9)}/{slug}"
    return PageTitle(url, " ".join(title.split()), heading, None, lang)


def _is_in_order(words: list[str], among: list[str]) -> bool:
    remaining = iter(among)
    return all(word in remaining for word in words)


@settings(max_examples=examples(300), deadline=None)
@given(st.data())
def test_a_suggested_title_is_wider_than_the_short_one(data: st.DataObject) -> None:
    lang = data.draw(st.sampled_from(sorted(NOUNS)))
    words = st.lists(st.sampled_from([*NOUNS[lang], *SMALL[lang][:5]]), min_size=1, max_size=4).map(" ".join)
    number = st.sampled_from(["", "1. ", "2.3 ", "IV. ", "A.1. ", "7 "])
    own, tail = data.draw(words), data.draw(st.sampled_from(["", ACME.ending or "", " - Tents", " – Acme"]))
    title = f"{data.draw(number)}{own}{tail}"
    h1 = f"{data.draw(number)}{data.draw(words)}{data.draw(st.sampled_from(['', '¶', ' (3)', ' [edit]', ':', ' ?']))}"
    page = PageTitle("https://a.example/page", title, h1, data.draw(st.none() | words), lang)
    for shared in (ACME, ERLANG, PLAIN, SharedTitle()):
        for text, source in replacements(page, shared, frozenset({"short"})):
            assert title_px(text) > title_px(title) and not too_short(text)
            assert title_px(text) <= WIDEST_PX
            assert source in ("h1", "og_title", "title")
            assert not set("¶§") & set(text) and not text.endswith(("(3)", "[edit]", ":"))
            assert re.match(r"(?:\d+\.|IV\.|A\.1\.)\s", text) is None
            if tail == ACME.ending and shared is ACME:
                assert text.endswith(tail)


@settings(max_examples=examples(20))
@given(st.integers(0, 2**32))
def test_shortened_titles_in_eight_languages_fit_and_are_unique(seed: int) -> None:
    """Suggestions fit, are whole words of the title in their order, end well, and are unique on the website."""
    draw = random.Random(seed)
    pages = {page.url: page for page in (_title(draw) for _ in range(500))}
    present = {fold(page.title or "") for page in pages.values()}
    wanted = {url: shortened(page, ACME) for url, page in pages.items() if title_px(page.title or "") > WIDEST_PX}
    chosen = choose(wanted, present.__contains__)
    assert chosen.keys() <= wanted.keys()
    assert max(Counter(fold(one.text) for one in chosen.values()).values(), default=0) <= 1
    for url, (suggestion, source) in chosen.items():
        page = pages[url]
        assert source == "title"
        assert title_px(suggestion) <= WIDEST_PX
        assert fold(suggestion) not in present
        words = _SPLIT.findall(suggestion)
        assert _is_in_order(words, _SPLIT.findall(page.title or ""))
        assert words[-1].casefold() not in STOP_WORDS[page.lang or ""]
        assert suggestion[-1].isalnum() or suggestion[-1] in ')]?!."“»'
        assert not suggestion.endswith(("…", "..."))
        assert suggestion.count("(") == suggestion.count(")") and suggestion.count("[") == suggestion.count("]")
        assert suggestion.count('"') % 2 == 0
        assert re.match(r"\d+\.\s", suggestion) is None
        if page.lang == "fr":
            assert re.search(r"[^\W_][?!;»]", suggestion) is None
    assert choose(dict(reversed(wanted.items())), present.__contains__) == chosen
    assert {url: shortened(page, ACME) for url, page in pages.items() if url in wanted} == wanted


@settings(max_examples=examples(500))
@given(st.text(max_size=300), st.text(max_size=60))
def test_suggestions_for_any_title_are_well_formed(title: str, heading: str) -> None:
    title = " ".join(title.split())
    for suggestion, _ in shortened(PageTitle("https://a.example/p", title, heading, None, None), ACME):
        assert title_px(suggestion) <= WIDEST_PX
        assert balanced(suggestion) and ends_well(suggestion, ALL_STOP_WORDS)
        assert _is_in_order(split_words(suggestion), split_words(title))
