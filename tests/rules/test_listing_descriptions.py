"""Descriptions of pages that list, as an audit of the website suggests them."""

from typing import Any

import pytest

from chalicelib.domain.audit.records import AffectedPage
from chalicelib.domain.page.facts import Link, PageFacts
from chalicelib.rules.engine import Judge
from chalicelib.rules.suggesting import Suggester
from tests.rules.builders import address, page, site_facts, site_of
from tests.rules.suggestions_of import suggested, values

MISSING = "SEO-ONP-010"
SECTIONS = ["Choosing a place for the night", "Laying out the groundsheet", "Raising the poles"]


def listing(path: str, title: str, sections: list[str], **changes: Any) -> PageFacts:
    headings = [(1, title), *((2, section) for section in sections)]
    return page(path, **{"title": title, "description": None, "headings": headings, **changes})


def test_a_page_without_a_suitable_sentence_is_described_by_its_headings() -> None:
    found = suggested([page("/"), listing("/snow", "Pitching tents in the snow", SECTIONS)])[MISSING].suggestions[0]
    assert found.suggested == f"Pitching tents in the snow: {', '.join(SECTIONS)}."
    assert found.source == "headings" and found.note is None


def test_a_suitable_sentence_is_preferred_to_a_list_of_headings() -> None:
    sentence = "Pitching tents in the snow is an art that needs a second pair of hands and some good poles."
    pages = [page("/"), listing("/snow", "Pitching tents in the snow", SECTIONS, paragraphs=[sentence])]
    assert values(suggested(pages), MISSING) == {"/snow": sentence}


def test_a_short_sentence_with_the_name_is_used_if_nothing_else_describes_the_page() -> None:
    short, name = "Snow carries a tent that is pitched well.", "Pitching tents in the snow"
    with_list = listing("/list", "Living in a tent in the snow", SECTIONS, paragraphs=["Snow and a tent are enough."])
    plain = listing("/snow", name, [], paragraphs=[short])
    found = values(suggested([page("/"), plain, with_list]), MISSING)
    assert found["/snow"] == f"{name} – {short}"
    assert found["/list"] == f"Living in a tent in the snow: {', '.join(SECTIONS)}."
    topics = [f"Pitching tents in the {one}" for one in ("snow", "sand", "rain")]
    alike = [
        listing(f"/{at}", topic, [], paragraphs=["Tents are pitched in the mill."]) for at, topic in enumerate(topics)
    ]
    assert set(values(suggested([page("/"), *alike]), MISSING).values()) == {None}, "it distinguishes none of them"


def test_headings_shared_with_other_pages_are_not_used_as_description() -> None:
    topics = ["Pitching tents in the snow", "Pitching tents in the sand", "Pitching tents in the rain"]
    pages = [page("/"), *(listing(f"/{at}", topic, SECTIONS) for at, topic in enumerate(topics))]
    assert set(values(suggested(pages), MISSING).values()) == {None}
    own = ["Digging a hole in the snow", "Melting snow for the tea", "Drying socks over the stove"]
    pages.append(listing("/own", "Living in a tent in the snow", [*SECTIONS, *own]))
    assert values(suggested(pages), MISSING)["/own"] == f"Living in a tent in the snow: {', '.join(own)}."


def test_post_archives_and_login_pages_get_no_description() -> None:
    posts = listing("/category/tents/", "Category: Tents for the snow", SECTIONS, body_class="archive category")
    account = listing("/login", "Log in to the tent shop", SECTIONS, shows_kind=True)
    assert set(values(suggested([page("/"), posts, account]), MISSING).values()) == {None}


@pytest.mark.parametrize(("linked", "listed"), [(3, False), (2, False), (1, True)])
def test_headings_that_link_to_other_pages_are_not_used_as_description(linked: int, listed: bool) -> None:
    to_entries = [Link(address(f"/entry-{at}"), text) for at, text in enumerate(SECTIONS[:linked])]
    to_itself = [Link(address("/snow"), text) for text in SECTIONS]
    facts = listing("/snow", "Pitching tents in the snow", SECTIONS, links=[*to_entries, *to_itself])
    assert (values(suggested([page("/"), facts]), MISSING)["/snow"] is not None) is listed


