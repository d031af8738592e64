"""Descriptions of manuals, references and stories: what their first sentences are, and what is none."""

import pytest

from chalicelib.domain.suggestions.descriptions import candidates
from chalicelib.domain.suggestions.languages import spoken
from chalicelib.domain.suggestions.page_text import PageText
from chalicelib.domain.suggestions.sentences import sentences_of
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
    assert best(SHORT, title="Counting tents") is None  # below fifty characters
    longer = "It counts them in the order in which they were set up."
    assert best(f"{ENOUGH} {longer}", title="count_tents") == f"{ENOUGH} {longer}"


def test_a_heading_that_repeats_the_title_makes_no_other_language_of_it() -> None:
    text = "IO channels are a portable abstraction of files, pipes and sockets that an event loop can watch."
    assert best(text, title="IO Channels") == text


def test_a_description_that_was_too_short_is_not_replaced_by_another_short_one() -> None:
    assert best(ENOUGH, title="Returns of tents", may_be_short=False) is None
    assert best(ENOUGH, title="count", may_be_short=False) is None  # with its name no longer than seventy characters


# -- the name and what is said of it -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("title", "h1", "text", "expected"),
    [
        ("Tent:rows", "Tentrows", "The number of rows in a tent.", "Tent:rows – The number of rows in a tent."),
        ("count_tents", "count_tents", SHORT, f"count_tents – {SHORT}"),
        (
            "Camping library",
            "camp::Tent Class Reference",
            "A tent for two people.",
            "camp::Tent – A tent for two people.",
        ),
        ("Tent in camp", "Struct camp::Tent", "A tent for two people.", "camp::Tent – A tent for two people."),
        ("Tent", "Class Tent", "A Tent can be set up by two.", None),  # it says its name itself
        ("tent", "tent", "A tent for two people.", None),  # too short with it
        ("Getting started", "Getting started", "A short introduction for everybody.", None),  # no name
    ],
)
def test_a_short_sentence_of_a_reference_follows_the_name(title: str, h1: str, text: str, expected: str | None) -> None:
    assert best(text, title=title, h1=h1) == (expected if expected is None or len(expected) >= 50 else None)


def test_a_name_goes_before_what_pages_of_a_reference_say_alike() -> None:
    text = "Sets the largest number of people who may sleep in it. Whoever comes later sleeps outside."
    found = candidates(
        PageText("Tent.set_most", "Tent.set_most", paragraphs=[text], language="en", lang="en", may_be_short=True)
    )
    assert [one.text for one in found][1:] == [f"Tent.set_most – {text[:54]}"]


def test_a_line_without_a_stop_before_the_link_to_more_is_said_after_the_name() -> None:
    said = best("Parameters of the storm (wind, rain and hail) More...", title="camp::Storm")
    assert said == "camp::Storm – Parameters of the storm (wind, rain and hail)"
    assert best("Parameters of the storm. Home More...", title="Storms at sea") is None


def test_what_a_definition_says_far_behind_does_not_spoil_it() -> None:
    thrown = "Exception that is thrown when a peg is needed that could not be found in any of the bags."
    assert best(thrown, title="camp::PegError") == thrown
    assert best("Tents are not what is meant by the word camp in any of the books here.", title="Camp") is None


def test_words_that_point_elsewhere_may_be_prepositions() -> None:
    above = "Sets the height above which a tent is held by two poles instead of one in the middle."
    assert best(above, title="Tent.set_height") == above
    assert best("Sets the height as it is described above, for all of the tents.", title="Tent.set_height") is None
    assert best("Sets the following heights of all of the tents that are set up.", title="Tent.set_height") is None


def test_a_function_that_the_text_introduces_may_be_named() -> None:
    text = "The tent_open(T) function opens the tent for whoever has the key, and closes it behind them."
    assert best(text, title="Open a Tent") == text
    assert (
        best("Use tent_open_all and tent_close_all to open or close a tent from outside.", title="Open a Tent") is None
    )


def test_the_first_of_several_things_may_be_quoted_alone() -> None:
    text = "A pole iterator is an iterator that goes along the poles of a tent from one end to the other: an assignment"
    expected = "A pole iterator is an iterator that goes along the poles of a tent from one end to the other."
    assert (
        best(f"{text} through it puts another pole in, before the one that the iterator is at.", title="Pole iterator")
        == expected
    )


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
        (
            "what is over",
            "The tents used by all of us in the camps of our first winters were, for years, really bad.",
        ),
        ("a notice", "Tents stand for the order in which the rows are set up WARNING: may go away next winter."),
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


# -- entries: the reference of one thing ---------------------------------------------------------------


