"""Descriptions of manuals, references and stories: what their first sentences are, and what is none."""

import pytest

from chalicelib.suggestions.descriptions import candidates
from chalicelib.suggestions.languages import spoken
from chalicelib.suggestions.page_text import PageText
from chalicelib.suggestions.sentences import sentences_of
from chalicelib.suggestions.topics import common


def best(*paragraphs: str, title: str, **page: object) -> str | None:
    known: dict[str, object] = {"h1": title, "lang": "en", **page}
    known.setdefault("language", spoken(" ".join(paragraphs)))
    found = candidates(PageText(title=title, paragraphs=paragraphs, **known))  # type: ignore[arg-type]
    return found[0].text if found else None


# -- short sentences -----------------------------------------------------------------------------------

ENOUGH = "Returns the number of tents that stand in a row at night."
LONG = "and of the huts, the poles, the pegs and all of the other things that anybody might carry up a mountain"
MORE = "Tents that were taken down in the evening are left out."


def test_a_sentence_that_is_too_short_is_suggested_only_with_the_next_one() -> None:
    assert best(ENOUGH, title="count_tents") is None  # SEO-ONP-013 would fire
    longer = "It counts them in the order in which they were set up."
    assert best(f"{ENOUGH} {longer}", title="count_tents") == f"{ENOUGH} {longer}"
    assert best(ENOUGH, MORE, title="count_tents") == f"{ENOUGH} {MORE}"
    assert best(ENOUGH, longer, title="count_tents") == f"{ENOUGH} {longer}"


@pytest.mark.parametrize(
    ("paragraphs", "sections"),
    [
        ([ENOUGH, "Note: Do not call it while tents are being taken down."], []),
        ([ENOUGH, "See the next section for what happens to empty tents."], []),
        ([ENOUGH, "But tents that were taken down in the evening are left out."], []),
        ([ENOUGH, MORE], [0, 1]),  # of another section
        ([f"{ENOUGH} As shown below, it is slow.", MORE], []),  # a sentence between them is left out
    ],
)
def test_a_short_sentence_is_not_joined_with_an_unrelated_one(paragraphs: list[str], sections: list[int]) -> None:
    assert best(*paragraphs, title="count_tents", sections=sections) is None


def test_a_sentence_in_brackets_is_left_out_between_two_others() -> None:
    aside = "(Tents of guests can be thought of as similar to huts.)"
    assert best(f"{ENOUGH} {aside} {MORE}", title="count_tents") == f"{ENOUGH} {MORE}"
    assert best(f"{aside} {ENOUGH} {MORE}", title="count_tents") is None  # a text that begins with an aside
    unclosed = "(Tents of guests can be thought of as similar to huts."
    assert best(f"{ENOUGH} {unclosed} {MORE}", title="count_tents") is None


def test_brackets_are_left_out_of_a_sentence_that_is_too_long() -> None:
    begun, end = (
        "The tent library",
        "provides what is needed for counting the tents that stand in a row by night and day.",
    )
    aside = "(not to be confused with the hut library of the same house, which counts huts that stand in no row)"
    assert best(f"{begun} {aside} {end}", title="Tent library") == f"{begun} {end}"
    nested = aside.replace("which", "(which)")
    assert best(f"{begun} {nested} {end}", title="Tent library") is None
    brief = f"{begun} (short) {end}"
    assert best(brief, title="Tent library") == brief
    assert best(f"{begun} {aside} {end[:-1]}, {LONG}.", title="Tent library") is None  # too long all the same


@pytest.mark.parametrize(
    ("text", "title", "lang", "taken"),
    [
        ("To carry one tent, it is often necessary to carry several poles and all of the pegs.", "Tents", "en", False),
        ("Um gut zu schlafen, wird das Zelt auf ebenem Boden aufgestellt und ganz geschlossen.", "Zelt", "de", True),
        (
            "Um ein Zelt zu tragen, ist es oft notwendig, auch mehrere Stangen zu tragen, und Haken.",
            "Zelt",
            "de",
            False,
        ),
        (
            "Чтобы установить палатку, часто бывает необходимо принести несколько других вещей из дома.",
            "Палатка",
            "ru",
            False,
        ),
        (
            "Um das Zelt liegt eine weite Wiese mit gutem Blick auf den Fluss und das ganze Tal.",
            "Zelt",
            "de",
            True,
        ),
    ],
)
def test_an_infinitive_at_the_start_of_a_sentence_is_not_its_subject(
    text: str, title: str, lang: str, taken: bool
) -> None:
    assert (best(text, title=title, lang=lang) == text) is taken


