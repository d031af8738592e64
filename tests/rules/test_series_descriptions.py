"""Descriptions of pages of a series: what says something of one of them, and what of all."""

from typing import Any

from chalicelib.domain.page.facts import PageFacts
from tests.rules.builders import page
from tests.rules.suggestions_of import suggested, values

MISSING = "SEO-ONP-010"
TOO_LONG = "SEO-ONP-012"
SERIES = "This article is part of our series on sewing sails by hand for people who have never done it."
PEGS = "Pegs of ash wood hold the sails in any storm, if they are cut in winter and dried by the stove."


def article(path: str, subject: str, *paragraphs: str, **changes: Any) -> PageFacts:
    """An article of the series on sails without a description."""
    known: dict[str, Any] = {
        "title": f"Sewing sails - Part for beginners - {subject}",
        "description": None,
        "headings": [(1, subject)],
        "paragraphs": list(paragraphs),
        "sections": [0] * len(paragraphs),
    }
    return page(path, **{**known, **changes})


def website(*pages: PageFacts) -> list[PageFacts]:
    """These pages among enough others, so that their titles are not those of the whole website."""
    return [page("/"), *(page(f"/walk-{at}", title=f"A quiet walk number {at}") for at in range(20)), *pages]


def others(*paragraphs: str) -> list[PageFacts]:
    return [article(f"/{subject}", subject, *paragraphs) for subject in ("Ropes", "Seams", "Masts")]


def test_the_name_of_a_series_is_not_the_topic_of_an_article() -> None:
    of_series = "Sewing sails is what we go on with today, as we have promised to all of our readers long ago."
    alone = article("/pegs", "Pegs", of_series)
    assert values(suggested(website(alone)), MISSING) == {"/pegs": of_series}
    found = values(suggested(website(alone, *others())), MISSING)
    assert found["/pegs"] is None
    found = values(suggested(website(article("/pegs", "Pegs", PEGS), *others())), MISSING)
    assert found["/pegs"] == PEGS


def test_a_series_may_have_titles_that_are_only_numbers() -> None:
    of_series = "Sewing sails is what we go on with today, as we have promised to all of our readers long ago."
    numbered = [article(f"/{number}", str(number)) for number in range(2, 5)]
    assert values(suggested(website(article("/1", "1", of_series), *numbered)), MISSING)["/1"] == of_series


def test_a_sentence_that_begins_like_others_needs_a_word_of_its_page() -> None:
    begun = "This article is part of our series on sewing {} by hand, for people who never did it."
    pages = [article(f"/{what}", what, begun.format("big sails " + "and more " * at), title=f"{what} for part-timers")
             for at, what in enumerate(("Ropes", "Seams", "Masts"))]  # fmt: skip
    about = article("/pegs", "Pegs", begun.format("sails and pegs"), title="Pegs for part-timers")
    found = values(suggested(website(*pages, about)), MISSING)
    assert found == {"/Ropes": None, "/Seams": None, "/Masts": None, "/pegs": begun.format("sails and pegs")}


def test_a_sentence_shared_by_a_whole_series_is_not_a_description() -> None:
    more = "It was written in the old mill behind the river, where {} have been made for as long as anybody knows."
    pages = [
        article(f"/{what}", what, description=f"{SERIES[:-1]}{'!' * at}. {more.format(what)}")
        for at, what in enumerate(("Ropes", "Seams", "Masts"), 1)
    ]
    last = article("/pegs", "Pegs", description=f"{SERIES} {more.format('pegs')}")
    assert values(suggested(website(last)), TOO_LONG) == {"/pegs": SERIES}
    assert values(suggested(website(*pages, last)), TOO_LONG)["/pegs"] is None


def test_copies_of_a_page_form_no_series() -> None:
    same = {"text_hash": "the same", "title": "Ash wood for beginners"}
    copies = [article(path, "Wood", SERIES.replace("sails", "wood"), **same) for path in ("/a", "/b", "/c", "/d")]
    found = values(suggested(website(*copies), sitemap=["/a"]), MISSING)
    assert found["/a"] == SERIES.replace("sails", "wood") and set(found.values()) == {found["/a"], None}


def test_a_heading_at_the_start_of_a_description_is_left_out() -> None:
    long = f"Summary {PEGS} " + "Whoever has no ash wood takes the wood of a hazel that grew in the shade of a wall."
    headings = [(1, "Pegs"), (2, "Summary")]
    joined = article("/pegs", "Pegs", PEGS, description=long, headings=headings)
    assert values(suggested(website(joined)), TOO_LONG) == {"/pegs": PEGS}
    own = article("/pegs", "Pegs", description=long.replace("Summary Pegs", "Summary pegs"), headings=headings)
    assert values(suggested(website(own)), TOO_LONG)["/pegs"] != PEGS  # no paragraph shows where it begins
