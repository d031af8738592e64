"""What the score makes of a clean website that is degraded in one way: the published calibration, with its margins."""

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
import trustme

from chalicelib.domain.audit.score import RuleShare
from chalicelib.domain.page.facts import LINK_IN_CONTENT, LINK_IN_NAV, Link, PageFacts
from chalicelib.rules import registry
from chalicelib.settings.reading import forget_settings
from tests.rules.builders import HOME, answer, page, site_facts
from tests.sites import auditing
from tests.sites.calibrating import (
    Facts,
    Judged,
    answering_404,
    clean_facts,
    every_page,
    judged,
    of_site,
    off_the_domain,
    readable,
    share_of,
    some_pages,
    with_broken_links,
    without_https,
)

_read: list[Facts] = []  # the clean website, read once


@pytest.fixture
def clean(store: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Facts]:
    auditing.configure(monkeypatch, authority := trustme.CA(), tmp_path)
    if not _read:
        _read.append(clean_facts(authority))
    yield _read[0]
    forget_settings()


Degradation = Callable[[Facts], Facts]


def without_h1(facts: Facts) -> Facts:
    return every_page(
        facts, lambda page: {"h1_count": 0, "headings": [heading for heading in page.headings if heading[0] != 1]}
    )


def without_alt(facts: Facts) -> Facts:
    return every_page(
        facts, lambda page: {"images": [msgspec.structs.replace(image, alt=None) for image in page.images]}
    )


def without_llms_txt(facts: Facts) -> Facts:
    assert facts.site.llms_txt is not None
    return of_site(facts, llms_txt=msgspec.structs.replace(facts.site.llms_txt, status=404, text=""))


def blocked(facts: Facts) -> Facts:
    assert facts.site.robots is not None
    robots = msgspec.structs.replace(facts.site.robots, text="User-agent: *\nDisallow: /\n")
    return of_site(facts, robots=robots)


def one_canonical(facts: Facts) -> Facts:
    home = facts.site.home_url
    return every_page(facts, lambda page: {"canonicals": [(home, home, "html")]})


ONE_TITLE = "Walking gear for every season and hill"
COSTS: dict[str, tuple[float, Degradation]] = {
    "no https": (12.8, without_https),
    "no viewport": (10.2, lambda facts: every_page(facts, lambda page: {"viewport": None})),
    "no descriptions": (
        5.5,
        lambda facts: every_page(facts, lambda page: {"description": None, "description_count": 0}),
    ),
    "no h1": (4.4, without_h1),
    "no titles": (17.5, lambda facts: every_page(facts, lambda page: {"title": None, "title_count": 0})),
    "one title for all": (9.5, lambda facts: every_page(facts, lambda page: {"title": ONE_TITLE})),
    "no lang": (2.7, lambda facts: every_page(facts, lambda page: {"lang": None})),
    "no sitemap": (1.9, lambda facts: of_site(facts, sitemaps=[], sitemap_urls=[])),
    "no alt": (2.3, without_alt),
    "no Organization": (3.1, lambda facts: every_page(facts, lambda page: {"organization": None})),
    "no llms.txt": (0.3, without_llms_txt),
}
LEAVES: dict[str, tuple[float, float, Degradation]] = {
    "all noindex": (16, 21, lambda facts: every_page(facts, lambda page: {"robots_meta": [("robots", "noindex")]})),
    "all canonicals off the domain": (33, 38, lambda facts: off_the_domain(facts, readable(facts))),
    "a tenth of the canonicals off the domain": (92, 95, lambda facts: off_the_domain(facts, share_of(facts, 0.1))),
    "a hundredth of the canonicals off the domain": (
        99,
        99.7,
        lambda facts: off_the_domain(facts, share_of(facts, 0.01)),
    ),
    "robots.txt blocks all": (19, 24, blocked),
    "one canonical for all": (36, 41, one_canonical),
    "three tenths of the pages gone, and linked": (
        75,
        80,
        lambda facts: answering_404(facts, share_of(facts, 0.3)),
    ),
    "a tenth of the pages with a broken link": (
        90.5,
        92,
        lambda facts: with_broken_links(facts, share_of(facts, 0.1)),
    ),
}


def test_the_clean_website_has_the_full_score(clean: Facts) -> None:
    found = judged(clean)
    assert found.score.site_tenths == 1_000 and found.points == {}
    assert len(readable(clean)) > 100


@pytest.mark.parametrize("name", COSTS)
def test_each_fault_on_all_pages_costs_its_published_points(clean: Facts, name: str) -> None:
    cost, degrade = COSTS[name]
    found = judged(degrade(clean))
    assert found.cost == pytest.approx(cost, abs=0.3), found.points


@pytest.mark.parametrize("name", LEAVES)
def test_each_severe_fault_leaves_its_published_score(clean: Facts, name: str) -> None:
    least, most, degrade = LEAVES[name]
    found = judged(degrade(clean))
    assert least <= found.score.site_tenths / 10 <= most, found.points


