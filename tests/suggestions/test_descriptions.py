"""Descriptions taken from the page: what they are taken from, and what is never taken."""

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.domain.page.page_kinds import PageKind
from chalicelib.domain.page.text import fold
from chalicelib.domain.page.widths import description_px
from chalicelib.suggestions.descriptions import (
    advice_for,
    candidates,
    named,
    why_none,
)
from chalicelib.suggestions.fitting import LONGEST, SHORTEST, WIDEST_PX
from chalicelib.suggestions.page_text import PageText
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
    return found[0].text if found else None


def test_a_social_media_text_of_the_right_length_is_preferred() -> None:
    shared = "Tents that stand through any winter storm, sewn and repaired in our own workshop."
    assert best(og_description=shared, paragraphs=[PROSE]) == shared
    assert best(og_description="Tents.", paragraphs=[PROSE]) == f"{TENTS} {REPAIR}"


def test_whole_sentences_are_taken_from_the_first_suitable_paragraph() -> None:
    assert best(paragraphs=[PROSE]) == f"{TENTS} {REPAIR}"


def test_a_sentence_that_is_too_long_is_not_shortened() -> None:
    beginning = "Our winter tents are sewn from a strong fabric that stretches in both directions"
    assert best(paragraphs=[f"{beginning}, {LONG_SENTENCE}"]) is None
    assert best(paragraphs=[f"{beginning}. {LONG_SENTENCE}"]) == f"{beginning}."


def test_a_paragraph_that_continues_another_does_not_describe_the_page() -> None:
    off_topic = "Morning came slowly over the valley where our workshop stands, and it was cold at that time."
    tent = "A winter tent is a shelter that carries a load of snow without a single crease in it."
    assert best(paragraphs=["Made for snow.", tent]) == tent
    assert best(paragraphs=[off_topic, tent]) is None  # it goes on with what was said
    assert best(paragraphs=[off_topic, tent], sections=[1, 2]) is None
    assert best(paragraphs=[f"{off_topic} {tent}"]) is None  # inside a paragraph it depends on the sentence before


def test_paragraphs_are_list_entries_if_each_has_its_own_heading() -> None:
    entries = [f"A winter tent of the {one} row carries a load of snow without a crease in it." for one in "abc"]
    assert best(paragraphs=entries, sections=[1, 2, 3]) == entries[0]
    assert best(paragraphs=entries, sections=[2, 3, 4]) is None


@pytest.mark.parametrize(
    "sentence",
    [
        "Lorem ipsum dolor sit amet winter tents consectetur adipiscing elit sed do eiusmod tempor.",
        "Some quick example text to build on the winter tents and make up the bulk of the content.",
        "Your company name here is the place where winter tents are sewn by hand in the old mill.",
    ],
)
def test_placeholder_text_is_not_a_description(sentence: str) -> None:
    assert best(paragraphs=[sentence]) is None


def test_a_page_with_placeholder_text_gets_a_reason_and_no_description() -> None:
    page = PageText(title="Winter tents", paragraphs=[PROSE], lang="en", is_filler=True)
    assert candidates(page) == []
    assert "sample text" in why_none(page)


def test_a_suggested_sentence_has_a_title_word_among_its_first_seven_words() -> None:
    near = "In the mill behind the river winter tents are sewn by hand for the whole of the valley."
    far = "In the old mill behind the river we sew winter tents by hand for the whole valley."
    assert best(paragraphs=[near]) == near
    assert best(paragraphs=[far]) is None


def test_a_long_enumeration_is_not_shortened() -> None:
    listed = (
        "For winter tents we use poles, pegs, ropes, zips, buckles, seams, hooks, loops, bags, straps, rings, clips, "
        "tapes, threads, glues, patches, tubes, caps and whatever else the mountain asks for when it snows at night."
    )
    assert best(paragraphs=[listed]) is None


def test_a_description_that_is_too_long_is_cut_at_a_sentence() -> None:
    assert best(description=f"{PROSE} {LONG_SENTENCE}") == f"{TENTS} {REPAIR}"


