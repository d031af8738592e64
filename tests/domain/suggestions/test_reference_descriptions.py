"""Descriptions of manuals, references and stories: what their first sentences are, and what is none."""

import pytest

from chalicelib.domain.suggestions.descriptions import PageText, candidates
from chalicelib.domain.suggestions.languages import spoken
from chalicelib.domain.suggestions.topics import common


def best(*paragraphs: str, title: str, **page: object) -> str | None:
    known: dict[str, object] = {"h1": title, "lang": "en", "may_be_short": True, **page}
    known.setdefault("language", spoken(" ".join(paragraphs)))
    found = candidates(PageText(title=title, paragraphs=paragraphs, **known))  # type: ignore[arg-type]
    return found[0].text if found else None


# -- short sentences -----------------------------------------------------------------------------------

SHORT = "Returns the number of tents that stand in a row."
ENOUGH = "Returns the number of tents that stand in a row at night."


def test_a_short_sentence_that_says_it_all_is_taken_where_nothing_longer_is_found() -> None:
    assert best(ENOUGH, title="count_tents") == ENOUGH
    assert best(SHORT, title="count_tents") is None  # below fifty characters
    longer = "It counts them in the order in which they were set up."
    assert best(f"{ENOUGH} {longer}", title="count_tents") == f"{ENOUGH} {longer}"


def test_a_heading_that_repeats_the_title_makes_no_other_language_of_it() -> None:
    text = "IO channels are a portable abstraction of files, pipes and sockets that an event loop can watch."
    assert best(text, title="IO Channels") == text


def test_a_description_that_was_too_short_is_not_replaced_by_another_short_one() -> None:
    assert best(ENOUGH, title="count_tents", may_be_short=False) is None


# -- the line that names the page ----------------------------------------------------------------------


@pytest.mark.parametrize("mark", ["-", "–", "—", "--"])
def test_the_line_that_names_the_page_needs_no_full_stop(mark: str) -> None:
    line = f"tent-pitch {mark} set up a tent for the night, and take it down again in the morning"
    assert best(line, title="tent-pitch(1)") == line
    assert best(line, title="soup(1)") is None  # it names another page
    assert best(f"tent-pitch {mark} set up a tent for one night or for two", title="tent-pitch(1)") is not None
    assert (
        best(f"tent-pitch {mark} see also the pages about pegs, and section 3 about poles", title="tent-pitch") is None
    )


def test_a_line_of_code_or_of_links_names_no_page() -> None:
    assert (
        best("tent-pitch - tents.open(key) opens a tent for whoever has the key to the hut", title="tent-pitch") is None
    )
    assert (
        best("tent-pitch - Home | Shop | Tents for winter | Tents for summer | About the shop", title="tent-pitch")
        is None
    )


# -- references ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("title", "sentence"),
    [
        ("git-gc(1)", "Runs a number of housekeeping tasks within the current repository of all the tents."),
        ("TentFilter", "Interface for filtering all of the tents that nobody has slept in for some time."),
        ("Tent:row-count", "The number of rows in which all the tents are set up when the evening has come."),
        ("Tent:is-dry", "Whether the inside of it stays dry in a storm that lasts for more than one night."),
        ("tent-list(1)", "The command finds whatever was set up most recently and is still in its right place."),
        ("Tents.Filter", "A class that filters whatever was set up most recently and stands in its right place."),
    ],
)
def test_what_a_name_stands_for_is_said_without_the_name(title: str, sentence: str) -> None:
    assert best(sentence, title=title) == sentence


def test_what_a_member_does_does_not_describe_its_class() -> None:
    whole = "Represents whatever lies on top of all, as it is written in the book of the camp."
    assert best(whole, title="Class: Camp::Shelter") == whole
    for sentence in (
        "Returns the colour of the cloth that lies on top of all, as it is written in the book.",
        "Creates a new one of these from the cloth that lies on top of all the other ones.",
        "Gets the colour of the cloth that lies on top of all, as it is written in the book.",
        "Moves whatever lies on top of all to the place that is written in the camp's old book.",
    ):
        assert best(sentence, title="Class: Camp::Shelter") is None
        assert best(sentence, title="camp_shelter_get") == sentence


def test_words_that_many_titles_share_are_no_topic() -> None:
    titles = [f"git-{name}" for name in ("add", "clean", "clone", "fetch", "grep", "merge", "push", "reset")]
    shared = common(titles)
    assert shared == {"git"}
    sentence = "Git projects are friendly places with people in them that like to talk about many things."
    assert best(sentence, title="Reviewing git patches", shared=shared) is None
    assert best(sentence, title="Friendly git places", shared=shared) == sentence


def test_a_single_shared_word_outside_of_the_subject_is_not_enough() -> None:
    background = "An executed program is kept in a process, and the system runs the code of many at once."
    assert best(background, title="Using threads to run code simultaneously", h1=None) is None
    threads = "Threads let a program run several parts of its code at once, in an order nobody knows."
    assert best(threads, title="Using threads to run code simultaneously", h1=None) == threads


@pytest.mark.parametrize(
    ("title", "word", "sentence"),
    [
        (
            "Balanced binary trees",
            "tree",
            "A tree keeps keys in their order so that each of them is found within two steps.",
        ),
        ("Tree", "trees", "Trees keep keys in their order so that each of them can be found within two steps."),
        (
            "TimedAnimation",
            "animation",
            "An animation that changes a value from its beginning to its end over some time.",
        ),
    ],
)
def test_another_form_of_a_word_is_the_same_topic(title: str, word: str, sentence: str) -> None:
    assert word in sentence.lower()
    assert best(sentence, title=title) == sentence