def test_a_word_typical_of_notices_is_accepted_if_it_is_the_topic_of_the_page() -> None:
    text = "The redirect router handles mail of several kinds, and an address can be redirected by it in many ways."
    assert best(text, title="The redirect router") == text
    moved = "The tents of this page can be redirected to another page, which shows tents of all kinds and sizes."
    assert best(moved, title="Tents") is None


def test_a_heading_equal_to_the_title_does_not_change_the_language() -> None:
    text = "IO channels are a portable abstraction of files, pipes and sockets that an event loop can watch."
    assert best(text, title="IO Channels") == text


# -- the line that names the page ----------------------------------------------------------------------


@pytest.mark.parametrize("mark", ["-", "–", "—", "--"])
def test_a_line_that_names_the_page_needs_no_full_stop(mark: str) -> None:
    line = f"tent-pitch {mark} set up a tent for the night, and take it down again in the morning"
    assert best(line, title="tent-pitch(1)") == line
    assert best(line, title="soup(1)") is None  # it names another page
    assert best(f"tent-pitch {mark} set up a tent for one night or for two", title="tent-pitch(1)") is None  # too short
    assert (
        best(f"tent-pitch {mark} see also the pages about pegs, and section 3 about poles", title="tent-pitch") is None
    )


def test_a_line_of_code_or_of_links_does_not_describe_the_page() -> None:
    assert (
        best("tent-pitch - tents.open(key) opens a tent for whoever has the key to the hut", title="tent-pitch") is None
    )
    assert (
        best("tent-pitch - Home | Shop | Tents for winter | Tents for summer | About the shop", title="tent-pitch")
        is None
    )


# -- references ----------------------------------------------------------------------------------------


def test_words_shared_by_many_titles_are_not_a_topic() -> None:
    titles = [f"git-{name}" for name in ("add", "clean", "clone", "fetch", "grep", "merge", "push", "reset")]
    shared = common(titles)
    assert shared == {"git"}
    sentence = "Git projects are friendly places with people in them that like to talk about many things."
    assert best(sentence, title="Reviewing git patches", shared=shared) is None
    assert best(sentence, title="Friendly git places", shared=shared) == sentence


def test_a_sentence_that_shares_a_word_with_the_title_must_have_it_in_its_subject() -> None:
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
def test_another_form_of_a_word_matches_the_topic(title: str, word: str, sentence: str) -> None:
    assert word in sentence.lower()
    assert best(sentence, title=title) == sentence


# -- what is no description ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("a concession", "While lacking proper poles when they were sewn, tents stand well through any winter storm."),
        ("the same again", "The same is done with the tents that stand in the second row behind the camp's kitchen."),
        ("a note's number", "Tents of wool are set up in the first row.12Those of cotton stand behind the kitchen."),
        ("a pointer", "Tents and the order in which they are set up are shown in example 8.2 of this old book."),
        ("a release", "The tents module was introduced in camp version 3.2 for all of the rows and kitchens."),
        ("the licence", "Tents may be copied under the terms of the licence that is printed on the back of them."),
        ("a verb after this", "This merges the tents of two rows into one, and shows who has slept in which of them."),
        ("one of several", "The first tent shown is of the usual kind that you would find in the valley's shop."),
        ("a citation", "The official tents of the camp are found on the page of its tailors [TENT-BOOK] for all."),
        ("an exclamation", "Tents are what everybody in the camp wants to sleep in when the first snow has come!"),
    ],
)
def test_sentences_of_unsuitable_kinds_do_not_describe_a_page(kind: str, sentence: str) -> None:
    assert best(sentence, title="Tents") is None, kind


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
def test_dependent_sentences_are_recognised_in_other_scripts(
    lang: str, title: str, good: str, leaning: list[str]
) -> None:
    assert best(good, title=title, lang=lang) == good
    for sentence in leaning:
        assert best(sentence, title=title, lang=lang) is None


def test_a_half_open_interval_counts_as_balanced_brackets() -> None:
    text = "Sort_tents puts the tents of the range [first, last) into the order of their size."
    assert best("Sort_tents is an overloaded name.", text, title="sort_tents") == text
    assert best(text.replace("last)", "last"), title="sort_tents") is None