@pytest.mark.parametrize(
    "sentence",
    [
        "DESCRIPTION Winter tents are as good as any other that can be had for so little money.",
        "NAME Winter tents - as good as any other that can be had for so very little money.",
        "But the winter tents are as good as any other that can be had for so little money.",
        "However, the winter tents are as good as any other that can be had for little money.",
        "In other words, winter tents are as good as any other that can be had for so little.",
        "The former is used for winter tents and everything that has to carry a load of snow.",
        "This layout is used for winter tents and everything else that has to carry the snow.",
        "Note that winter tents are heavier than others and need a second person to carry them.",
        "Winter tents are pitched as shown below, with the entrance away from the wind at night.",
        "The sizes of our winter tents and what they weigh when wet are found in Section 3.4.",
        "For more information on winter tents, ask the people in the workshop behind the house.",
        "Figure 3. Two winter tents after a night of snow, seen from the hut above the valley.",
        "Warning: winter tents must never be heated with an open fire, whatever the weather is.",
        "[1] It is essential that winter tents are dried before they are packed away for long.",
        "our winter tents stand through any storm that a mountain can send to them in a night",
        "Our winter tents stand through any storm See the class of tents for more of the same.",
        "Winter tents are opened with tent.open(key) by whoever has the key to the valley hut.",
        "Winter tents are made by max_tents of the workshop in the valley behind the old mill.",
        "Welcome to WordPress. This is your first post about winter tents, edit or delete it.",
        "Winter tents are found here: Shop → Tents → Winter, or in the menu at the top of all.",
        "The Section Winter Tents showed how they are sewn by hand in the old mill of the valley.",
        "The Chapter “Winter tents” gives an overview of the poles and pegs that they come with.",
        "Die Zelte für den Winter nennt der Abschnitt Werkstatt, und das Kapitel Zelte den Rest.",
        "The Section winterTents of this book shows how the poles and pegs of the tents are made.",
        "That tent for the winter is sewn by hand in the old mill of the valley, as it was before.",
        "As explained in the workshop, winter tents are sewn by hand in the old mill of the valley.",
        "By now, you have pitched winter tents in deep snow and slept in them for a night or two.",
        "Winter tents have many more uses on the mountain that weren't covered in the introduction.",
        "Let's get started with winter tents and how they are sewn by hand in the old mill there.",
        "As tendas de inverno anteriores simplesmente levam uma carga de neve sem nenhuma dobra nelas.",
        "As tendas de inverno da seção acima levam uma carga de neve sem nenhuma dobra em seus lados.",
        "Winter tents need the pegs that are listed as follows, whatever else is in the bag.",
        "Which of our winter tents is the right one for a week on the mountain in deep snow?",
    ],
)
def test_a_sentence_is_not_suggested_if_it_depends_on_another(sentence: str) -> None:
    assert best(paragraphs=[sentence]) is None
    assert best(paragraphs=[TENTS, sentence]) is None  # nor beside another
    if "WordPress" not in sentence:  # what stands beside a sample is one itself
        assert best(paragraphs=[f"{PROSE} {sentence}"]) == f"{TENTS} {REPAIR}"


@pytest.mark.parametrize(
    ("sentence", "stands"),
    [
        ("Winter tents need some care, and you can check the full documentation of them here.", False),
        ("Winter tents have a long documentation of their care, which is available at this link.", False),
        ("Was winter tents im Schnee aushalten, können alle Gäste in der Anleitung nachlesen: hier.", False),
        ("Toute la documentation des winter tents de notre moulin est disponible sur ce lien.", False),
        ("Toda la documentación de las winter tents del molino se puede descargar aquí.", False),
        ("La documentazione delle winter tents del vecchio mulino si può scaricare qui.", False),
        ("De hele handleiding van de winter tents uit de oude molen kun je lezen via deze link.", False),
        ("Toda a documentação das winter tents do velho moinho está disponível aqui.", False),
        ("Całą dokumentację winter tents ze starego młyna za rzeką można przeczytać tutaj.", False),
        ("Все документы о winter tents старой мельницы за рекой можно скачать здесь.", False),
        ("Winter tents are sewn by hand in the old mill, and all of their sizes are described here.", True),
        ("Winter tents are loved all over the world, because nobody can sew them as well as we do here.", True),
        ("Winter tents hang from the guy line on the mast by one broad steel hook with a link.", True),
    ],
)
def test_a_sentence_that_ends_in_a_lost_link_is_not_suggested(sentence: str, stands: bool) -> None:
    assert best(paragraphs=[sentence], lang=None) == (sentence if stands else None)


