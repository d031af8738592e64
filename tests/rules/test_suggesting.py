"""The suggestions of an audit: collected page by page, chosen for the whole website."""

import random

import pytest

from chalicelib.domain.audit.records import AffectedPage
from chalicelib.rules.engine import Judge
from chalicelib.rules.registry import BY_ID
from chalicelib.rules.suggesting import Suggester
from tests.rules.builders import HOME, links, page, redirect, site_facts, site_of
from tests.rules.suggestions_of import ENDING, outdoor, suggested, titled, values

PROSE = (
    "Our {} stand through any storm. Every seam of the {} is taped by hand in our own workshop, and repaired for free."
)
LONG = "{}: everything that you have always wanted to know about them and never dared to ask"


def test_suggestions_of_an_issue_are_sorted_by_address() -> None:
    pages = outdoor(
        titled("/tents", LONG.format("Tents for winter storms") + ENDING, "Tents for winter storms"),
        titled(
            "/boots", "Everything that anybody could want to know about boots and shoes and socks and laces" + ENDING
        ),
    )
    found = suggested(pages)
    assert values(found, "SEO-ONP-005") == {"/boots": None, "/tents": "Tents for winter storms" + ENDING}
    first = found["SEO-ONP-005"].suggestions[0]
    assert first.page_id == "page https://example.com/boots" and first.current == pages[-1].title


def test_a_suggested_title_is_never_used_twice() -> None:
    twins = [titled(f"/{n}", LONG.format("Tents for winter storms") + f" {n}", "Tents for winter storms") for n in "ab"]
    assert values(suggested(outdoor(*twins)), "SEO-ONP-005") == {"/a": None, "/b": None}
    taken = titled("/c", f"TENTS FOR WINTER STORMS{ENDING}")
    found = suggested(outdoor(titled("/a", LONG.format("Tents for winter storms") + ENDING, "Tents"), taken))
    assert values(found, "SEO-ONP-005") == {"/a": None}


def test_a_page_with_two_title_issues_has_one_suggestion_for_both() -> None:
    title = LONG.format("Tents for winter storms") + ENDING
    pages = outdoor(titled("/a", title, "Tents for winter storms"), titled("/b", title, "Repairing torn tents"))
    found = suggested(pages)
    assert values(found, "SEO-ONP-005") == {"/a": "Tents for winter storms" + ENDING, "/b": None}
    assert values(found, "SEO-ONP-002") == {
        "/a": "Tents for winter storms" + ENDING,
        "/b": "Repairing torn tents" + ENDING,
    }


def test_a_missing_title_is_suggested_from_the_heading() -> None:
    found = suggested(outdoor(titled("/a", None, "Repairing torn tents"), titled("/b", None, None)))
    assert values(found, "SEO-ONP-001") == {"/a": "Repairing torn tents" + ENDING, "/b": None}


TENTS = "A tent for two sleeps well in snow. Poles of the tent are light, and pegs hold it in a storm. " * 3


@pytest.mark.parametrize(
    ("path", "h1", "changes", "wanted"),
    [
        ("/p1", "Welcome to the future", {"text": TENTS}, False),
        ("/p1", "Shape your world anew", {"text": f"Shape your world anew {TENTS}"}, False),
        ("/p1", "The tent of the future", {"text": TENTS}, True),
        ("/shape-your-world", "Shape the world anew", {"text": TENTS}, True),
        ("/p1", "Shape the world", {"text": f"{TENTS} A world of snow is no world of rain."}, True),
        ("/p1", "Welcome to the future", {"text": TENTS[:60]}, True),  # too little to tell by
    ],
)
def test_a_main_heading_is_suggested_as_a_title_only_if_the_page_repeats_its_words(
    path: str, h1: str, changes: dict[str, object], wanted: bool
) -> None:
    found = suggested(outdoor(titled(path, None, h1, **changes)))
    assert values(found, "SEO-ONP-001") == {path: h1 + ENDING if wanted else None}


def test_suggested_descriptions_are_unique_on_the_website() -> None:
    tents, boots = PROSE.format("winter tents", "tents"), PROSE.format("walking boots", "boots")
    old = PROSE.format("old tents", "old")
    known = boots[:155].rsplit(".", 1)[0] + "."
    pages = outdoor(
        titled("/tents", "Winter tents", "Winter tents", description=None, paragraphs=[tents]),
        titled("/boots", "Walking boots", "Walking boots", description=None, paragraphs=[boots]),
        titled("/shoes", "Walking shoes", "Walking shoes", description=known),
        titled("/one", "Winter tents one", "Winter tents", description=None, paragraphs=[old]),
        titled("/two", "Winter tents two", "Winter tents", description=None, paragraphs=[old]),
    )
    found = values(suggested(pages), "SEO-ONP-010")
    assert found["/tents"] == tents
    assert found["/boots"] is None  # another page says it already
    assert found["/one"] is found["/two"] is None