def test_headings_in_another_language_are_not_used_as_description() -> None:
    text = "Unsere Zelte werden in der alten Mühle von Hand genäht, und das ist auch gut so, wie wir meinen."
    english = ["How the tents are sewn by hand", "What is in the bag of the tent", "Where to sleep in the snow"]
    pages = [page("/"), listing("/snow", "Zeltbau", english, paragraphs=[f"Aber {text}"], lang="de")]
    assert values(suggested(pages), MISSING) == {"/snow": None}
    untold = [page("/"), listing("/snow", "Zeltbau", english, lang="de")]
    assert values(suggested(untold), MISSING) == {"/snow": f"Zeltbau: {', '.join(english)}."}


def test_headings_shared_only_with_copies_of_a_page_may_describe_it() -> None:
    paths = ("/snow", "/snow-2", "/archive/old/snow", "/archive/older/snow")
    copies = [listing(path, "Pitching tents in the snow", SECTIONS, text_hash="the same") for path in paths]
    found = values(suggested([page("/"), *copies], sitemap=["/snow"]), MISSING)
    assert found["/snow"] == f"Pitching tents in the snow: {', '.join(SECTIONS)}."
    assert [found[path] for path in paths[1:]] == [None] * 3


def again(facts: PageFacts, before: dict[str, str]) -> str | None:
    """What is suggested where this page alone is looked at again."""
    website = site_of([page("/"), facts], site_facts())
    judge, suggester = Judge(website), Suggester(website, "site_1", None, before)
    suggester.add(facts, [rule_id for rule_id, _ in judge.page(facts).findings])
    affected = {MISSING: [AffectedPage(facts.url, "page_1", {}, 1, 1)]}
    return suggester.finish(affected)[MISSING].suggestions[0].suggested


def test_a_composed_description_is_kept_at_a_recheck_if_the_headings_are_unchanged() -> None:
    last = ["Tying the ropes to trees", "Sleeping until it is light", "Having breakfast in the snow"]
    whole = [*SECTIONS, *last, *(f"Mending the tent with {tool} in the dark" for tool in ("wax", "glue", "thread"))]
    facts = listing("/snow", "Pitching tents in the snow", whole)
    before = values(suggested([page("/"), facts]), MISSING)["/snow"]
    assert before is not None and before.endswith(" …")
    assert again(facts, {facts.url: before}) == before
    assert again(facts, {}) is None  # what others list is not known
    assert again(listing("/snow", "Pitching tents in the snow", whole[1:]), {facts.url: before}) is None


def test_a_description_composed_by_an_earlier_release_is_kept_as_it_was() -> None:
    named = [page(f"/{number}", title=f"Rope number {number} | Old Mill") for number in range(6)]
    facts = listing("/snow", "Pitching tents in the snow", SECTIONS)
    pages = [page("/", title="Old Mill"), *named, facts]
    whole = values(suggested(pages), MISSING)["/snow"]
    assert whole is not None and whole.startswith("Pitching tents in the snow (Old Mill): ")
    before = whole.replace(" (Old Mill)", "")
    website = site_of(pages, site_facts())
    suggester = Suggester(website, "site_1", None, {facts.url: before})
    suggester.add(facts, [MISSING])
    found = suggester.finish({MISSING: [AffectedPage(facts.url, "page_1", {}, 1, 1)]})
    assert found[MISSING].suggestions[0].suggested == before


def test_placeholder_headings_are_not_listed() -> None:
    samples = ["Featured title", "Project title", "Card title"]
    assert values(suggested([page("/"), listing("/snow", "Pitching tents", samples)]), MISSING) == {"/snow": None}


@pytest.mark.parametrize("slogan", ["Small tents. Big nights", "The tents for", "Small. Tents. Nights"])
def test_a_slogan_does_not_introduce_a_list_of_headings(slogan: str) -> None:
    assert values(suggested([page("/"), listing("/snow", slogan, SECTIONS)]), MISSING) == {"/snow": None}
    headings = [(1, slogan), *((2, section) for section in SECTIONS)]
    named = page("/snow", title="Pitching tents in the snow", description=None, headings=headings)
    assert values(suggested([page("/"), named]), MISSING) == {
        "/snow": f"Pitching tents in the snow: {', '.join(SECTIONS)}."
    }


