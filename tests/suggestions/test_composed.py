"""Descriptions of pages that list: sections, entries of lists, members of classes, and what is never listed."""

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.domain.page.text import fold
from chalicelib.domain.page.widths import description_px
from chalicelib.suggestions.composed import composed, outline_of, unended
from chalicelib.suggestions.fitting import LONGEST, WIDEST_PX, is_long_enough
from chalicelib.suggestions.stock_headings import PHRASES
from tests.lengths import examples

SECTIONS = ["Choosing a place for the night", "Laying out the groundsheet", "Raising the poles"]
TOPIC = "Pitching tents in the snow"


def headed(*texts: str, level: int = 2) -> list[tuple[int, str]]:
    return [(level, text) for text in texts]


def said(
    topic: str, headings: list[tuple[int, str]], listed: list[str] | None = None, stock: frozenset[str] = frozenset()
) -> list[str]:
    outline = outline_of(topic, headings, listed or [])
    return [] if outline is None else [one.text for one in composed(outline, stock)]


def test_a_page_with_sections_is_described_by_its_headings_in_order() -> None:
    outline = outline_of(TOPIC, [(1, TOPIC), *headed(*SECTIONS)], [])
    assert outline is not None
    assert composed(outline, ()) == [(f"{TOPIC}: {', '.join(SECTIONS)}.", "headings")]


def test_a_page_of_links_is_described_by_the_linked_names() -> None:
    outline = outline_of(TOPIC, [(1, TOPIC)], SECTIONS)
    assert outline is not None
    assert composed(outline, ()) == [(f"{TOPIC}: {', '.join(SECTIONS)}.", "list")]


@pytest.mark.parametrize(
    ("heading", "members", "expected"),
    [
        (
            "Instance Method Details collapse",
            ["#pitch(place, poles) ⇒ Tent", "#take_down ⇒ void", "#dry?(hours) ⇒ Boolean", "#carry_by(people) ⇒ void"],
            "Camp::Tents::Tent – Instance methods: pitch, take_down, dry?, carry_by.",
        ),
        (
            "Method Detail",
            ["pitchInTheSnow", "takeDownInTheMorning", "dryOverTheFire", "carryByTwo"],
            "Camp::Tents::Tent – Methods: pitchInTheSnow, takeDownInTheMorning, dryOverTheFire, carryByTwo.",
        ),
        (
            "Exports",
            ["pitch_all(Places) -> [tent()]", "take_down_all(Tents) -> ok", "count_tents_in_rows(Rows) -> integer()"],
            "Camp::Tents::Tent – Exports: pitch_all, take_down_all, count_tents_in_rows.",
        ),
        (
            "Property Details",
            ["pitched_at_noon", "Returns", "Parameters", "number_of_poles", "most_people_inside"],
            "Camp::Tents::Tent – Properties: pitched_at_noon, number_of_poles, most_people_inside.",
        ),
    ],
)
def test_the_reference_page_of_a_class_is_described_by_the_names_of_its_members(
    heading: str, members: list[str], expected: str
) -> None:
    headings = [(1, "Class: Camp::Tents::Tent"), (2, heading), *headed(*members, level=3), (2, "See also")]
    assert said("Class: Camp::Tents::Tent", headings)[0] == expected


def test_a_shortened_list_ends_with_an_ellipsis() -> None:
    many = [f"Raising the pole number {'I' * count}" for count in range(1, 9)]
    (text,) = said(TOPIC, headed(*many))
    assert text.endswith(" …") and len(text) <= LONGEST
    assert unended(text) == f"{TOPIC}: {', '.join(many[: text.count(',') + 1])}"


def test_an_ellipsis_shows_that_entries_are_omitted() -> None:
    code = "Calling tent.open(key) and tents::close_all by hand"
    assert said(TOPIC, headed(*SECTIONS, code)) == [f"{TOPIC}: {', '.join(SECTIONS)} …"]
    assert said(TOPIC, [(1, TOPIC)], [*SECTIONS, code]) == [f"{TOPIC}: {', '.join(SECTIONS)} …"]
    assert said(TOPIC, headed(*SECTIONS, "See also", TOPIC)) == [f"{TOPIC}: {', '.join(SECTIONS)}."]
    pairs = ["Poles & pegs of the tent", "Ropes / strings", "Sleeping in the snow"]
    assert said(TOPIC, headed(*pairs)) == [f"{TOPIC}: {', '.join(pairs)}."]