def test_the_first_sentence_of_an_entry_stands_behind_its_name_whatever_words_it_has() -> None:
    size = "The size above which the child is made narrower."
    assert best(size, title="Camp.Clamp:threshold") == f"Camp.Clamp:threshold – {size}"
    assert best(size, title="Winter camps") is None  # no entry
    assert best("Two of them are pitched side by side in a row.", title="Camp.Clamp:threshold") is not None
    for other in (
        "The two are pitched side by side in a row every night.",  # which two
        "It is made narrower above a size that is set in the camp.",
        "If the camp is full, the size is what was set before that.",
        "Go to the source of this file in the folder of the camp.",
        "There were tents in a row at night in the camp below it.",
    ):
        assert best(other, title="Camp.Clamp:threshold") is None


def test_what_the_next_paragraph_says_of_an_entry_stands_behind_it() -> None:
    queue = "A queue of tents that grows on its own."
    more = "This struct is a help for those who pitch their tents in a row."
    entry = {"title": "tents::Queue", "h1": "Struct tents::Queue", "may_be_short": False}
    assert best(queue, more, **entry) == f"tents::Queue – {queue} {more}"  # type: ignore[arg-type]
    assert best(queue, "An iterator that is made of tents and has no end.", **entry, sections=[0, 1]) is None  # type: ignore[arg-type]
    again = "A queue of tents grows on its own and has no end in the night."
    said = best(queue, again, **entry)  # type: ignore[arg-type]
    assert said is None or queue not in said  # not the same thing twice


def test_a_line_without_a_stop_stands_behind_the_name_of_an_entry() -> None:
    line = "Handles any tent that stands in a row"
    assert best(title="Camp::Handlers::TentHandler", brief=line) == f"Camp::Handlers::TentHandler – {line}"
    assert best(title="Winter camps", brief=line) is None
    assert best(title="Camp::Handlers::TentHandler", brief="TentHandler of any tent in a row") is None


def test_the_name_of_a_function_that_a_sentence_begins_with_is_its_topic() -> None:
    said = "The camp_count(P) interface returns the number of poles, or -1 if P is not the name of a camp."
    assert best(said, title="How many poles are there") == said
    assert best(said.replace("camp_count(P) ", "VFS "), title="How many poles are there") is None
    called = "Frees the poles that were taken with camp_take() before the camp was opened to its guests."
    assert best(called, title="camp_free") is not None
    assert best(called.replace("camp_take()", "camp_taken"), title="camp_free") is None


def test_what_stands_in_a_clause_says_nothing_of_the_thing_itself() -> None:
    base = "Base class for classes that require a context of their own in the camp."
    assert best(base, title="camp::Resource", h1="camp::Resource Class Reference") == base
    assert best("Base classes are not for use in the camp by any of the guests.", title="camp::Resource") is None


def test_several_things_may_be_what_the_page_is_about() -> None:
    text = "These routines return what is known of a single pole of the camp that was asked for."
    assert best(text, title="Values of a camp") == text
    assert best(text.replace("routines", "values"), title="Poles") is None


def test_a_sentence_that_adds_to_itself_leans_on_no_other() -> None:
    text = "This guide introduces what is new in winter camps, and also documents how they are pitched."
    assert best(text, title="What is new in camps") == text
    assert best("Winter camps are also documented in the guide to poles, ropes and pegs.", title="Winter camps") is None


def test_a_half_open_interval_is_balanced() -> None:
    text = "Sort_tents puts the tents of the range [first, last) into the order of their size."
    assert best("Sort_tents is an overloaded name.", text, title="sort_tents") == text
    assert best(text.replace("last)", "last"), title="sort_tents") is None


def test_a_sentence_is_cut_before_what_it_does_that_by() -> None:
    start = "This guide describes how the winter camp takes up its guests one after the other at night"
    tail = "the whole way from the first pole to the last one of them in the valley behind the old mill"
    for joined in (", covering ", " in order to show ", ", rather than "):
        assert best(f"{start}{joined}{tail}.", title="Camps") == f"{start}."
    assert best(f"{start} and shows {tail}.", title="Camps") == f"{start}."
    for half in (", listing, ", " and how "):
        assert best(f"{start}{half}{tail}.", title="Camps") is None
    sends = "This guide describes the winter camp of the valley and all of the guests, each of whom sends and asks for"
    assert best(f"{sends} {tail}.", title="Camps") is None
    both = start.replace("takes up", "takes up both")
    assert best(f"{both} and shows {tail}.", title="Camps") is None


def test_a_command_in_a_script_without_spaces_may_have_dots_in_its_name() -> None:
    text = "新しいテント... コマンドは画像に新しいテントを加えて、その大きさを決めるダイアログを開きます。"
    assert best(text, title="6.2. 新しいテント...", lang="ja", language="ja") == text
    short = "新しいテント... コマンドは新しいテントを加えます。"
    assert best(short, title="6.2. 新しいテント...", lang="ja", language="ja") == short


def test_the_first_sentence_of_the_page_may_have_the_title_further_back_where_it_is_a_definition() -> None:
    text = "The committee is a group of people in the valley who look after the poles and pegs of camps."
    assert best(text, title="Camps and stoves for winter") == text
    assert best(text, title="Stoves for winter") is None
    assert best(text.replace("is a group of people", "meets every week"), title="Camps and stoves for winter") is None
    begun = "We met a committee that is a group of people in the valley who look after the poles of camps."
    assert best(begun, title="Camps and stoves for winter") is None