@pytest.mark.parametrize(
    ("sentence", "stands"),
    [
        ("Winter tents are considered by some to be the best thing that ever came out of the mill.", False),
        ("Winter tents, it is often said, are too heavy for anybody who walks alone in the snow.", False),
        ("For winter tents, many people believe that nothing but heavy cotton will ever be enough.", False),
        ("Über winter tents wird oft behauptet, dass sie für alle Wanderer viel zu schwer sind.", False),
        ("Les winter tents sont considérées par certains comme la meilleure chose du moulin.", False),
        ("Las winter tents son consideradas por algunos como lo mejor que hay en el molino.", False),
        ("Le winter tents sono considerate da molti la cosa migliore di tutto il mulino.", False),
        ("Over winter tents wordt vaak gezegd dat ze voor wandelaars veel te zwaar zijn.", False),
        ("As winter tents são consideradas por muitos a melhor coisa de todo o moinho.", False),
        ("O winter tents często mówi się, że są za ciężkie dla każdego, kto idzie sam.", False),
        ("О winter tents часто говорят, что они слишком тяжелы для тех, кто идёт один.", False),
        ("Winter tents are the reason why, according to some, nobody sleeps in the valley huts.", False),
        ("Winter tents are cold only in the common misconception of those who have never used one.", False),
        ("Für winter tents sprechen laut vielen nur der Preis und das Gewicht auf dem Rücken.", False),
        ("Les winter tents sont, selon certains, trop lourdes pour tous ceux qui marchent seuls.", False),
        ("Que winter tents nur kalt sind, ist ein weit verbreiteter Irrtum derer im Tal unten.", False),
        ("Winter tents are sorted according to something that the mill calls the size of a storm.", True),
        ("Winter tents, according to the mill behind the river, are popular with all who try them.", True),
        ("Winter tents are considered the strongest of all tents by the mill that sews them.", True),
        ("Winter tents are used by some hundred people on the mountain, and by many of them often.", True),
        ("Unsere winter tents werden von vielen genutzt, und eine Hütte wird von vielen gesucht.", True),
        ("Winter tents, as the mill says on its sign, are often sold to people who think ahead.", True),
    ],
)
def test_a_sentence_that_only_reports_a_view_is_not_suggested(sentence: str, stands: bool) -> None:
    assert best(paragraphs=[sentence], lang=None) == (sentence if stands else None)


@pytest.mark.parametrize(
    ("sentence", "stands"),
    [
        ("The tents and are equipped with poles for the winter, which makes it easy to pitch them.", False),
        ("The winter tent component and is equipped with poles, which makes it easy to pitch it.", False),
        ("Die Zelte und sind für den winter mit Stangen ausgerüstet, so dass jeder sie aufbaut.", False),
        ("Les tentes et sont du winter, avec des mâts que tout le monde peut monter dans la neige.", False),
        ("Las tents y son para el winter, con palos que todo el mundo puede montar con calma.", False),
        ("The tents and are-poles for the winter come in one bag, so that it is easy to pitch them.", True),
        ("The winter tent stands and is equipped with poles, which makes it easy to sleep in it.", True),
        ("The tents and all of their poles are made for the winter, so that it is easy to sleep.", True),
        ("The winter module and its poles are made for the snow, and is as light as it was then.", True),
    ],
)
def test_a_sentence_without_a_verb_before_its_and_is_not_suggested(sentence: str, stands: bool) -> None:
    assert best(paragraphs=[sentence], lang=None) == (sentence if stands else None)


@pytest.mark.parametrize(
    ("sentence", "stands"),
    [
        ("Winter tents have become increasingly important over the decades in all of the valley.", False),
        ("Winter tents werden immer wichtiger, weil viele auch im Schnee auf dem Berg schlafen.", False),
        ("Les winter tents sont de plus en plus importantes pour tous ceux qui marchent seuls.", False),
        ("Las winter tents son cada vez más importantes para todos los que caminan por la nieve.", False),
        ("The way in which winter tents are pitched and in which they are dried is fairly complicated.", False),
        ("Wie winter tents auf dem Berg im tiefen Schnee richtig aufgebaut werden, ist sehr einfach.", False),
        ("Monter les winter tents sur la montagne avec quatre mâts dans la neige est assez facile.", False),
        ("Montar las winter tents en la montaña con cuatro palos en la nieve es muy sencillo.", False),
        ("Pitching winter tents with four poles is very simple with a second pair of hands.", True),
        ("Winter tents have become the best that the mill behind the river has ever sewn by hand.", True),
        ("Winter tents werden immer von Hand genäht, und wer sie trägt, findet sie sehr leicht.", True),
    ],
)
def test_a_remark_on_how_hard_or_important_something_is_is_not_suggested(sentence: str, stands: bool) -> None:
    assert best(paragraphs=[sentence], lang=None) == (sentence if stands else None)