def test_no_suggested_value_is_reported_by_the_next_audit() -> None:
    short = "A guide to winter tents and all of their poles and pegs."
    longer = "They are sewn by hand in the old mill."
    pages = outdoor(
        titled("/none", "Winter tents", "Winter tents", description=None, paragraphs=[short]),
        titled("/short", "Winter tents two", "Winter tents", description="Tents.", paragraphs=[f"{short} {longer}"]),
        titled("/one", "", "Boots", description=None, paragraphs=[f"Boots for the winter. {longer}"]),
        titled("/two", "Example Outdoor", "Example", description=None),
        titled("/three", "Pegs", "Pegs for soft ground in the mountains", description="Pegs."),
    )
    found = suggested(pages)
    assert values(found, "SEO-ONP-010")["/none"] is None
    assert values(found, "SEO-ONP-013")["/short"] == f"{short} {longer}"
    chosen: dict[str, dict[str, str]] = {"title": {}, "meta_description": {}}
    for rule_id, of_rule in found.items():
        for one in of_rule.suggestions:
            if one.suggested is not None and (field := BY_ID[rule_id].writable_field) in chosen:
                chosen[field][one.url] = one.suggested
    assert len(chosen["title"]) > 1 and chosen["meta_description"]
    for facts in pages:
        facts.title = chosen["title"].get(facts.url, facts.title)
        facts.description = chosen["meta_description"].get(facts.url, facts.description)
    judge = Judge(site_of(pages, site_facts()))
    for facts in pages:
        fields = {BY_ID[rule_id].writable_field for rule_id, _ in judge.page(facts).findings}
        assert not fields & {field for field, of_field in chosen.items() if facts.url in of_field}, facts.url


def test_a_login_page_gets_advice_to_set_noindex_and_no_description() -> None:
    login = titled(
        "/login", "Log in", "Log in", shows_kind=True, description=None, paragraphs=[PROSE.format("tents", "tents")]
    )
    (one,) = suggested(outdoor(login))["SEO-ONP-010"].suggestions
    assert one.suggested is None
    assert one.advice is not None and (one.advice.page_kind, one.advice.recommended) == ("account", "noindex")


def test_suggested_canonicals_follow_redirects_and_prefer_linked_pages() -> None:
    old, new = "https://example.com/old", "https://example.com/walk-1"
    pages = [
        *outdoor(titled("/a", "A page of its own", canonicals=[(old, old, "html")])),
        redirect("/old", "/walk-1"),
    ]
    assert values(suggested(pages), "SEO-TEC-015") == {"/a": new}
    same = [titled(f"/same-{n}", f"The same page again, number {n}", text_hash="same") for n in (1, 2)]
    linking = [titled(f"/links-{n}", f"Page {n} with a link to the second", links=links("/same-2")) for n in range(4)]
    found = values(suggested(outdoor(*same, *linking)), "SEO-CON-002")
    assert found == {"/same-1": "https://example.com/same-2", "/same-2": None}


def test_a_page_whose_canonical_is_on_another_domain_gets_no_canonical_suggestion() -> None:
    elsewhere = [("", "https://other.example/a", "html")]
    same = [titled(f"/same-{n}", f"The same page again, number {n}", text_hash="same") for n in (1, 2)]
    handed = titled("/same-3", "The same page again, number 3", text_hash="same", canonicals=elsewhere)
    found = suggested(outdoor(*same, handed))
    assert values(found, "SEO-TEC-034") == {"/same-3": None}
    assert values(found, "SEO-CON-002")["/same-3"] is None


def test_removing_noindex_is_suggested_for_the_home_page() -> None:
    home = page("/", robots_meta=[("robots", "noindex")])
    (one,) = suggested([home])["SEO-TEC-002"].suggestions
    assert (one.url, one.current, one.suggested) == (HOME, "true", "false")
    assert one.page_id.startswith("page_")


def test_pages_that_wrongly_share_a_canonical_each_get_their_own_address_suggested() -> None:
    pages = [page("/")] + [titled(f"/{n}", f"Page number {n}", canonicals=[(HOME, HOME, "html")]) for n in range(6)]
    found = values(suggested(pages), "SEO-TEC-020")
    assert found == {f"/{n}": f"https://example.com/{n}" for n in range(6)}


def test_suggestions_do_not_depend_on_the_order_of_pages() -> None:
    pages = outdoor(
        *(titled(f"/t{n}", LONG.format(f"Tents of kind {n % 4}") + ENDING, f"Tents of kind {n % 4}") for n in range(8)),
        *(titled(f"/m{n}", None, f"A heading of kind {n % 5}") for n in range(7)),
    )
    expected = suggested(pages)
    for seed in range(5):
        shuffled = pages[1:]
        random.Random(seed).shuffle(shuffled)
        assert suggested([*shuffled, pages[0]]) == expected


def test_a_note_says_that_the_website_changes_the_case_of_titles() -> None:
    pages = outdoor(titled("/a", None, "Repairing torn tents"))
    website = site_of(pages)
    known = {facts.url: (facts.title or "").upper() for facts in pages if facts.title}
    suggester = Suggester(website, "site_1", known)
    suggester.add(pages[-1], ["SEO-ONP-001"])
    found = suggester.finish({"SEO-ONP-001": [AffectedPage(pages[-1].url, "page_1", {}, 1, 1)]})
    assert "letter case" in (found["SEO-ONP-001"].note or "")


@pytest.mark.parametrize(
    ("home", "changes", "outside"),
    [
        ("/help/tents/start", {}, None),
        ("/help/tents/start", {"site_name": "Acme Outdoor"}, "Torn tents | Acme Outdoor"),
        ("/", {}, "Torn tents | Acme Outdoor"),
        ("/start", {}, "Torn tents | Acme Outdoor"),
    ],
)
def test_the_start_page_of_a_folder_gives_no_website_name_to_pages_outside_it(
    home: str, changes: dict[str, object], outside: str | None
) -> None:
    start = titled(home, "Acme Outdoor", "Acme Outdoor", **changes)
    walks = [titled(f"/help/tents/walk-{at}", f"A quiet walk by the number {at}") for at in range(6)]
    for path, wanted in (("/help/tents/torn", "Torn tents | Acme Outdoor"), ("/help/other/torn", outside)):
        found = values(
            suggested([start, *walks, titled(path, "Torn tents", "Torn")], home_url=start.url), "SEO-ONP-004"
        )
        assert found[path] == wanted