def test_what_an_entry_says_first_is_not_said_again_behind_it() -> None:
    again = "A queue of tents is a list of all that stand in a row, and has no end in the night."
    said = best("A queue of tents.", again, title="tents::Queue", h1="Struct tents::Queue")
    assert said is not None and not said.startswith("tents::Queue – A queue of tents. A queue")
    module = "This module contains the functions for counting tents."
    said = best("Tent counting functions.", module, title="tent_counts")
    assert said is None or module not in said or "counting functions" not in said


def test_a_sentence_whose_subject_is_the_whole_title_may_stand_behind_another() -> None:
    cold = "Morning came slowly over the valley where our workshop stands, and it was cold."
    text = "Our winter tents offer a dry place in the snow to all who come over the pass."
    assert best(cold, text, title="Winter tents") == text
    assert best(cold, text, title="Winter tents and poles") is None


def test_names_with_colons_may_stand_in_the_entry_of_such_a_name() -> None:
    text = "A struct that is made by camp::Field and holds the tents of a row until the next night."
    assert best(text, title="camp::Queue") is not None
    assert best(text, title="Queue") is None
    assert best("The tent to be added to the queue is *(last - 1) of the row at night.", title="camp::Queue") is None


def test_a_sentence_is_not_cut_inside_of_what_it_counts_up() -> None:
    start = "This guide describes how the winter camp takes up its guests"
    tail = "the whole way from the first pole to the last one of them in the valley behind the old mill"
    assert best(f"{start} at night and shows {tail}.", title="Camps") == f"{start} at night."
    assert best(f"{start}, lists them one after the other, and shows {tail}.", title="Camps") is None


# -- where a sentence ends -----------------------------------------------------------------------------


def test_a_letter_that_names_an_argument_ends_a_sentence_and_an_initial_does_not() -> None:
    told = "The tent_count(C,P) function returns how many tents with poles of the kind P stand in the camp C."
    assert best(f"{told} The camp is not changed by this call at all.", title="Counting tents: tent_count") == told
    by = "Counting tents was described by John C. Camper, who set up more of them than all others of his time."
    assert sentences_of(by) == [by]


def test_a_name_of_code_begins_a_sentence_though_it_has_no_capital() -> None:
    first = "Counting tents is told of here, and how poles are counted beside them in a camp of any size."
    assert sentences_of(f"{first} mod_tents counts them. mod_poles does not.")[0] == first
    assert sentences_of("Tents etc. are counted by size, e.g. by poles. they are not.") == [
        "Tents etc. are counted by size, e.g. by poles. they are not."
    ]


# -- a first sentence that says little -----------------------------------------------------------------

LITTLE = "Structure that holds a tent."


def test_a_text_that_begins_once_more_behind_the_members_is_gone_on_with() -> None:
    more = "A tent is the place where a camper sleeps, and it keeps out the rain."
    title = "camp::Tent Class Reference"
    assert best(LITTLE, LITTLE, more, title=title, sections=(0, 9, 9)) == f"{LITTLE} {more}"
    assert best(LITTLE, more, title=title, sections=(0, 9)) is None


def test_a_second_sentence_that_is_too_long_is_shortened_where_the_first_says_little() -> None:
    first = "Tent_count is a function object."
    second = "Specifically, it is a counter of tents in a row, which means that it can be asked for their number at any"
    assert best(f"{first} {second} time of the day or of the night.", title="tent_count") == (
        f"{first} Specifically, it is a counter of tents in a row."
    )
    for second in (
        "The tents of a row are counted by these parts of their names: the poles, the pegs, and all of the ropes that",
        "The tents of a row are counted by various parts, such as the poles, the pegs, and all of the ropes that go",
        "You’ve counted the tents of a row before, which means that the object can be asked for their number by now",
    ):
        assert best(f"{first} {second} with them to the camp in the morning.", title="tent_count") is None


def test_a_line_that_is_said_again_at_greater_length_is_described_by_the_longer_one() -> None:
    said = "An adaptive tent designed to stand in a camp of any size beside others."
    assert best("An adaptive tent.", said, title="Camp.Tent") == said


def test_a_module_that_says_again_what_it_is_for_is_described_by_the_sentence() -> None:
    said = "This module contains functions for tent processing."
    assert best("Tent processing functions.", said, title="tents") == said
    other = "This module contains functions of all kinds."
    assert best("Tent processing functions.", other, title="Tents and poles") is None
    assert best("Tent processing functions.", said, title="Tents and poles") == said


def test_another_part_of_the_manual_that_is_named_is_no_second_sentence() -> None:
    named = "tent_lists – Lists of tents that stand in a row in camp."
    pointing = "Section Using Tents in the guide of tents shows an example."
    assert (
        best(f"Lists of tents that stand in a row in camp. {pointing}", title="tent_lists", may_be_short=True) == named
    )