def test_a_page_with_placeholder_text_gets_no_description() -> None:
    facts = listing("/snow", "Pitching tents in the snow", SECTIONS, placeholders=[("lorem", "Lorem ipsum dolor")])
    found = suggested([page("/"), facts])[MISSING].suggestions[0]
    assert found.suggested is None and "sample text" in (found.note or "")


def test_the_first_teaser_of_a_post_list_does_not_describe_the_list() -> None:
    teaser = "Pitching tents in the snow is an art that needs a second pair of hands and some good poles."
    title = "Pitching tents: all posts"
    lists = [listing(path, title, [], paragraphs=[teaser]) for path in ("/blog/", "/tents/page/2")]
    assert set(values(suggested([page("/"), *lists]), MISSING).values()) == {None}


def test_a_logo_is_not_a_topic_if_it_is_the_h1_of_every_page() -> None:
    text = "Skarn workshop is open from morning to evening, and the neighbour bakes bread for everybody."
    pages = [
        page(f"/{at}", title=f"Pegs number {at} of many", description=None, headings=[(1, "Skarn workshop")])
        for at in range(6)
    ]
    last = page("/poles", title="Poles of wood", description=None, headings=[(1, "Skarn workshop")], paragraphs=[text])
    assert values(suggested([page("/"), *pages, last]), MISSING)["/poles"] is None


OPENING = "Pitching tents in the snow is an art, and whoever means to learn it needs a second pair of hands, {}."
TOO_LONG = OPENING.format(
    "some good poles, a shovel with a long handle, and more patience than anybody ever has in wind"
)


@pytest.mark.parametrize("opening", [TOO_LONG, "Whoever means to learn this needs more than two hands."])
@pytest.mark.parametrize("section", [0, 1])
def test_sections_are_listed_if_the_opening_text_cannot_be_quoted(opening: str, section: int) -> None:
    facts = listing("/snow", "Pitching tents in the snow", SECTIONS, paragraphs=[opening])
    facts.sections = [section]
    listed = f"Pitching tents in the snow: {', '.join(SECTIONS)}."
    assert values(suggested([page("/"), facts]), MISSING)["/snow"] == listed


def test_a_list_of_links_below_a_long_text_is_navigation_and_below_a_short_one_a_hub() -> None:
    facts = page("/snow", title="Pitching tents in the snow", description=None, headings=[], listed=SECTIONS)
    assert values(suggested([page("/"), facts]), MISSING)["/snow"] is not None
    text = "In winter all of this takes longer than anybody would believe."
    for count, listed in ((1, True), (12, False)):
        facts.paragraphs, facts.sections = [" ".join([text] * count)], [0]
        assert (values(suggested([page("/"), facts]), MISSING)["/snow"] is not None) is listed


def test_no_list_is_suggested_for_a_good_description_that_is_too_long() -> None:
    rule = "SEO-ONP-012"
    for_all = "Everything that anybody has ever wanted to know about huts, poles, pegs, bags, boots and other things"
    described = listing("/snow", "Pitching tents in the snow", SECTIONS, description=TOO_LONG)
    assert values(suggested([page("/"), described]), rule) == {"/snow": None}
    vague = listing("/snow", "Pitching tents in the snow", SECTIONS, description=f"{for_all}, and {for_all}.")
    assert values(suggested([page("/"), vague]), rule) != {"/snow": None}


def test_a_text_replaces_a_short_description_only_if_it_says_as_much() -> None:
    title, rule = "Pitching tents in the snow", "SEO-ONP-013"
    sentence = f"{title} is an art that needs a second pair of hands and some good poles of steel."
    for extra in ({"paragraphs": [sentence]}, {}):
        same = listing("/snow", title, SECTIONS, description="Pitching tents at night.", **extra)
        assert values(suggested([page("/"), same]), rule)["/snow"] is not None
        more = listing("/snow", title, SECTIONS, description="Snow: stoves, boots, maps, skis, tea.", **extra)
        assert values(suggested([page("/"), more]), rule)["/snow"] is None
        other = listing("/snow", title, SECTIONS, description="The shop for stoves and maps.", **extra)
        assert values(suggested([page("/"), other]), rule)["/snow"] is not None


