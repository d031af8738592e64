"""Descriptions taken from the page: what they are taken from, and what is never taken."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.domain.page.page_kinds import PageKind
from chalicelib.domain.page.text import fold
from chalicelib.domain.page.widths import description_px
from chalicelib.domain.suggestions.descriptions import LONGEST, SHORTEST, WIDEST_PX, PageText, advice_for, candidates
from chalicelib.domain.suggestions.words import stop_words
from tests.lengths import examples

TENTS = "Our tents for winter stand through any storm."
REPAIR = "Every seam is taped by hand and repaired for free."
PROSE = f"{TENTS} {REPAIR} They come with a bag that weighs next to nothing and holds them all."
LONG_SENTENCE = (
    "A tent for the winter has to carry snow without giving way, and that is why ours are sewn from a fabric that "
    "stretches in both directions and returns to its shape, whatever the weather on the mountain does to it."
)


def best(**page: object) -> str | None:
    found = candidates(PageText(**{"title": "Winter tents | Acme", "h1": "Winter tents", "lang": "en", **page}))  # type: ignore[arg-type]
    return found[0] if found else None


def test_the_text_for_social_networks_comes_first_where_it_has_the_right_length() -> None:
    shared = "Tents that stand through any winter storm, sewn and repaired in our own workshop."
    assert best(og_description=shared, paragraphs=[PROSE]) == shared
    assert best(og_description="Tents.", paragraphs=[PROSE]) == f"{TENTS} {REPAIR}"


def test_whole_sentences_are_taken_from_the_first_good_paragraph() -> None:
    assert best(paragraphs=[PROSE]) == f"{TENTS} {REPAIR}"


def test_two_short_paragraphs_are_joined_in_their_order() -> None:
    first, second = "Tents for the winter are our oldest trade.", "Every seam is taped by hand in the old mill."
    assert best(paragraphs=[first, second]) == f"{first} {second}"


def test_a_long_sentence_is_cut_where_a_clause_ends() -> None:
    beginning = "Our winter tents are sewn from a strong fabric that stretches in both directions"
    first_clause = LONG_SENTENCE[: LONG_SENTENCE.index(",")]
    assert best(paragraphs=[f"{beginning}; {LONG_SENTENCE}"]) == f"{beginning}; {first_clause}"
    assert best(paragraphs=[f"{beginning}, {LONG_SENTENCE.replace(',', '')}"]) == beginning
    assert best(paragraphs=[LONG_SENTENCE.replace(",", "")]) is None


def test_an_enumeration_is_not_cut_at_its_commas() -> None:
    listed = (
        "For winter tents we use poles, pegs, ropes, zips, buckles, seams, hooks, loops, bags, straps, rings, clips, "
        "tapes, threads, glues, patches, tubes, caps and whatever else the mountain asks for when it snows at night."
    )
    assert best(paragraphs=[listed]) is None


def test_a_description_that_is_too_long_is_cut_at_a_sentence() -> None:
    assert best(description=f"{PROSE} {LONG_SENTENCE}") == f"{TENTS} {REPAIR}"


def test_a_sentence_about_the_topic_is_found_further_down() -> None:
    paragraph = (
        "Morning came slowly over the valley where our workshop stands. It was cold. "
        "The winter tent that we had sewn the night before stood there without a single crease in it."
    )
    found = best(paragraphs=[paragraph], title="Tent tests", h1=None)
    assert found == "The winter tent that we had sewn the night before stood there without a single crease in it."


def test_a_sentence_that_refers_to_one_before_it_does_not_stand_alone() -> None:
    paragraph = (
        "Morning came slowly over the valley where our old workshop has been standing for many a year. "
        "It was the first tent that we had ever sewn in the workshop on the other side of the river."
    )
    assert candidates(PageText(title="Tent", paragraphs=[paragraph[:96]], lang="en")) == []
    assert all(not text.startswith("It was") for text in candidates(PageText(title="Tent", paragraphs=[paragraph])))


def test_a_product_is_named_where_its_first_sentence_does_not_say_which_it_is() -> None:
    sentence = "Sewn from the strongest fabric that money can buy, and light as a feather."
    assert best(title="Skarn 3", h1="Skarn 3", paragraphs=[sentence], is_product=True) == f"Skarn 3: {sentence}"
    assert best(title="Skarn 3", h1="Skarn 3", paragraphs=[sentence]) is None


@pytest.mark.parametrize(
    ("kind", "paragraph"),
    [
        (
            "a cookie notice",
            "We use cookies so that our winter tents can be shown to you in the best way that there is.",
        ),
        (
            "a notice about scripts",
            "Please enable JavaScript to see all the winter tents that we have in our shop today.",
        ),
        ("a byline", "Written by Ann Example, who has been sleeping in winter tents for more than twenty years now."),
        ("code", "Call tents.open(winter) with the number of the tent; it returns the winter tents that are free."),
        ("an address", "Find all of our winter tents at https://tents.example/winter and many more of them besides."),
        (
            "a hidden e-mail address",
            "Ask j***@*** about winter tents whenever there is something that you want to know.",
        ),
        ("a line of links", "Home | Shop | Winter tents | Summer tents | Repair | About the shop | Contact us today"),
        (
            "a line of figures",
            "Winter tents 2024: 12, 14, 18, 22, 36, 48, 52, 64 and 73 pieces on 31.12.2024 at 23:59.",
        ),
        ("shouting", "WINTER TENTS FOR EVERYBODY WHO WANTS TO SLEEP ON A MOUNTAIN WITHOUT FREEZING AT NIGHT."),
        ("another subject", "Our kitchen serves soup from morning to evening, and bread that the neighbour bakes."),
        (
            "a text that somebody cut off",
            "Our winter tents stand through any storm that a mountain can send them, and then …",
        ),
    ],
)
def test_what_is_never_taken(kind: str, paragraph: str) -> None:
    assert best(paragraphs=[paragraph]) is None, kind


def test_a_number_is_no_topic() -> None:
    paragraph = "One portion weighs little and leaves you hungry enough for another dinner tonight."
    assert best(title="Curry for one", h1=None, paragraphs=[paragraph]) is None


def test_what_the_page_says_already_is_no_suggestion() -> None:
    assert best(description=f"{TENTS} {REPAIR}", og_description=f"{TENTS} {REPAIR}", paragraphs=[]) is None


@pytest.mark.parametrize("kind", ["account", "empty_archive", "search"])
def test_log_in_empty_and_search_pages_get_no_description(kind: str) -> None:
    assert best(kind=PageKind(kind), paragraphs=[PROSE], og_description=PROSE[:120]) is None  # type: ignore[arg-type]


def test_a_list_of_posts_gets_only_what_was_written_about_the_list() -> None:
    about = "All that we have written about winter tents in twenty years on the mountain, newest first."
    assert best(kind=PageKind("archive"), paragraphs=[PROSE]) is None
    assert best(kind=PageKind("archive"), paragraphs=[PROSE], og_description=about) == about


@pytest.mark.parametrize(
    ("kind", "recommended"),
    [
        (PageKind("legal", "privacy"), "leave_or_noindex"),
        (PageKind("archive"), "leave_or_noindex"),
        (PageKind("empty_archive"), "add_posts_or_noindex"),
        (PageKind("account"), "noindex"),
    ],
)
def test_advice_for_pages_of_a_special_kind(kind: PageKind, recommended: str) -> None:
    advice = advice_for(kind)
    assert advice is not None
    assert (advice.page_kind, advice.legal_kind, advice.recommended) == (kind.kind, kind.legal_kind, recommended)
    assert advice.message


def test_ordinary_pages_have_no_advice() -> None:
    assert advice_for(PageKind()) is None
    assert advice_for(PageKind("contact")) is None


def test_abbreviations_end_no_sentence() -> None:
    text = "Winter tents by Dr. Example, i.e. those of 1.5 kg, are sewn by St. Gallen's best hands for the mountain."
    assert best(paragraphs=[text]) == text


def test_other_languages_are_read_too() -> None:
    german = "Unsere Zelte für den Winter halten jedem Sturm stand. Jede Naht wird von Hand geprüft und versiegelt."
    assert best(title="Winterzelte", h1="Zelte", paragraphs=[german], lang="de") == german
    french = "Nos tentes d'hiver résistent à toutes les tempêtes. Chaque couture est vérifiée à la main chez nous."
    assert best(title="Tentes d'hiver", h1="Tentes", paragraphs=[french], lang="fr") == french
    japanese = "冬山のテントはどんな嵐にも耐えます。"  # 18 characters, as wide as 36
    assert best(title="テント", h1="冬山のテント", paragraphs=[japanese * 4], lang="ja") == japanese * 3


_WORDS = (
    "tent winter storm seam river bread stone light paper walk slowly under carries finds opens with the a of".split()
)
_ENDS = (".", "!", "?", "…", "", ":", " –")


def _text(draw: random.Random) -> str:
    pieces = []
    for _ in range(draw.randint(0, 30)):
        pieces.append(draw.choice(_WORDS) + draw.choice(("", "", "", "", ",", ";", ".", "!", " (", ")", '"', " |")))
    return " ".join(" ".join(pieces).split()).capitalize() + draw.choice(_ENDS)


@settings(max_examples=examples(40))
@given(st.integers(0, 2**32))
def test_descriptions_hold_nothing_that_is_not_on_the_page_and_fit(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(50):
        page = PageText(
            title=_text(draw)[:60],
            h1=_text(draw)[:40] or None,
            description=draw.choice((None, _text(draw))),
            og_description=draw.choice((None, _text(draw))),
            paragraphs=[_text(draw) for _ in range(3)],
            lang=draw.choice((None, "en", "de")),
            is_product=draw.random() < 0.3,
        )
        sources = [text for text in (page.description, page.og_description, *page.paragraphs) if text]
        found = candidates(page)
        assert found == candidates(page)
        for text in found:
            assert SHORTEST <= len(text) <= LONGEST  # no wide characters here
            assert description_px(text) <= WIDEST_PX
            assert fold(text) != fold(page.description or "")
            is_sentence = text.rstrip(')"').endswith((".", "!", "?"))
            assert is_sentence or text.rstrip(')"').split()[-1].casefold() not in stop_words(page.lang)
            taken = text.removeprefix(f"{page.h1}: ") if page.is_product else text
            assert _pieced_together(taken, sources), (text, sources)


def _pieced_together(text: str, sources: list[str]) -> bool:
    """Whether a text stands in one source, or begins in one and goes on in another, in their order."""
    if any(text in source for source in sources):
        return True
    cuts = [at for at, character in enumerate(text) if character == " "]
    return any(
        text[:cut] in sources[number] and any(text[cut + 1 :] in after for after in sources[number + 1 :])
        for cut in cuts
        for number in range(len(sources))
    )