# -- what is no description ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("what is usual", "In most camps, tents are set up in rows, and the kitchen stands in the middle of them all."),
        ("what once was", "The tents of the camp were, for the longest time, made of a cloth that let the rain in."),
        ("a concession", "While lacking proper poles when they were sewn, tents stand well through any winter storm."),
        ("what it is not", "Tents should never be set up near the river, and must not be heated with an open fire."),
        ("a demand", "This document requires tents of the second generation, or those of a later one than that."),
        ("an addition", "Tents of wool and those of cotton are also welcome in the second row behind the kitchen."),
        ("the same again", "The same is done with the tents that stand in the second row behind the camp's kitchen."),
        ("a note's number", "Tents of wool are set up in the first row.12Those of cotton stand behind the kitchen."),
        ("a pointer", "Tents and the order in which they are set up are shown in example 8.2 of this old book."),
        ("a release", "The tents module was introduced in camp version 3.2 for all of the rows and kitchens."),
        ("the licence", "Tents may be copied under the terms of the licence that is printed on the back of them."),
        ("an overload", "Tents is an overloaded name; there are actually two of them, and both are about the rows."),
        ("a verb after this", "This merges the tents of two rows into one, and shows who has slept in which of them."),
        ("an aside", "Tent dwellers - the rows that are shown here hold tents of wool and those of cotton."),
        ("one of several", "The first tent shown is of the usual kind that you would find in the valley's shop."),
        ("a limit", "Tents may only be set up in the rows that are marked with a stone, and by nobody else."),
        ("a citation", "The official tents of the camp are found on the page of its tailors [TENT-BOOK] for all."),
        ("an exclamation", "Tents are what everybody in the camp wants to sleep in when the first snow has come!"),
    ],
)
def test_what_does_not_describe_a_page(kind: str, sentence: str) -> None:
    assert best(sentence, title="Tents") is None, kind


def test_a_sentence_about_this_page_is_one_only_where_the_text_begins() -> None:
    file = "This file holds a row for each of the tents, with the names of those that sleep in them."
    chapter = "This chapter shows how tents are set up in deep snow, and how they are dried after that."
    before = "Morning came slowly over the valley where our workshop stands, and it was very cold."
    assert best(file, title="Rows of a camp") == file
    assert best(before, before.replace("Morning", "Evening"), file, title="Rows of a camp") is None
    assert best(before, before.replace("Morning", "Evening"), chapter, title="Rows of a camp") == chapter


def test_a_sentence_is_followed_by_one_that_goes_on_with_it_only() -> None:
    first = "The camp's convention consists of two parts that everybody has to know by heart."
    for other in (
        "The first part is that nobody sleeps in the kitchen.",
        "If it rains, the second row is closed for the night.",
        "It does not hold for those who come late.",
        first,
    ):
        assert best(f"{first} {other}", title="The camp's convention") == first
    more = "It comes from those who built the first camp."
    assert best(f"{first} {more}", title="The camp's convention") == f"{first} {more}"


def test_brackets_stay_where_the_rest_uses_the_name_in_them() -> None:
    text = (
        "Tents keep the number of their row on a small sign (rsn) of wood, and who sleeps in one turns the rsn round "
        "before going to bed, so that nobody at all comes in at night."
    )
    assert best(text, title="Tents") == text.replace(", so that nobody at all comes in at night", "")
    without = text.replace("turns the rsn round", "turns it round")
    assert best(without, title="Tents") == without.replace(" (rsn)", "")


# -- languages without lists of words ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lang", "title", "good", "leaning"),
    [
        (
            "ja",
            "タイルキャッシュの大きさ",
            "タイルキャッシュの大きさは、画像を扱うときに使うメモリの量を決める設定項目のひとつです。",
            [
                "それではタイルキャッシュの大きさはどの位が適当でしょうか。ちょうど良い値を見付けるためのコツを紹介します。",
                "しかしタイルキャッシュの大きさは、画像を扱うときに使うメモリの量を決める設定項目です。",
                "このタイルキャッシュの大きさは、画像を扱うときに使うメモリの量を決める設定項目です。",
            ],
        ),
        (
            "zh",
            "缓存大小",
            "缓存大小决定了程序在处理图像的时候能够使用的内存数量,可以在设置对话框中随时修改它的数值。",
            ["但是缓存大小决定了程序在处理图像的时候能够使用的内存数量,可以在设置对话框中随时修改它的数值。"],
        ),
        (
            "ko",
            "캐시 크기",
            "캐시 크기는 프로그램이 이미지를 처리할 때 사용할 수 있는 메모리의 양을 결정하는 설정입니다.",
            ["그러나 캐시 크기는 프로그램이 이미지를 처리할 때 사용할 수 있는 메모리의 양을 결정합니다."],
        ),
        (
            "ru",
            "Размер кэша",
            "Размер кэша определяет количество памяти, которое программа использует при работе с изображениями.",
            ["Однако размер кэша определяет количество памяти, которое программа использует при работе."],
        ),
    ],
)
def test_sentences_that_lean_are_known_in_other_scripts(lang: str, title: str, good: str, leaning: list[str]) -> None:
    assert best(good, title=title, lang=lang) == good
    for sentence in leaning:
        assert best(sentence, title=title, lang=lang) is None


def test_where_no_list_of_words_is_known_only_the_first_paragraph_is_read() -> None:
    first = "Ett vintertält är sytt för hand i den gamla kvarnen och har tejpade sömmar i alla delar."
    other = "Ormar och grodor är inte vanliga i bergen, men det är bra att veta att de sover i sina hål."
    page = {"title": "Vintertält", "lang": "sv", "language": "sv"}
    assert best(first, **page) == first  # type: ignore[arg-type]
    assert best(other, first, **page) is None  # type: ignore[arg-type]
