"""The website as a whole: links, depth, redirects, canonical addresses, coverage, what is kept of a page."""

import random
from collections import deque

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.domain.crawl import urls
from chalicelib.domain.page.facts import LINK_NOFOLLOW, Hreflang, PageFacts
from chalicelib.rules.context import Page, Site, SiteBuilder
from chalicelib.rules.graph import Graph
from chalicelib.rules.series import is_later_page, series_of
from tests.lengths import examples
from tests.rules.builders import HOME, NOW, address, answer, links, page, redirect, robots, site_facts, site_of


def seen(site: Site, facts: PageFacts) -> Page:
    return Page(facts, site)


# -- links -------------------------------------------------------------------------------------------------


def test_inlinks_count_pages_not_links() -> None:
    site = site_of([page("/", links=links("/a", "/a", "/b")), page("/a", links=links("/a", "/b")), page("/b")])
    assert (site.inlinks(address("/a")), site.inlinks(address("/b")), site.inlinks(HOME)) == (1, 2, 0)


def test_nofollow_links_count_as_links_but_not_as_inlinks() -> None:
    site = site_of([page("/", links=links("/a", flags=LINK_NOFOLLOW)), page("/a")])
    assert site.inlinks(address("/a")) == 0
    assert site.links.linked(address("/a")) == 1


def test_all_links_of_a_nofollow_page_are_nofollow() -> None:
    site = site_of([page("/", links=links("/a"), robots_meta=[("robots", "nofollow")]), page("/a")])
    assert site.inlinks(address("/a")) == 0
    assert site.links.linked(address("/a")) == 1


def test_a_link_to_a_redirect_counts_for_each_address_in_the_redirect_chain() -> None:
    site = site_of([page("/", links=links("/x")), redirect("/x", "/y"), redirect("/y", "/a"), page("/a")])
    assert [site.inlinks(address(path)) for path in ("/x", "/y", "/a")] == [1, 1, 1]
    assert [site.links.linked(address(path)) for path in ("/x", "/y", "/a")] == [1, 0, 0]


def test_links_to_an_address_count_even_if_it_was_never_requested() -> None:
    site = site_of([page("/", links=links("/unread"))], known=["/unread"])
    assert site.inlinks(address("/unread")) == 1


def test_broken_and_redirecting_addresses_list_the_pages_that_link_them() -> None:
    pages = [page(f"/{number:02}", links=links("/gone", "/old")) for number in range(15)]
    site = site_of([*pages, answer("/gone", 404), redirect("/old", "/00")])
    assert site.linking(address("/gone")) == (15, [address(f"/{number:02}") for number in range(10)])
    assert site.linking(address("/old"))[0] == 15


def test_depth_is_the_shortest_path_without_counting_redirects() -> None:
    site = site_of(
        [
            page("/", links=links("/a", "/old")),
            page("/a", links=links("/b")),
            redirect("/old", "/b"),
            page("/b", links=links("/c")),
            page("/c"),
            page("/alone"),
        ]
    )
    assert [site.links.depth(address(path)) for path in ("/", "/a", "/b", "/c", "/alone")] == [0, 1, 1, 2, None]


def test_depth_is_counted_from_the_target_if_the_home_page_redirects() -> None:
    facts = site_facts(home_url=address("/en/"), home_redirects=[(HOME, 302)])
    site = site_of([page("/en/", links=links("/a")), page("/a", links=links("/"))], facts)
    assert site.links.depth(address("/a")) == 1
    assert site.inlinks(address("/en/")) == 1


def test_frames_and_meta_refreshes_count_as_links() -> None:
    site = site_of(
        [
            page("/", frames=[address("/menu.html"), "https://other.example/"], meta_refresh=address("/start")),
            page("/menu.html"),
            page("/start"),
        ]
    )
    assert [site.links.depth(address(path)) for path in ("/menu.html", "/start")] == [1, 1]