def test_a_command_name_with_dots_does_not_end_a_sentence() -> None:
    text = "新しいテント... コマンドは画像に新しいテントを加えて、その大きさを決めるダイアログを開きます。"
    assert best(text, title="6.2. 新しいテント...", lang="ja", language="ja") == text
    short = "新しいテント... コマンドは新しいテントを加えます。"
    assert best(short, title="6.2. 新しいテント...", lang="ja", language="ja") is None  # too short


def test_a_name_with_colons_is_accepted_on_the_page_about_it() -> None:
    text = "A queue that is made by camp::Field and holds the tents of a row until the next night."
    assert best(text, title="camp::Queue") is not None
    assert best(text, title="Queue") is None
    assert best("The tent to be added to the queue is *(last - 1) of the row at night.", title="camp::Queue") is None


# -- where a sentence ends -----------------------------------------------------------------------------


def test_a_sentence_may_end_with_an_argument_letter_but_not_with_an_initial() -> None:
    told = "The tent_count(C,P) function returns how many tents with poles of the kind P stand in the camp C."
    assert best(f"{told} The camp is not changed by this call at all.", title="Counting tents: tent_count") == told
    by = "Counting tents was described by John C. Camper, who set up more of them than all others of his time."
    assert sentences_of(by) == [by]


def test_a_code_name_in_lower_case_may_begin_a_sentence() -> None:
    first = "Counting tents is told of here, and how poles are counted beside them in a camp of any size."
    assert sentences_of(f"{first} mod_tents counts them. mod_poles does not.")[0] == first
    assert sentences_of("Tents etc. are counted by size, e.g. by poles. they are not.") == [
        "Tents etc. are counted by size, e.g. by poles. they are not."
    ]


@pytest.mark.parametrize(
    ("title", "sentence"),
    [
        ("Slices", "Tentscript allows a part of the groundsheet to be cut out of it as a slice, in the usual way."),
        ("Polar tents", "In the far north, every polar tent needs three layers at least, and ropes made of hemp."),
        ("Zeltplätze", "Im hohen Norden sind einfache Zeltplätze trotz des langen Winters erstaunlich häufig."),
    ],
)
def test_the_first_sentence_may_name_the_whole_topic_further_on(title: str, sentence: str) -> None:
    assert best(sentence, title=title, h1=None) == sentence
    assert best(sentence, title=f"{title} and their wooden poles", h1=None) is None


@pytest.mark.parametrize(
    "sentence",
    [
        "You have come here because somebody in the far north told you about a slice of the groundsheet.",
        "Another way to get a part of the groundsheet out of the big sheet is to cut it off as a slice.",
        "In this part of the long book of tents I list the best of all the ways to cut a slice.",
    ],
)
def test_a_sentence_about_the_writer_the_reader_or_one_of_many_ways_is_refused(sentence: str) -> None:
    assert best(sentence, title="Slices", h1=None) is None


def test_a_name_from_code_is_accepted_if_the_title_has_its_words() -> None:
    sentence = "tent_merge joins the plans of several tents into one plan that has each of the poles only once."
    assert best(sentence, title="Tent merge", h1=None) == sentence
    assert best(sentence, title="Merging tents", h1=None) is None


def test_an_example_at_the_start_is_what_the_page_shows() -> None:
    sentence = "This example shows how to change the colours of a tent and of the poles that hold it up."
    assert best(sentence, title="Colours of tents", h1=None) == sentence


