"""How faulty links count: the table, and the properties of the score over random sets of links."""

import math
import random
from collections.abc import Iterable, Mapping

from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.audit.link_units import IN_CONTENT, PAGE, FaultyLinks, LinkUnits, units_of
from chalicelib.domain.audit.score import RuleShare, ScoredRule, Standing
from chalicelib.domain.page.facts import LINK_IN_CONTENT, LINK_IN_NAV, Link
from chalicelib.rules.lnk.targets import faulty_links, in_layout, places

RULE = ScoredRule("SEO-LNK-001", "LNK", 35, 1.0)
OTHER = RuleShare(ScoredRule("SEO-ONP-001", "ONP", 30, 1.0), 10, 3)
PAGES, TARGETS = 6, 5

# (page, target) -> where the page links the target; only faulty targets are looked at.
Links = Mapping[tuple[int, int], int]
FLAGS = (0, LINK_IN_CONTENT, LINK_IN_NAV, LINK_IN_NAV | LINK_IN_CONTENT)
places_of_links = st.dictionaries(
    st.tuples(st.integers(0, PAGES - 1), st.integers(0, TARGETS - 1)), st.sampled_from(FLAGS), max_size=25
)


def of_pages(links: Links, order: Iterable[int] = range(PAGES)) -> list[FaultyLinks]:
    found = {
        number: [Link(f"/{target}", "", flags) for (page, target), flags in links.items() if page == number]
        for number in order
    }
    return [faulty_links(of_page) for of_page in found.values() if of_page]


def share(links: Links, order: Iterable[int] = range(PAGES), applicable: int = PAGES) -> RuleShare:
    units = LinkUnits()
    pages = of_pages(links, order)
    for page in pages:
        units.add(page)
    return RuleShare(RULE, applicable, len(pages), units.total)


def standing(links: Links) -> Standing:
    return Standing([OTHER, share(links)], {"LNK", "ONP"})


def test_the_stored_table_of_weights_for_faulty_links_equals_the_formula() -> None:
    assert IN_CONTENT[0] == 0
    for count, units in enumerate(IN_CONTENT[1:], start=1):
        assert units == min(300, round(100 * (1 + math.log10(count))))
    assert IN_CONTENT[-1] == 300


@given(places_of_links, st.integers(0, PAGES - 1), st.integers(0, TARGETS - 1), st.sampled_from(FLAGS))
def test_one_more_faulty_link_never_raises_the_score(links: Links, page: int, target: int, flags: int) -> None:
    before = {place: where for place, where in links.items() if place != (page, target)}
    after = {**before, (page, target): flags}
    fewer, more = standing(before), standing(after)
    assert more.score().site_tenths <= fewer.score().site_tenths
    assert more.site_points <= fewer.site_points
    assert share(after).units >= share(before).units  # type: ignore[operator]


@given(places_of_links, st.sampled_from(FLAGS[:2]))
def test_one_more_page_with_a_faulty_link_in_its_content_always_raises_the_loss(links: Links, flags: int) -> None:
    others = {(page, target): where for (page, target), where in links.items() if page}
    before, after = share(others, applicable=100), share({**others, (0, 0): flags}, applicable=100)
    assert after.fraction < 1.0
    assert after.loss > before.loss


@given(places_of_links)
def test_the_fraction_of_faulty_links_is_between_0_and_1(links: Links) -> None:
    assert 0.0 <= share(links).fraction <= 1.0
    assert 0 <= standing(links).score().site_tenths <= 1_000


@given(places_of_links, st.integers())
def test_the_order_of_pages_does_not_change_the_count(links: Links, seed: int) -> None:
    order = list(range(PAGES))
    random.Random(seed).shuffle(order)
    assert share(links, order) == share(links)


@given(places_of_links)
def test_the_gain_equals_the_rise_of_the_score_after_fixing_all_links(links: Links) -> None:
    now = standing(links)
    assert now.gain(RULE.id) == standing({}).score().site_tenths - now.score().site_tenths
    assert sum(now.points_lost().values()) == 1_000 - now.score().site_tenths


@given(places_of_links)
def test_a_faulty_link_in_the_layout_is_counted_once_for_all_pages(links: Links) -> None:
    in_layouts = {target for (_, target), flags in links.items() if flags & LINK_IN_NAV}
    content = sum(IN_CONTENT[page.content] for page in of_pages(links))
    assert share(links).units == content + PAGE * len(in_layouts)


def evidence(links: list[Link], shown: int = 20) -> dict[str, object]:
    targets = [{"url": link.url, "inLayout": in_layout(link)} for link in links[:shown]]
    return {"message": "Broken.", **places(faulty_links(links)), "targets": targets}


@given(places_of_links)
def test_stored_evidence_gives_the_same_count_as_the_links_themselves(links: Links) -> None:
    pages = [
        [Link(f"/{target}", "", flags) for (page, target), flags in links.items() if page == number]
        for number in range(PAGES)
    ]
    assert units_of(evidence(of_page) for of_page in pages if of_page) == share(links).units


def test_a_layout_link_missing_in_cut_evidence_counts_on_each_page() -> None:
    links = [Link(f"/{number}", "", LINK_IN_NAV) for number in range(30)]
    assert units_of([evidence(links)]) == 30 * PAGE
    assert units_of([evidence(links), evidence(links)]) == (20 + 2 * 10) * PAGE


def test_link_evidence_stored_by_older_versions_counts_as_one_whole_page() -> None:
    assert units_of([{"message": "Broken."}, {"message": "Broken.", "broken": 7, "targets": []}]) == 2 * PAGE
    assert units_of([{"inContent": "1", "inLayout": None, "targets": "x"}]) == PAGE
    assert units_of([]) == 0


def test_malformed_evidence_is_counted_without_an_error() -> None:
    assert units_of([{"inContent": 10**9, "inLayout": 1, "targets": [None, {"inLayout": True}, {"url": 5}]}]) == 400