def test_a_page_with_an_immediate_refresh_counts_as_a_redirect() -> None:
    forwarding = page("/", meta_refresh=address("/start"), forwards=True)
    site = site_of([forwarding, page("/start")])
    judged = Page(forwarding, site)
    assert (judged.readable, judged.indexable, judged.not_indexable_reason) == (True, False, "redirect")


def test_no_page_has_a_depth_if_there_is_no_home_page() -> None:
    assert site_of([page("/a", links=links("/b")), page("/b")]).links.depth(address("/b")) is None


NODES = [address(f"/{number}") for number in range(8)]


@settings(max_examples=examples(60))
@given(
    st.dictionaries(st.sampled_from(NODES), st.lists(st.sampled_from(NODES), max_size=4), max_size=8),
    st.dictionaries(st.sampled_from(NODES), st.sampled_from(NODES), max_size=3),
    st.integers(),
)
def test_depth_and_inlinks_match_a_simple_breadth_first_search(
    edges: dict[str, list[str]], redirects: dict[str, str], seed: int
) -> None:
    sources = [(url, targets) for url, targets in edges.items() if url not in redirects]
    random.Random(seed).shuffle(sources)
    graph = Graph()
    for url, targets in sources:
        graph.add(url, targets)
    for url, target in redirects.items():
        graph.redirect(url, target)
    graph.finish(NODES, home=NODES[0], watched=NODES)

    def through(url: str) -> list[str]:
        passed = [url]
        while passed[-1] in redirects and redirects[passed[-1]] not in passed:
            passed.append(redirects[passed[-1]])
        return passed

    expected: dict[str, int] = {}
    queue = deque((url, 0) for url in through(NODES[0]))
    while queue:
        url, clicks = queue.popleft()
        if expected.get(url, 99) <= clicks:
            continue
        expected[url] = clicks
        for target in dict(sources).get(url, []):
            queue.extend((step, clicks + 1) for step in through(target))
    assert {url: graph.depth(url) for url in NODES} == {url: expected.get(url) for url in NODES}
    for node in NODES:
        reaching = {url for url, targets in sources if any(node in through(t) for t in targets if t != url)} - {node}
        assert graph.inlinks(node) == len(reaching)
        assert graph.sources(node, 99) == sorted(url for url, targets in sources if node in targets and url != node)


# -- redirects ---------------------------------------------------------------------------------------------


def test_a_redirect_chain_lists_every_address_up_to_its_end() -> None:
    site = site_of([redirect("/a", "/b"), redirect("/b", "https://other.example/"), page("/c")])
    assert site.chain(address("/a")) == ([address("/b"), "https://other.example/"], False)
    assert site.chain(address("/c")) == ([], False)
    assert site.end_of(address("/a")) == "https://other.example/"


def test_a_loop_is_distinguished_from_a_chain() -> None:
    site = site_of([redirect("/a", "/b"), redirect("/b", "/a"), redirect("/self", "/self")])
    assert site.chain(address("/a"))[1] is True
    assert site.chain(address("/self")) == ([address("/self")], True)
    assert site.end_of(address("/a")) == address("/a")


def test_more_than_ten_hops_count_as_a_loop() -> None:
    hops = [redirect(f"/{number}", f"/{number + 1}") for number in range(12)]
    site = site_of(hops)
    assert site.chain(address("/0"))[1] is True
    assert site.chain(address("/2")) == ([address(f"/{number}") for number in range(3, 13)], False)


# -- pages -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        (page(), None),
        (page(robots_meta=[("robots", "noindex")]), "noindex"),
        (page(headers={"x-robots-tag": "googlebot: none"}), "noindex"),
        (page("/private/a"), "robots_txt"),
        (page(error="too_large"), "not_read_whole"),
        (page(bytes=0), "not_read_whole"),
        (answer("/x", 403), "refused"),
        (answer("/x", 410), "client_error"),
        (answer("/x", 503), "server_error"),
        (redirect("/x", "/y"), "redirect"),
        (PageFacts(url=address("/x"), error="timeout"), "no_answer"),
        (page("/x", is_html=False, content_type="application/pdf"), "not_html"),
    ],
)
def test_a_page_that_is_not_indexable_has_a_reason(facts: PageFacts, reason: str | None) -> None:
    site = site_of([facts], site_facts(robots=robots("User-agent: Googlebot\nDisallow: /private/")))
    one = seen(site, facts)
    assert (one.indexable, one.not_indexable_reason) == (reason is None, reason)