def test_the_method_of_a_class_is_listed_even_if_it_is_named_like_a_common_heading() -> None:
    names = ["#parameters(all = true) ⇒ Object", "#pitch_tent ⇒ Tent", "#take_down ⇒ void", "Returns", "Examples"]
    headings = [(2, "Instance Method Details"), *headed(*names, level=3)]
    assert said("Camp::Tents::WinterTent", headings) == [
        "Camp::Tents::WinterTent – Instance methods: parameters, pitch_tent, take_down."
    ]


def test_numbers_steps_and_signs_of_headings_are_left_out() -> None:
    numbered = ["1 Choosing a place for the night", "2 Laying out the groundsheet", "3 Raising the poles"]
    stepped = [f"Step {at}: {text}" for at, text in enumerate(SECTIONS, 1)]
    marked = [f"{at}.2. {text} ¶" for at, text in enumerate(SECTIONS, 1)]
    deep = [f"4.14.{at} {text}" for at, text in enumerate(SECTIONS, 1)]
    assert said(TOPIC, headed(*deep, "4.14.5 Update the tent")) == [f"{TOPIC}: {', '.join(SECTIONS)}, Update the tent."]
    for texts in (numbered, stepped, marked, deep):
        assert said(TOPIC, headed(*texts)) == [f"{TOPIC}: {', '.join(SECTIONS)}."]


def test_a_list_of_mostly_common_entries_is_not_used() -> None:
    stock = frozenset(map(fold, SECTIONS[:1]))
    assert said(TOPIC, headed(*SECTIONS), stock=stock) == []
    assert said(TOPIC, [], SECTIONS, stock=stock) == []
    others = ["Tents of all makes", "Ropes of all lengths", "Poles of all woods", "Pegs of all metals"]
    stock = frozenset(map(fold, others))
    assert said(TOPIC, headed(*SECTIONS, *others), stock=stock) == [], "the fewer parts do not stand for the page"
    assert said(TOPIC, [], [*SECTIONS, *others], stock=stock) == []
    assert said(TOPIC, headed(*SECTIONS, *others[1:]), stock=stock) == [f"{TOPIC}: {', '.join(SECTIONS)}."]


def test_entries_that_many_pages_list_are_left_out() -> None:
    stock = frozenset(map(fold, SECTIONS[:1]))
    more = [*SECTIONS, "Tying the ropes to trees"]
    assert said(TOPIC, headed(*more), stock=stock) == [f"{TOPIC}: {', '.join(more[1:])}."]


def test_subsections_of_sections_with_common_headings_do_not_describe_a_page() -> None:
    stock = ["Synopsis", "Description", "Options"]
    assert said(TOPIC, [*headed(*stock), *headed(*SECTIONS, level=3)]) == []
    assert said(TOPIC, [(1, TOPIC), (2, "Description"), *headed(*SECTIONS, level=3)]) != []


def test_entries_with_commas_are_separated_by_semicolons() -> None:
    commas = ["Poles, pegs and ropes of the tent", "Sleeping in the snow", "Breakfast at five in the morning"]
    assert said(TOPIC, headed(*commas)) == [f"{TOPIC}: {'; '.join(commas)}."]
    asked = ["How is a tent pitched in snow?", "Who carries the poles?", "Where do we sleep?"]
    assert said(TOPIC, headed(*asked, "Ropes")) == [f"{TOPIC}: {' '.join(asked)}"]
    assert said(f"Camp: {TOPIC}", headed(*SECTIONS)) == [f"Camp: {TOPIC} – {', '.join(SECTIONS)}."]


def test_slogans_with_full_stops_do_not_count_as_sections() -> None:
    slogans = ["Earn revenue while you are away.", "Stay up to date with all rentals", "Stop leaving money here."]
    assert said("Rent your home within minutes", headed(*slogans)) == []
    assert said(TOPIC, headed(*SECTIONS, "Decorating with style!")) == [f"{TOPIC}: {', '.join(SECTIONS)} …"]
    assert said(TOPIC, headed("Packing etc.", *SECTIONS[1:])) != []  # an abbreviation is no sentence
    assert said(TOPIC, [*headed(*slogans, level=2), *headed(*SECTIONS, level=3)]) == []


def test_lists_in_other_scripts_use_their_own_punctuation() -> None:
    japanese = ["場所を選ぶ", "グラウンドシートを敷く", "ポールを立てる", "ロープを木に結ぶ"]
    assert said("雪の中でテントを張る方法", headed(*japanese, "Tools")) == [
        f"雪の中でテントを張る方法：{'、'.join(japanese)}。"
    ]
    arabic = ["اختيار المكان المناسب لليل", "فرش الأرضية تحت الخيمة", "رفع الأعمدة وربط الحبال"]
    assert said("نصب الخيام في الثلج", headed(*arabic)) == [f"نصب الخيام في الثلج: {'، '.join(arabic)}."]
    hebrew = ["בחירת מקום ללילה", "פריסת היריעה על הקרקע", "הרמת העמודים וקשירת החבלים"]
    assert said("הקמת אוהלים בשלג", headed(*hebrew)) == [f"הקמת אוהלים בשלג: {', '.join(hebrew)}."]