@pytest.mark.parametrize(
    "addition",
    [
        "In addition to tents for the winter, the old mill sews bags that weigh next to nothing.",
        "Darüber hinaus näht die Mühle winter tents und Taschen, die fast nichts wiegen, von Hand.",
        "Par ailleurs, les winter tents et les sacs du moulin sont légers pour tous ceux qui marchent.",
        "Além disso, as winter tents e os sacos do moinho não pesam quase nada na mochila.",
    ],
)
def test_a_sentence_that_begins_as_an_addition_is_not_suggested(addition: str) -> None:
    assert best(paragraphs=[addition], lang=None) is None


def test_the_text_of_the_first_of_several_cards_is_not_suggested() -> None:
    cards = [
        "All about our tents.",
        "Winter tents for the mountain such as the ones with four poles, six poles and so on.",
        "Bags and boxes, such as those for the car.",
        "Poles for every storm, and pegs for the snow.",
    ]
    assert best(paragraphs=cards, sections=[0, 1, 2, 3]) is None
    assert best(paragraphs=cards, sections=[0, 1, 1, 2]) == cards[1], "a section with two paragraphs is a text"
    assert best(paragraphs=cards, sections=[0, 1, 3, 5]) == cards[1], "headings without text are those of a text"
    assert best(paragraphs=cards[:3], sections=[0, 1, 2]) == cards[1]
    opening = [f"{TENTS} {REPAIR}", *cards[1:]]
    assert best(paragraphs=opening, sections=[0, 1, 2, 3]) == opening[0]


@pytest.mark.parametrize(
    "taken_back",
    [
        "But this is not enough. Pegs are needed.",
        "However, the tape of the seams has to be bought elsewhere, and it is not cheap",  # cut off
        "In addition, winter tents can be repaired by whoever has a needle and some thread.",
        "Sin embargo, las costuras no son nada más que hilo.",
        "Allerdings sind die Nähte nur aus Garn.",
    ],
)
def test_a_sentence_is_not_suggested_if_the_next_one_contradicts_it(taken_back: str) -> None:
    first = "Our winter tents are sewn by hand in the old mill, and every seam of them is taped."
    assert best(paragraphs=[f"{first} Pegs are needed."]) == first
    assert best(paragraphs=[f"{first} {taken_back}"]) is None
    assert best(description=f"{first} {taken_back} {LONG_SENTENCE}") is None
    before = "Winter tents are what the old mill behind the river sews by hand, as it did long ago."
    assert best(paragraphs=[f"{before} {first} {taken_back}"]) == before


@pytest.mark.parametrize(
    ("sentence", "stands"),
    [
        ("The mill also says that winter tents are sewn by hand and taped in every seam of them.", False),
        ("Winter tents, also called snow tents, are sewn by hand and taped in every seam of them.", True),
        ("Las winter tents también se cosen a mano en el molino viejo que hay detrás del río.", False),
        ("Die Mühle näht auch winter tents von Hand und klebt jede ihrer Nähte mit einem Band ab.", False),
    ],
)
def test_a_sentence_is_not_suggested_if_it_adds_to_another(sentence: str, stands: bool) -> None:
    assert best(paragraphs=[sentence], lang=None) == (sentence if stands else None)
    assert best(description=f"{sentence} {LONG_SENTENCE}", lang=None) == (sentence if stands else None)


NOTE = "Winter tents of the old mill carry a load of snow without a single crease in them."


@pytest.mark.parametrize(
    "remark",
    [
        "This document describes features that are available in version 3.6 and later releases.",
        "This manual usually does not go into the details of how winter tents are sewn by hand.",
        "Este manual normalmente no entra en detalles de las winter tents, que son muy largos.",
        "Note: the words of the old mill are kept here as they were told in the year of the flood.",
        "Hinweis: Die Worte der alten Mühle stehen hier, wie sie im Jahr der Flut gesagt wurden.",
    ],
)
def test_a_remark_about_the_document_itself_is_skipped(remark: str) -> None:
    assert best(paragraphs=[remark], lang=None) is None
    assert best(paragraphs=[remark, NOTE], lang=None) == NOTE
    assert best(paragraphs=[remark, NOTE], sections=[0, 1], lang=None) in (None, NOTE)


def test_a_sentence_about_the_guide_itself_may_name_the_topic_late() -> None:
    guide = "This guide tells in a few words what has to be known about the making of winter tents."
    assert best(paragraphs=[guide]) == guide
    assert best(paragraphs=[guide.replace("winter tents", "sleds")]) is None