def test_the_first_valid_canonical_address_of_a_page_counts() -> None:
    facts = page(canonicals=[("file:///a", "", "html"), ("/b", address("/b"), "html"), ("/c", address("/c"), "header")])
    one = seen(site_of([facts]), facts)
    assert one.canonical == address("/b")
    assert not one.canonical_is_self
    without = page(canonicals=[])
    assert seen(site_of([without]), without).canonical_is_self


@pytest.mark.parametrize(
    ("named", "canonical", "elsewhere"),
    [
        (["https://other.example/a"], None, "https://other.example/a"),
        (["https://other.example/a", "https://third.example/a"], None, "https://other.example/a"),
        (["https://other.example/a", "https://example.com/b"], "https://example.com/b", None),
        (["https://www.example.com/a"], "https://www.example.com/a", None),
        (["https://shop.example.com:8443/a"], "https://shop.example.com:8443/a", None),
        (["http://example.com/a"], "http://example.com/a", None),
    ],
)
def test_a_canonical_on_another_domain_is_recorded_separately(
    named: list[str], canonical: str | None, elsewhere: str | None
) -> None:
    facts = page("/a", canonicals=[("", url, "html") for url in named])
    one = seen(site_of([facts]), facts)
    assert (one.canonical, one.canonical_elsewhere) == (canonical, elsewhere)
    assert one.canonical_is_self == (canonical is None)


@pytest.mark.parametrize(
    ("home", "own", "other"),
    [
        ("http://127.0.0.1:8000/", "http://127.0.0.1:9000/a", "http://127.0.0.2:8000/a"),
        ("http://[::1]:8000/", "http://[::1]/a", "http://[::2]:8000/a"),
        ("https://shop.example.co.uk/", "https://www.example.co.uk/a", "https://other.co.uk/a"),
        ("http://localhost:8000/", "http://localhost/a", "http://host/a"),
    ],
)
def test_a_canonical_on_another_domain_is_recognised(home: str, own: str, other: str) -> None:
    site = site_facts(home_url=home, host=urls.host_key(home))
    pages = [page(f"{home}{n}", canonicals=[("", url, "html")]) for n, url in enumerate((own, other))]
    assert [seen(site_of([one], site), one).canonical_elsewhere for one in pages] == [None, other]


def test_the_depth_the_inlinks_and_the_sitemap_membership_of_a_page_are_computed() -> None:
    facts = page("/a")
    site = site_of([page("/", links=links("/a")), facts], site_facts(sitemap=["/a"]))
    one = seen(site, facts)
    assert (one.depth, one.inlinks, one.linked, one.in_sitemap, one.is_home) == (1, 1, 1, True, False)
    assert seen(site, page("/")).is_home


def test_an_address_that_was_not_requested_is_neither_readable_nor_indexable() -> None:
    one = seen(site_of([page("/")], known=["/unread"]), PageFacts(url=address("/unread")))
    assert (one.asked, one.readable, one.indexable, one.canonical) == (False, False, False, None)


def test_a_failing_or_missing_robots_txt_disallows_nothing() -> None:
    text = "User-agent: *\nDisallow: /"
    assert site_of([page()], site_facts(robots=robots(text, 404))).allowed(address("/page"))
    assert site_of([page()], site_facts(robots=None)).allowed(address("/page"))
    assert not site_of([page()], site_facts(robots=robots(text))).allowed(address("/page"))


def test_addresses_on_other_hosts_are_only_link_targets() -> None:
    other = page("https://other.example/", title=None)
    site = site_of([page("/"), other], site_facts(robots=robots("User-agent: *\nDisallow: /private")))
    assert other.url not in site.known
    assert site.allowed("https://other.example/private")
    assert [found.url for found in site.readable()] == [HOME]