def test_one_broken_page_in_a_thousand_lowers_the_score() -> None:
    pages = [page(f"/page-{number}", links=[Link(HOME, "Start", LINK_IN_CONTENT)]) for number in range(998)]
    home = page("/", links=[Link(one.url, f"to {one.url}", LINK_IN_CONTENT) for one in pages])
    linking = msgspec.structs.replace(
        pages[0], links=[*pages[0].links, Link(f"{HOME}gone", "to what is gone", LINK_IN_CONTENT)]
    )
    whole = Facts([home, *pages, page("/gone")], [], site_facts())
    broken = Facts([home, linking, *pages[1:], answer("/gone", 404)], [], site_facts())
    moved = judged(broken).cost - judged(whole).cost
    assert 0.5 <= moved <= 1.0


# -- AI readiness ------------------------------------------------------------------------------------------

_NO_CONTENT: dict[str, object] = {"words": 0, "links": [], "external_links": [], "images": [], "headings": []}


def shell(facts: Facts) -> Facts:
    return every_page(facts, lambda page: {**_NO_CONTENT, "h1_count": 0, "scripts": 3})


def closed_by_a_firewall(facts: Facts) -> Facts:
    probes = [
        msgspec.structs.replace(probe, status=403) if probe.question == "agent" else probe
        for probe in facts.site.probes
    ]
    assert probes != facts.site.probes
    return of_site(facts, probes=probes)


def closed_but_to_one(facts: Facts) -> Facts:
    closed = closed_by_a_firewall(facts)
    first = next(probe for probe in closed.site.probes if probe.question == "agent")
    probes = [msgspec.structs.replace(one, status=200) if one is first else one for one in closed.site.probes]
    return of_site(closed, probes=probes)


def refused_on_most_pages(facts: Facts) -> Facts:
    pages = [one if one.url == facts.site.home_url else answer(one.url, 403) for one in facts.pages]
    return Facts(pages, facts.targets, facts.site)


def manual(facts: Facts) -> Facts:
    """A manual as most are: it says nothing of who wrote it, and leaves a question in ten unanswered."""
    unsigned = without_llms_txt(every_page(facts, lambda page: {"organization": None}))
    asking = share_of(unsigned, 0.1)
    return some_pages(unsigned, asking, lambda page: {"questions": 1, "unanswered": [("How is it pitched?", 3)]})


AEO: dict[str, tuple[float, float, Degradation]] = {
    "a shell": (30, 60, shell),
    "robots.txt closes it to assistants": (30, 45, blocked),
    "a firewall alone closes it to assistants": (30, 45, closed_by_a_firewall),
    "a firewall lets one of them in": (70, 80, closed_but_to_one),
    "a firewall turns the crawler away on most pages": (20, 45, refused_on_most_pages),
    "an ordinary manual": (75, 88, manual),
    "it answers, says who it is and is open": (93, 100, lambda facts: facts),
    "open, without llms.txt": (93, 100, without_llms_txt),
}


@pytest.mark.parametrize("name", AEO)
def test_example_websites_have_their_published_ai_readiness(clean: Facts, name: str) -> None:
    least, most, degrade = AEO[name]
    found = judged(degrade(clean))
    assert found.score.aeo_tenths is not None
    assert least <= found.score.aeo_tenths / 10 <= most, found.points


def test_ai_readiness_of_example_websites_is_spread_out(clean: Facts) -> None:
    found = [judged(degrade(clean)).score.aeo_tenths or 0 for _, _, degrade in AEO.values()]
    assert max(found) - min(found) >= 200


# -- links -------------------------------------------------------------------------------------------------


def with_a_dead_link(facts: Facts, some: list[PageFacts], flags: int) -> Facts:
    """The website with a link to one address that does not work on each of some pages."""
    dead = f"{facts.site.home_url}gone/"
    linked = some_pages(facts, some, lambda page: {"links": [*page.links, Link(dead, "Gone", flags)]})
    return Facts([*linked.pages, answer(dead, 404)], facts.targets, facts.site)


def loss(found: Judged, rule_id: str) -> int:
    affected, applicable = found.counts[rule_id]
    units = found.units[rule_id]
    assert affected
    return RuleShare(registry.scored(registry.BY_ID[rule_id]), applicable, affected, units).loss


def test_a_broken_link_in_all_footers_costs_as_much_as_one_in_the_text_of_a_page(clean: Facts) -> None:
    pages = readable(clean)
    footer = judged(with_a_dead_link(clean, pages, LINK_IN_NAV))
    content = judged(with_a_dead_link(clean, pages[:1], LINK_IN_CONTENT))
    viewport = judged(every_page(clean, lambda page: {"viewport": None}))
    assert footer.counts["SEO-LNK-001"][0] == footer.counts["SEO-LNK-001"][1] > 100
    assert loss(footer, "SEO-LNK-001") == loss(content, "SEO-LNK-001")
    assert footer.points["SEO-LNK-001"] <= viewport.points["SEO-ONP-020"] / 10


def test_many_broken_links_on_one_page_cost_more_than_one(clean: Facts) -> None:
    (home,) = [page for page in readable(clean) if page.url == clean.site.home_url]
    dead = [f"{home.url}gone-{number}.pdf" for number in range(21)]
    linked = some_pages(
        clean, [home], lambda page: {"links": [*page.links, *(Link(url, "Gone", LINK_IN_CONTENT) for url in dead)]}
    )
    found = judged(Facts([*linked.pages, *(answer(url, 404) for url in dead)], clean.targets, clean.site))
    assert found.units["SEO-LNK-001"] == 232
    assert found.counts["SEO-TEC-004"][0] == 21
    assert found.cost > 3