@pytest.mark.parametrize(
    ("shared", "suggested"),
    [
        ("Winter tents from the old mill, sewn by hand and taped in all of their seams", "{}."),
        ("winter tents from the old mill, sewn by hand and taped in all of their seams.", "W{1}"),
        ("the winter tents of the old mill are sewn by hand and taped in all of their seams", "T{1}."),
    ],
)
def test_an_existing_description_gets_a_capital_letter_and_a_full_stop(shared: str, suggested: str) -> None:
    wanted = suggested.replace("{}", shared).replace("{1}", shared[1:])
    assert best(title="Winter tents of the mill", og_description=shared) == wanted


def test_a_code_name_that_begins_in_lower_case_is_not_capitalised() -> None:
    sentence = "mkwinter sews winter tents by hand and tapes all of their seams, as the old mill did."
    assert best(title="mkwinter", h1="mkwinter", paragraphs=[sentence]) == sentence


def test_footnote_and_code_marks_are_removed_from_a_sentence() -> None:
    text = "Winter tents[1] are sewn by hand in the old mill [12] (see Mills), and `taped` seams[*] keep the rain out."
    assert best(paragraphs=[text]) == (
        "Winter tents are sewn by hand in the old mill, and taped seams keep the rain out."
    )


GERMAN = "Unsere Zelte für den Winter werden von Hand genäht, und jede Naht ist gegen den Regen versiegelt."
ENGLISH = "These tents for the winter are sewn by hand, and all the seams of them are taped against the rain."


def test_a_description_has_the_same_language_as_the_page() -> None:
    page = {"title": "Zelte für den Winter", "h1": "Tents", "lang": "de", "language": "de"}
    assert best(**page, paragraphs=[ENGLISH.replace("These", "Our"), GERMAN]) == GERMAN
    assert best(**page, og_description=ENGLISH.replace("These", "Our"), paragraphs=[]) is None
    # Declared wrongly, as it happens: the text tells.
    assert best(**{**page, "lang": "de", "title": "Zelte", "h1": "Zelte"}, paragraphs=[GERMAN]) == GERMAN


def test_the_name_of_the_website_is_not_a_topic() -> None:
    text = "Acme has been making things of all kinds in the old mill behind the river for many years."
    assert best(title="Winter tents", h1=None, name=" | Acme", paragraphs=[text]) is None
    assert best(title="Acme", h1=None, name=" | Acme", paragraphs=[text]) == text


def test_a_reason_is_given_if_no_description_is_suggested() -> None:
    assert "no paragraph" in why_none(PageText(title="Tents"))
    assert "clear on their own" in why_none(PageText(title="Tents", paragraphs=["Soup."]))
    assert "list" in why_none(PageText(kind=PageKind("archive")))
    assert "Log-in" in why_none(PageText(kind=PageKind("account")))


def test_each_suggested_description_says_where_its_text_comes_from() -> None:
    shared = "Tents that stand through any winter storm, sewn and repaired in our own workshop."
    for page, source in (
        ({"og_description": shared}, "og_description"),
        ({"description": f"{PROSE} {LONG_SENTENCE}"}, "description"),
        ({"paragraphs": [PROSE]}, "first_paragraph"),
        (
            {
                "paragraphs": [
                    "Made in the old mill.",
                    PROSE.replace(TENTS, "Winter tents are a shelter from any storm."),
                ]
            },
            "paragraph",
        ),
    ):
        found = candidates(PageText(title="Winter tents", lang="en", **page))  # type: ignore[arg-type]
        assert [one.source for one in found][:1] == [source]


def test_a_sentence_is_dependent_if_it_refers_to_an_earlier_one() -> None:
    paragraph = (
        "Morning came slowly over the valley where our old workshop has been standing for many a year. "
        "It was the first tent that we had ever sewn in the workshop on the other side of the river."
    )
    assert candidates(PageText(title="Tent", paragraphs=[paragraph[:96]], lang="en")) == []
    assert all(not text.startswith("It was") for text, _ in candidates(PageText(title="Tent", paragraphs=[paragraph])))


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
def test_unsuitable_sentences_are_never_suggested(kind: str, paragraph: str) -> None:
    assert best(paragraphs=[paragraph]) is None, kind