def test_a_heading_counts_as_shared_even_if_the_other_page_is_described_by_text() -> None:
    topics = ["Pitching tents in the snow", "Pitching tents in the sand", "Pitching tents in the rain"]
    opened = [
        listing(f"/{at}", topic, SECTIONS, paragraphs=[TOO_LONG.replace("Pitching tents in the snow", topic)])
        for at, topic in enumerate(topics)
    ]
    for facts in opened:
        facts.sections = [0]
    pages = [page("/"), listing("/own", "Living in a tent in the snow", SECTIONS), *opened]
    assert values(suggested(pages), MISSING)["/own"] is None


@pytest.mark.parametrize(
    ("title", "sections"),
    [
        ("Zelte im Schnee", ["Die Stangen und der Boden", "To carry them and to dry them", "Das Seil an den Bäumen"]),
        ("Tents and the snow", ["Die Stangen und der Boden", "Der Platz für die Nacht", "Das Seil an den Bäumen"]),
    ],
)
def test_headings_in_mixed_languages_are_not_used_as_description(title: str, sections: list[str]) -> None:
    text = "Aber all das hat man uns schon gesagt, und wir werden es auch nicht vergessen, wie wir meinen."
    facts = listing("/snow", title, sections, paragraphs=[text], lang="de")
    assert values(suggested([page("/"), facts]), MISSING) == {"/snow": None}
    whole = ["Die Stangen und der Boden", "Der Platz für die Nacht von Mac Of The Old Mill", "Das Seil an den Bäumen"]
    facts = listing("/snow", "Zelte im Schnee", whole, paragraphs=[text], lang="de")
    assert values(suggested([page("/"), facts]), MISSING)["/snow"] is not None


def test_headings_in_mixed_languages_are_not_used_even_if_the_text_shows_no_language() -> None:
    german = ["Die Stangen und der Boden", "Der Platz für die Nacht und das Gepäck", "Das Seil an den Bäumen"]
    for sections, listed in ((german, True), ([*german, "How to carry them and to dry the socks"], False)):
        facts = listing("/snow", "Zelte im Schnee", sections, lang=None, text="")
        assert (values(suggested([page("/"), facts]), MISSING)["/snow"] is not None) is listed


@pytest.mark.parametrize(
    ("heading", "listed"),
    [("Release of the tents", False), ("Debian GNU/Linux", True), ("Последние выпуски", True)],
)
def test_english_headings_are_not_listed_on_a_page_in_another_script(heading: str, listed: bool) -> None:
    text = "И всё это нам уже давно сказали, и мы об этом никогда не забудем."
    facts = listing("/snow", "История зимних палаток", [heading, "Ранние палатки", "Важные события"])
    facts.paragraphs, facts.sections, facts.lang = [text], [0], "ru"
    assert (values(suggested([page("/"), facts]), MISSING)["/snow"] is not None) is listed


def test_the_name_of_the_website_is_not_listed() -> None:
    named = [page(f"/{at}", title=f"{one} | Acme Tents") for at, one in enumerate(["Poles", "Pegs", "Bags", "Boots"])]
    facts = listing("/snow", "Pitching tents in the snow | Acme Tents", ["ACME Tents", *SECTIONS])
    facts.headings[0] = (1, "Pitching tents in the snow")
    found = values(suggested([page("/", title="Acme Tents"), facts, *named]), MISSING)["/snow"]
    assert found == f"Pitching tents in the snow: {', '.join(SECTIONS)}."


@pytest.mark.parametrize(
    "beside", ["Begin Security Alert", "Disclaimer", "Haftungsausschluss", "Mentions légales", "Advertencias", "Notice"]
)
def test_headings_of_warning_boxes_are_not_part_of_a_description(beside: str) -> None:
    found = values(suggested([page("/"), listing("/snow", "Pitching tents in the snow", [beside, *SECTIONS])]), MISSING)
    assert found["/snow"] == f"Pitching tents in the snow: {', '.join(SECTIONS)}."