def test_the_host_with_and_without_www_is_one_website() -> None:
    site = site_of([page("/"), page("https://www.example.com/a")])
    assert "https://www.example.com/a" in site.known


# -- coverage ----------------------------------------------------------------------------------------------


def test_coverage_is_the_share_of_known_addresses_that_were_read() -> None:
    site = site_of([page("/"), page("/a"), page("/b")], site_facts(sitemap=["/c"]))
    assert site.coverage == 75.0


def test_pages_from_search_results_are_known_addresses() -> None:
    assert site_of([page("/")], search={HOME: 5, address("/seen"): 9}).coverage == 50.0


def test_addresses_disallowed_by_robots_txt_do_not_lower_the_coverage() -> None:
    facts = site_facts(robots=robots("User-agent: *\nDisallow: /private/"))
    assert site_of([page("/")], facts, known=["/private/a", "/private/b"]).coverage == 100.0


def test_an_address_counts_as_read_whether_it_is_read_before_or_after_its_discovery() -> None:
    builder = SiteBuilder(site_facts(), now=NOW)
    builder.add_known(address("/a"))
    builder.add(page("/a"))
    builder.add_known(address("/a"))
    assert builder.finish().unread == set()


# -- series ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "first"),
    [
        ("/tents?page=2", "/tents"),
        ("/tents?sort=a&page=2", "/tents?sort=a"),
        ("/tents?page=2&sort=a", "/tents?sort=a"),
        ("/tents?paged=3", "/tents"),
        ("/tents/page/4", "/tents"),
        ("/tents/page/4/", "/tents"),
        ("/tents/page/4/?sort=a", "/tents/?sort=a"),
    ],
)
def test_later_pages_of_a_numbered_series_belong_to_its_first_page(path: str, first: str) -> None:
    site = site_of([page(first)])
    assert is_later_page(address(path), site_of([]))
    assert series_of(address(path), site) == address(first)


@pytest.mark.parametrize("path", ["/page", "/pages/2", "/a?homepage=2", "/a?page=next", "/page/about", "/tents/"])
def test_an_address_that_only_looks_like_a_later_page_is_not_changed(path: str) -> None:
    assert not is_later_page(address(path), site_of([]))
    assert series_of(address(path), site_of([])) == address(path)


def test_the_first_page_of_a_series_may_end_with_a_slash() -> None:
    site = site_of([page("/tents/")])
    assert series_of(address("/tents?page=2"), site) == address("/tents/")
    assert series_of(address("/tents/page/2"), site) == address("/tents/")


# -- memory ------------------------------------------------------------------------------------------------


def test_a_page_takes_little_memory_after_it_is_read() -> None:
    import tracemalloc

    builder = SiteBuilder(site_facts(), now=NOW)
    tracemalloc.start()
    try:
        for number in range(500):
            builder.add(
                page(
                    f"/{number}",
                    text="word " * 300,
                    links=links(*(f"/{other}" for other in range(number, number + 60))),
                    headings=[(2, f"Heading {part}") for part in range(20)],
                )
            )
        builder.finish()
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert kept / 500 < 4_000


def test_the_pages_that_link_a_disallowed_address_are_listed() -> None:
    facts = site_facts(robots=robots("User-agent: *\nDisallow: /private\n"))
    site = site_of([page("/", links=links("/private/a")), page("/b")], facts, known=["/private/a"])
    assert site.linking(address("/private/a")) == (1, [HOME])


def test_the_language_versions_of_a_page_are_known() -> None:
    versions = [Hreflang("en", address("/a")), Hreflang("de", address("/de/a"))]
    site = site_of([page("/a", hreflang=versions), page("/de/a", hreflang=versions), page("/b")])
    first, second = site.addresses[address("/a")], site.addresses[address("/de/a")]
    assert first.names(address("/de/a")) and not first.names(address("/b"))
    assert first.alternates is second.alternates  # kept once for all versions