def test_the_sample_page_of_a_new_wordpress_gets_no_description() -> None:
    sample = (
        "This is an example page. It’s different from a blog post because it will stay in one place and will show up "
        "in your site navigation (in most themes). Most people start with an About page that introduces them."
    )
    page = {"title": "Sample Page – Acme", "h1": "Sample Page", "name": " – Acme"}
    assert best(**page, paragraphs=[sample]) is None
    guide = {"title": "A guide – Acme", "h1": "A guide", "name": " – Acme"}
    assert best(**guide, paragraphs=[sample.replace("an example page", "a guide")]) is not None


def test_a_number_word_is_not_a_topic() -> None:
    paragraph = "One portion weighs little and leaves you hungry enough for another dinner tonight."
    assert best(title="Curry for one", h1=None, paragraphs=[paragraph]) is None


def test_a_value_that_the_page_already_has_is_not_suggested() -> None:
    assert best(description=f"{TENTS} {REPAIR}", og_description=f"{TENTS} {REPAIR}", paragraphs=[]) is None


@pytest.mark.parametrize("kind", ["account", "empty_archive", "search"])
def test_login_empty_archive_and_search_pages_get_no_description(kind: str) -> None:
    assert best(kind=PageKind(kind), paragraphs=[PROSE], og_description=PROSE[:120]) is None  # type: ignore[arg-type]


def test_only_text_about_the_list_is_suggested_for_a_post_list() -> None:
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
def test_pages_of_special_kinds_get_advice(kind: PageKind, recommended: str) -> None:
    advice = advice_for(kind)
    assert advice is not None
    assert (advice.page_kind, advice.legal_kind, advice.recommended) == (kind.kind, kind.legal_kind, recommended)
    assert advice.message


def test_ordinary_pages_get_no_advice() -> None:
    assert advice_for(PageKind()) is None
    assert advice_for(PageKind("contact")) is None


def test_abbreviations_do_not_end_a_sentence() -> None:
    text = "Winter tents by Dr. Example, i.e. those of 1.5 kg, are sewn by St. Gallen's best hands for the mountain."
    assert best(paragraphs=[text]) == text


def test_descriptions_are_found_in_other_languages() -> None:
    german = "Unsere Zelte für den Winter halten jedem Sturm stand. Jede Naht wird von Hand geprüft und versiegelt."
    assert best(title="Winterzelte", h1="Zelte", paragraphs=[german], lang="de") == german
    french = "Nos tentes d'hiver résistent à toutes les tempêtes. Chaque couture est vérifiée à la main chez nous."
    assert best(title="Tentes d'hiver", h1="Tentes", paragraphs=[french], lang="fr") == french
    japanese = "冬山のテントはどんな嵐にも耐えます。"  # 18 characters, as wide as 36
    sewn, carried = "縫い目はすべて手で縫われています。", "袋は軽くて丈夫です。"
    page = {"title": "テント", "h1": "冬山のテント", "lang": "ja", "language": "ja"}
    assert best(**page, paragraphs=[japanese + sewn + carried]) == japanese + sewn  # enough, and about the bag