@pytest.mark.parametrize(
    ("title", "sentence", "suggested"),
    [
        ("userlist", "This plugin lets the owner of a wiki see all people who have visited it lately.", True),
        ("Class Tents", "This class holds all tents that stand in the snow and knows the way to each of them.", True),
        (
            "Package tents",
            "This class holds whatever stands in the snow and knows the way to each of its parts.",
            False,
        ),
        (
            "Tents: all classes",
            "This class holds whatever stands in the snow and knows the way to each of its parts.",
            False,
        ),
        ("Routes", "Dieses Kapitel erklärt ausführlich, wie man im Winter sicher über einen Gletscher geht.", True),
        ("Snow", "This section describes what happens to whoever sleeps outside at night in January.", True),
        ("Snow", "This book describes what happens to whoever sleeps outside at night in January.", False),
        ("Pegs", "This section explains the steps that you take to make another version of the tents.", True),
        ("Pegs", "This section explains the steps that you take in version 3 of all the tents of Acme.", False),
        ("Pegs", "This short chapter shows how a fire is lit in the old mill when snow falls at night.", True),
        ("Pegs", "This means program code that is read by all who sleep in a tent when snow falls at night.", False),
        ("Pegs", "This makes command lines shorter, but nobody in the old mill reads them at night in snow.", False),
        ("Index of huts", "This is the complete list of all members, with those who are no longer there.", True),
        ("Snow", "This is the worst of all things that can happen to you in the mountains in winter.", False),
        ("Snow", "In this example, we want to sleep outside at night in January, with snow around us.", False),
    ],
)
def test_a_first_sentence_about_the_page_itself_needs_no_word_of_the_title(
    title: str, sentence: str, suggested: bool
) -> None:
    assert best(sentence, title=title, h1=None) == (sentence if suggested else None)


def test_a_copyright_line_before_the_text_is_skipped() -> None:
    line = "© Copyright 1986-2014 by Ada Lind and others. All rights reserved. The terms are on another page."
    text = "Retree is an editor of trees that reads a tree and shows it on the screen until you are happy."
    assert best(line, text, title="Retree", h1=None) == text


@pytest.mark.parametrize(
    "tail",
    [
        ", which are told of in one of the later parts of this book on tents",
        ", such as pegs, poles, lines, bags, boots, a stove and enough gas for it",
    ],
)
def test_a_clause_that_adds_something_is_left_out_of_a_sentence_that_is_too_long(tail: str) -> None:
    begun = "The packing list names all the things that are worth carrying over three high passes in the snow of winter"
    assert best(f"{begun}{tail}.", title="Packing list", h1=None) == f"{begun}."
    assert best(f"{begun}{tail}, are those of last year.", title="Packing list", h1=None) is None


def test_an_introduction_may_begin_with_the_name_of_the_website() -> None:
    text = "Tentscript is a language for people who like to describe their tents before they build them."
    assert best(text, title="Introduction", h1=None, name="Tentscript") == text
    assert best(text, title="Poles", h1=None, name="Tentscript") is None


def test_a_sentence_without_subject_says_what_the_page_is_about() -> None:
    sentence = "Reads the plan of a tent from a file and sends it to everybody who sleeps there."
    assert best(sentence, title="plan(1)", h1=None) == sentence
    assert (
        best("Needs the plan of a tent from a file and the names of all who sleep there.", title="x", h1=None) is None
    )


def test_a_file_is_not_the_subject_of_a_page_about_a_module() -> None:
    sentence = "This file will make a list of whatever you need at night in the mountains."
    assert best(sentence, title="The packing module", h1=None) is None
    assert best(sentence, title="packing.py", h1=None) == sentence


@pytest.mark.parametrize(
    ("title", "sentence", "suggested"),
    [
        ("Tents", "Pitches the tent that was chosen last, and returns whether it stands in the wind.", False),
        ("Tents", "This is a structure that holds the tent of somebody at a particular instant of a night.", False),
        ("Tents", "This page describes all functions for tents, and those for huts that stand alone.", True),
    ],
)
def test_on_a_page_of_entries_the_text_of_the_first_entry_does_not_describe_the_page(
    title: str, sentence: str, suggested: bool
) -> None:
    others = [f"Returns the number {at} of all the things that stand there." for at in range(4)]
    found = best(sentence, *others, title=title, h1=None, sections=[0, 1, 2, 3, 4])
    assert found == (sentence if suggested else None)


def test_a_sentence_without_subject_below_a_further_heading_is_about_an_entry() -> None:
    sentence = "Pitches the tents that were chosen last, and returns whether they stand in the wind."
    assert best(sentence, title="All about tents", h1=None, sections=[1]) is None
    assert best(sentence, title="tents.pitch()", h1=None, sections=[0]) == sentence


def test_a_page_about_subscribing_is_no_newsletter() -> None:
    sentence = "This interface lets people subscribe to the states of others whom they know in the mountains."
    assert best(sentence, title="States", h1=None) == sentence
    notice = "Subscribe to our newsletter, and you will hear of all states of the tents."
    assert best(notice, title="States", h1=None) is None