@pytest.mark.parametrize(
    "texts",
    [
        ["Raising the poles of all tents by hand"] * 40,
        ["Summary", "Overview", "Examples", "See also", "References", "Introduction", "Notes", "Description"],
        ["tents.open(key);", "if (tent == null) {", "camp::Tent::open()", "--snow --rain", "a->pitch(b)", "x = y + 1"],
        ["2024-01-12", "2024-02-13", "12:30", "1.4.2", "v2.0", "12 %", "4,99 €", "3"],
        ["Share", "Log in", "Subscribe", "Privacy policy", "All rights reserved", "Back", "Next", "Print"],
        ["We pitched the tent in the evening. Then it snowed.", "It was cold:", "And then …", "<b>Poles</b>"],
        ["x" * 61, "y" * 200, "z" * 90, "A heading that is as long as a whole paragraph of text would be, and longer"],
        ["Ask j***@***", "Ask a***@***", "Ask b***@***", "Ask c***@***"],
        ["impl Clone for Tent", "impl Debug for Tent", "impl Drop for Tent", "impl Send for Tent"],
        ["Enum Constant Summary", "Methods inherited from class Tent", "Enum Constant Detail", "Nested Class Summary"],
        ["The poles of the", "Ropes and", "Tents for", "Pegs in"],
    ],
)
def test_unsuitable_entries_are_never_listed(texts: list[str]) -> None:
    assert said(TOPIC, headed(*texts)) == []
    assert said(TOPIC, [], texts) == []


@pytest.mark.parametrize(
    "topic",
    [
        "",
        "Overview",
        "Chapter 4",
        "Home",
        "What is a tent?",
        "Tents:",
        "T" * 71,
        "…",
        "Common Links",
        "Ann Example https://a.example",
    ],
)
def test_no_list_is_suggested_for_a_page_without_a_topic(topic: str) -> None:
    assert said(topic, headed(*SECTIONS), SECTIONS) == []


def test_at_most_twenty_sections_of_a_long_page_are_kept() -> None:
    headings = headed(*(f"Raising the poles of {at} tents" for at in range(10_000)))
    outline = outline_of(TOPIC, headings, [text for _, text in headings])
    assert outline is not None and len(outline.sections) == len(outline.listed) == 20
    assert all(text.endswith(" …") for text in said(TOPIC, headings, [text for _, text in headings]))


_PLAIN = "tent winter storm seam river bread stone light paper snow rope pole camp fire".split()
_WIDE = ("雪の夜", "テントを張る", "川の石", "ロープを結ぶ", "冬の嵐")
_ODD = (
    "Overview", "See also", "12", "3.4", "2024-01-12", "open(key)", "a->b", "x = y", "<b>", "And then …", "of the",
    "Tents:", "Camp::Tent", "Log in", "impl Drop for Tent", "Ask j***@***", "One. Two", "Poles, pegs", "(snow", "--dry",
)  # fmt: skip
_MEMBER_NAMES = ("#pitch_tent(key) ⇒ Tent", "takeDownAll", "fold_all(Rows) -> ok", "#dry? ⇒ Boolean", "Returns")


def _text(draw: random.Random, *, wide: bool = False) -> str:
    kind = draw.random()
    if kind < 0.15:
        return draw.choice(_ODD)
    if kind < 0.25 or wide:
        return "と".join(draw.choice(_WIDE) for _ in range(draw.randint(1, 3)))
    words = [draw.choice(_PLAIN) for _ in range(draw.randint(1, 5))]
    end = draw.choice(("", "", "", "", "?", " ¶", " (3)", " (see below)"))
    number = draw.choice(("", "", "", f"{draw.randint(1, 9)}.{draw.randint(1, 9)} ", f"Step {draw.randint(1, 9)}: "))
    return f"{number}{' '.join(words).capitalize()}{end}"