_ASIDE = re.compile(r" ?\([^()]*\)")
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
def test_suggested_descriptions_have_an_allowed_length_and_only_text_of_the_page(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(50):
        page = PageText(
            title=_text(draw)[:60],
            h1=_text(draw)[:40] or None,
            description=draw.choice((None, _text(draw))),
            og_description=draw.choice((None, _text(draw))),
            paragraphs=[_text(draw) for _ in range(3)],
            lang=draw.choice((None, "en", "de")),
            sections=[0, draw.randint(0, 1), draw.randint(1, 4)],
        )
        sources = [text for text in (page.description, page.og_description, *page.paragraphs) if text]
        found = candidates(page)
        assert found == candidates(page)
        for text, _ in found:
            assert SHORTEST <= len(text) <= LONGEST  # no wide characters here
            assert description_px(text) <= WIDEST_PX
            assert fold(text) != fold(page.description or "")
            assert text.rstrip(')"').endswith((".", "!", "?"))
            bare = [_ASIDE.sub("", source) for source in (*sources, " ".join(page.paragraphs))]
            said = _ASIDE.sub("", text)[1:]  # it may have got a capital, and a full stop
            assert any(said in source or said.removesuffix(".") == source[1:] for source in bare)


def test_a_sentence_may_end_with_a_year() -> None:
    text = "Our winter tents have been sewn by hand in the old mill of the valley since 1987."
    assert best(paragraphs=[text]) == text
    assert best(paragraphs=[f"{text} {REPAIR}"]) is not None


def test_a_french_sentence_may_begin_with_a_demonstrative() -> None:
    text = "Ce module permet de coudre des tentes d'hiver qui résistent aux tempêtes de la montagne."
    found = best(
        title="Module de tentes d'hiver", h1="Module de tentes d'hiver", lang="fr", language="fr", paragraphs=[text]
    )
    assert found == text


def test_a_german_concessive_clause_is_dependent() -> None:
    text = "Obwohl unsere Winterzelte schwer sind, halten sie jedem Sturm der Berge stand, auch im Schnee."
    assert best(title="Winterzelte", h1="Winterzelte", lang="de", language="de", paragraphs=[text]) is None


def test_a_first_sentence_about_this_module_or_this_guide_may_be_suggested() -> None:
    module = "This module reads what others wrote in a hurry, and tells what of it can be trusted."
    assert best(paragraphs=[module]) == module
    assert best(paragraphs=[TENTS, module]) != module
    guide = "Dieses Handbuch erklärt Schritt für Schritt, wie man im Gebirge auch bei Sturm trocken schläft."
    assert best(title="Trockene Nächte", h1="Trockene Nächte", lang="de", paragraphs=[guide]) == guide
    assert best(paragraphs=["This makes reading what others wrote in a hurry a good deal easier than before."]) is None
    assert best(paragraphs=["This section reads what others wrote in a hurry, and tells what can be trusted."]) is None


def test_a_sentence_with_words_like_first_or_as_you_can_see_is_dependent() -> None:
    for sentence in (
        "Finally a winter tent carries a load of snow without a single crease in its fabric.",
        "First, a winter tent carries a load of snow without a single crease in its fabric.",
        "Primero a winter tent carries a load of snow without a single crease in its fabric.",
        "Первый a winter tent carries a load of snow without a single crease in its fabric.",
        "A winter tent, as you can see, carries a load of snow without a single crease in it.",
        "A winter tent carries all the snow there is, except as told in the next paragraph.",
    ):
        assert best(paragraphs=[sentence]) is None


def test_a_sentence_about_a_license_is_not_a_description() -> None:
    for sentence in (
        "Winter tents used under license from the makers of the first tents of this kind.",
        "Winter tents of this kind are licensed under the same terms as all other tents here.",
    ):
        assert best(paragraphs=[sentence]) is None


@pytest.mark.parametrize(
    ("sentence", "lang"),
    [
        ("This is the official style guide of the workshop behind the river in the old valley.", "en"),
        ("This is the main workshop file for everything that is sewn in the mill by the river.", "en"),
        ("Dies ist das offizielle Handbuch der Werkstatt, in der seit vielen Jahren genäht wird.", "de"),
        ("Este es el manual oficial del taller que está detrás del río desde hace muchos años ya.", "es"),
    ],
)
def test_an_opening_that_says_what_the_page_is_can_stand_alone(sentence: str, lang: str) -> None:
    assert best(title="Sewing", h1="Sewing", lang=lang, language=lang, paragraphs=[sentence]) == sentence


@pytest.mark.parametrize(
    "sentence",
    [
        "This is an important question for everyone who wants to sew in the mill by the river.",
        "This is the second guide of the workshop behind the river, for those who sew at night.",
        "This is an example file for everything that is done in the mill by the old river, too.",
        "This is a simple box, for calling attention to the things that are done by the river.",
        "This is why a guide was written by the people in the mill by the river and its valley.",
    ],
)
def test_an_opening_that_names_no_page_with_this_does_not_describe_it(sentence: str) -> None:
    assert best(title="Sewing", h1="Sewing", paragraphs=[sentence]) is None


def test_a_clause_with_as_before_an_article_is_no_verb_without_subject() -> None:
    clause = "As the winter tents of the workshop dry slowly, a fire is lit in the mill on some nights."
    verb = "Dries the winter tents of the workshop slowly while a fire is lit in the mill on some nights."
    entries = [clause, "Poles are made of wood.", "Pegs are made of wood."]
    assert best(paragraphs=entries, sections=[0, 1, 2]) == clause
    assert best(paragraphs=[verb, *entries[1:]], sections=[0, 1, 2]) is None


def with_name(sentence: str, name: str = "Winter tents of the mill", **page: object) -> list[str]:
    found = named(PageText(**{"title": name, "h1": name, "lang": "en", "paragraphs": [sentence], **page}), name)  # type: ignore[arg-type]
    return [] if found is None else [found[0].text]


SHORT = "Tents for the winter carry snow without a crease."


@pytest.mark.parametrize("mark", [":", ";", " ;"])
def test_a_long_sentence_ends_at_a_mark_if_enough_precedes_it(mark: str) -> None:
    beginning = "Our winter tents are sewn from a strong fabric that stretches in both directions"
    assert best(paragraphs=[f"{beginning}{mark} {LONG_SENTENCE}"]) == f"{beginning}."
    assert best(paragraphs=[f"Our winter tents are sewn{mark} {LONG_SENTENCE}"]) is None


@pytest.mark.parametrize(
    ("beginning", "rest"),
    [
        ("Our winter tents are sewn from a strong fabric that stretches in both directions, namely:", "A"),
        ("Our winter tents are sewn from a fabric that stretches in one of both directions for the:", "A"),
        ('Our winter tents are sewn from a strong fabric that is called "Wind and snow:', 'in both directions" as a'),
        ("Our winter tents are sewn from a strong fabric that stretches in both directions;", "but a"),
        ("Our winter tents are sewn from a strong fabric – it stretches in both directions –", "and a"),
    ],
)
def test_a_part_that_depends_on_the_rest_of_its_sentence_is_not_quoted(beginning: str, rest: str) -> None:
    assert best(paragraphs=[f"{beginning} {rest}{LONG_SENTENCE[1:]}"]) is None


def test_a_sentence_on_the_website_describes_a_page_whose_topic_it_names() -> None:
    sentence = "Acme repairs the poles of all kinds, and also the pegs of each tent that stood in snow."
    page = {"title": "Pegs, ropes, bags", "h1": "Pegs, ropes and bags", "lang": "en", "paragraphs": [sentence]}
    assert [one.text for one in candidates(PageText(**page, name="Acme Outdoor Manual"))] == [sentence]  # type: ignore[arg-type]
    assert candidates(PageText(**page, name="The Old Mill")) == []  # type: ignore[arg-type]
    page["paragraphs"] = [sentence.replace("Acme repairs", "Acme cannot repair")]
    assert candidates(PageText(**page, name="Acme Outdoor Manual")) == []  # type: ignore[arg-type]
    page["paragraphs"] = [sentence.replace("repairs", "was made to repair")]
    assert candidates(PageText(**page, name="Acme Outdoor Manual")) == []  # type: ignore[arg-type]


def test_a_short_line_may_precede_the_sentence_that_names_the_page() -> None:
    sentence = "This page explains how a fire is lit in the mill at night, when all the others sleep."
    assert best(paragraphs=["See the options: warm, dry.", sentence]) == sentence
    assert best(paragraphs=[f"See the options: {'warm and dry, ' * 5}or wet.", sentence]) is None


def test_the_name_of_the_page_precedes_a_sentence_that_is_too_short() -> None:
    assert best(paragraphs=[SHORT]) is None
    assert with_name(SHORT) == [f"Winter tents of the mill – {SHORT}"]
    page = "This page shows how snow is carried by tents."
    assert with_name(page, "Storms in the old mill of stone") == [f"Storms in the old mill of stone – {page}"]
    brief = "This short page shows how snow is carried by tents."
    assert with_name(brief, "Storms in the old mill of stone") == [f"Storms in the old mill of stone – {brief}"]
    verb = "Draws snow on the roof of the old mill by the river."
    assert with_name(verb, "Tools: Winter on the roof") == [f"Tools: Winter on the roof – {verb}"]
    assert with_name(PROSE) == [], "long enough without the name"
    assert with_name(SHORT, "Winter tents") == [], "too short even with the name"


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("The old mill stands by the river in the valley.", "Winter tents and a mill of stone, dry"),
        ("Winter tents of the mill carry snow without a crease.", "Winter tents of the mill"),
        ("The winter tents of the mill carry snow without a crease.", "Winter tents of the mill"),
        ("tentOpen() opens the winter tents in the old mill.", "Opening winter tents of the mill"),
        ("Winter tents are no other tents than those of the mill.", "Winter tents of the old mill"),
        (SHORT, "What are winter tents made for?"),
        (SHORT, "The workshop: winter tents of the mill"),
        (SHORT, "Winter tents für den Winter und mehr"),
    ],
)
def test_the_name_does_not_precede_a_sentence_that_does_not_describe_it(sentence: str, name: str) -> None:
    assert with_name(sentence, name, language="en") == []


def test_log_in_pages_and_lists_get_no_short_sentence_with_their_name() -> None:
    for kind in ("account", "archive"):
        assert with_name(SHORT, kind=PageKind(kind)) == []
    assert with_name(SHORT, is_filler=True) == []