def check_composed(seed: int) -> int:
    """Whatever a page lists: the text fits, says what the page is called, then what stands on the page, in its order.
    How many texts there were."""
    draw = random.Random(seed)
    wide = draw.random() < 0.2
    headings = [(draw.choice((1, 2, 2, 2, 3)), _text(draw, wide=wide)) for _ in range(draw.randint(0, 12))]
    if draw.random() < 0.3:
        headings += [(2, "Method Details"), *((3, draw.choice(_MEMBER_NAMES)) for _ in range(5))]
    listed = [_text(draw, wide=wide) for _ in range(draw.randint(0, 8))]
    names = ("雪の中でテントを張る方法と道具",) if wide else (_text(draw), TOPIC, "Camp::Tents::WinterTent")
    topic = draw.choice(names)
    outline = outline_of(topic, headings, listed)
    if outline is None:
        return 0
    stock = {part for part in sorted(outline.parts()) if draw.random() < 0.2}
    found = composed(outline, stock)
    assert found == composed(outline, stock)
    for text, source in found:
        assert is_long_enough(text) and len(text) <= LONGEST and description_px(text) <= WIDEST_PX
        assert text.endswith((".", " …", "?", "\u3002", "…"))
        among = listed if source == "list" else [heading for _, heading in headings]
        rest = unended(text).removeprefix(outline.topic)
        is_members = rest.startswith(" – Methods: ")
        parts = _entries(rest)
        assert len(parts) >= 3 and len(set(map(fold, parts))) == len(parts), text
        remaining = iter(among)
        assert all(any(part in given for given in remaining) for part in parts), text
        for part in parts:
            assert fold(part).strip(" ?") not in PHRASES
            assert is_members or fold(part) not in stock
            assert not set("{}<>=⇒¶") & set(part) and "see below" not in part and "***" not in part
    return len(found)


def _entries(rest: str) -> list[str]:
    rest = re.sub("^(?: – Methods: | – |: |\uff1a)", "", rest)
    mark = next((mark for mark in ("; ", "\uff1b", "\u3001", ", ") if mark in rest), None)
    return rest.split(mark) if mark else re.findall(r"[^?]+\?", rest.replace("? ", "?"))


@settings(max_examples=examples(60))
@given(st.integers(0, 2**32))
def test_a_composed_description_has_an_allowed_length_and_comes_from_the_page(seed: int) -> None:
    assert sum(check_composed(seed + step) for step in range(40)) > 0


def test_composed_descriptions_exist_for_over_a_third_of_the_generated_pages() -> None:
    assert sum(check_composed(seed) for seed in range(300)) > 100


def test_parts_that_differ_only_in_a_number_or_letter_are_not_listed() -> None:
    for part in ("Letter {}", "Accordion item {}"):
        headings = [(1, "All tents of the shop"), *((2, part.format(mark)) for mark in "ABCDEFGHI123")]
        outline = outline_of("All tents of the shop", headings, [])
        assert outline is not None and composed(outline, set()) == []


def test_a_list_is_not_used_if_most_parts_differ_only_in_a_number() -> None:
    numbered = [f"Выпуски {number}.x" for number in range(8)]
    others = ["Лидерство", "Важные события", "Люди"]
    assert said("Подробная история", headed(*numbered, *others)) == []
    (text,) = said("Подробная история Debian", headed(*others, "Пакеты и архивы", *numbered[:4]))
    assert "Выпуски 0.x" in text
    years = [
        f"{name} ({year})"
        for year, name in enumerate(["All winter tents", "Tents in snow", "Poles of steel", "Pegs"], 2015)
    ]
    assert said("Books about tents", headed(*years)) != [], "only the names tell them apart"
    same_word = [f"Tent {name}" for name in ("poles for the snow", "pegs for hard ground", "bags that weigh nothing")]
    assert said(TOPIC, headed(*same_word)) != []


ASKED = ["Where is a tent pitched?", "Who carries the poles?", "How is it dried?"]


def test_a_question_as_topic_is_followed_by_the_questions_of_its_sections() -> None:
    topic = "What is a winter tent made for?"
    assert said(topic, headed(*ASKED)) == [f"{topic} {' '.join(ASKED)}"]
    assert said(topic, headed(*SECTIONS)) == [], "names of sections do not continue a question"
    assert said(topic, headed(*ASKED, "Poles and pegs")) == [f"{topic} {' '.join(ASKED)}"]
    wide = [
        "冬のテントは何のためにありますか？",
        "雪の中でテントはどこに張りますか？",
        "ポールは誰が運びますか？",
        "どう乾かしますか？",
    ]
    assert said(wide[0], headed(*wide[1:])) == ["".join(wide)]


@pytest.mark.parametrize(
    "leaning",
    [
        "But what about the poles?",
        "Does this mean that it is dry?",
        "Und was ist mit den Pegs?",
        "Is such a tent dry?",
    ],
)
def test_a_question_that_depends_on_another_does_not_follow_a_question(leaning: str) -> None:
    topic = "What is a winter tent made for?"
    assert said(topic, headed(ASKED[0], leaning, *ASKED[1:])) == [f"{topic} {' '.join(ASKED)} …"]
