"""Mistakes that other auditors make, each with what is right; and a website without faults yields nothing."""

import pytest

from chalicelib.domain.page.facts import Hreflang, Image, PageFacts, Written
from chalicelib.rules.engine import Judge, Tally
from tests.domain.page.reading import read
from tests.rules.builders import HOME, address, answer, links, page, redirect, robots, site_facts, site_of

ARTICLES = 30
GUIDES = "All guides of the website on one page: how to begin, how to go on, and when to stop."


def findings(pages: list[PageFacts], facts: object = None) -> dict[str, list[str]]:
    """What the whole rule set finds: rule id -> paths ("the website" for site rules)."""
    judge = Judge(site_of(pages, facts))  # type: ignore[arg-type]
    found: dict[str, list[str]] = {}
    for one in pages:
        for rule_id, _ in judge.page(one).findings:
            found.setdefault(rule_id, []).append(one.url.removeprefix("https://example.com"))
    for rule_id, _ in judge.site():
        found.setdefault(rule_id, []).append("the website")
    assert judge.failures == []
    return found


def tallies(pages: list[PageFacts]) -> dict[str, Tally]:
    judge = Judge(site_of(pages))
    for one in pages:
        judge.page(one)
    return judge.tallies()


def articles(count: int = ARTICLES) -> list[PageFacts]:
    """Articles that link each other in a ring, so that none is an orphan."""
    return [
        page(
            f"/guide/{number}",
            title=f"Guide number {number}, with a title of ordinary length | Example",
            structured_types=["Article"],
            links=links("/", f"/guide/{(number + 1) % count}", f"/guide/{(number + 2) % count}"),
            images=[
                Image("https://example.com/arrow.svg", "", 16, 16),
                Image("https://example.com/a.jpg", "A tent", 640, 480),
            ],
            words=400 + number,
        )
        for number in range(count)
    ]


def clean_website() -> list[PageFacts]:
    """Articles, a paginated list, a legal page, language versions, a noindex log-in, a redirect from http."""
    versions = [Hreflang("en", address("/about")), Hreflang("de", address("/de/about"))]
    return [
        page(
            "/", links=links(*(f"/guide/{number}" for number in range(0, ARTICLES, 4)), "/list", "/imprint", "/about")
        ),
        *articles(),
        page("/list", title="All guides of the example website", description=GUIDES, links=links("/list?page=2", "/")),
        page(
            "/list?page=2",
            title="All guides of the example website",
            description=GUIDES,
            links=links("/list", "/"),
            words=40,
        ),
        page(
            "/imprint",
            title="Imprint and everything the law wants to know | Example",
            words=60,
            text_hash="",
            links=links("/"),
        ),
        page("/about", title="About Example, and who is behind it", hreflang=versions, links=links("/", "/de/about")),
        page(
            "/de/about",
            title="About Example, and who is behind it",
            lang="de",
            hreflang=versions,
            links=links("/", "/about"),
        ),
        page(
            "/guide/1?from=mail",
            canonicals=[("", address("/guide/1"), "html")],
            title="Guide number 1",
            links=links("/"),
        ),
        page("/login", title=None, description=None, h1_count=0, robots_meta=[("robots", "noindex")]),
        redirect("http://example.com/", HOME),
        PageFacts(url=address("/guide.pdf"), status=200, content_type="application/pdf", bytes=900_000),
        PageFacts(url=address("/logo.png"), status=404, content_type="image/png"),
    ]


def test_a_website_without_faults_has_no_findings() -> None:
    listed = ["/", "/list", "/imprint", "/about", "/de/about", *(f"/guide/{number}" for number in range(ARTICLES))]
    assert findings(clean_website(), site_facts(sitemap=listed)) == {}


def test_an_empty_alt_of_a_decorative_image_is_accepted() -> None:
    arrows = [Image("https://example.com/arrow.png", "", 100, 100) for _ in range(50)]
    assert findings([page("/", images=arrows)]) == {}


def test_image_addresses_are_not_judged_as_pages() -> None:
    image = PageFacts(url=address("/a.jpg"), status=200, content_type="image/jpeg", bytes=90_000)
    home = page("/", links=links("/a.jpg"))
    found = tallies([home, image])
    assert findings([home, image]) == {}
    assert found["SEO-ONP-001"] == Tally(1, 0)
    assert found["SEO-TEC-004"] == Tally(2, 0)  # a linked document: whether it is there
    assert found["SEO-TEC-006"] == Tally(1, 0)


def test_valid_structured_data_is_not_reported_as_invalid() -> None:
    assert findings([page("/", structured_types=["Product"])]) == {}


def test_the_target_of_a_canonical_is_judged_if_it_is_another_address() -> None:
    pages = [
        page("/", links=links("/a")),
        page("/a", canonicals=[("", "https://gone.example.com/", "html")], links=links("/")),
        answer("https://gone.example.com/", 404),
    ]
    assert findings(pages) == {"SEO-TEC-014": ["/a"]}


ELSEWHERE = [("", "https://other.example/", "html")]


def handed_over(path: str, **changes: object) -> PageFacts:
    """A page that names an address on another domain as its canonical one."""
    return page(path, canonicals=ELSEWHERE, links=links("/"), **changes)


def test_a_canonical_on_another_domain_causes_only_one_finding() -> None:
    pages = [
        page("/", links=links("/a", "/b")),
        handed_over("/a"),
        page("/b", canonicals=[("//other.example/b#c", "https://other.example/b", "html")], links=links("/")),
        answer("https://other.example/", 404),
    ]
    assert findings(pages, site_facts(sitemap=["/", "/a", "/b"])) == {"SEO-TEC-034": ["/a", "/b"]}


@pytest.mark.parametrize(
    ("rule_id", "changes"),
    [
        ("SEO-ONP-002", {"title": "One title for two different pages"}),
        ("SEO-ONP-004", {"title": "Too short"}),
        ("SEO-ONP-011", {"description": GUIDES}),
        ("SEO-CON-002", {"text_hash": "same"}),
    ],
)
def test_pages_with_a_canonical_on_another_domain_are_judged_like_others(
    rule_id: str, changes: dict[str, object]
) -> None:
    pages = [page("/", links=links("/a", "/b")), handed_over("/a", **changes), handed_over("/b", **changes)]
    assert findings(pages)[rule_id] == ["/a", "/b"]


def test_the_address_of_a_page_is_judged_even_if_its_canonical_is_on_another_domain() -> None:
    mute: dict[str, object] = {"title": "A page of words", "headings": [(1, "Words")]}  # does not show its address
    pages = [page("/", links=links("/A_Page_Of_Words")), handed_over("/A_Page_Of_Words", **mute), handed_over("/b")]
    found = findings(pages, site_facts(sitemap=["/", "/b"]))
    assert found["SEO-ONP-024"] == found["SEO-SMP-006"] == ["/A_Page_Of_Words"]
    assert found["SEO-LNK-003"] == ["/b"]


def test_short_legal_pages_are_not_reported_as_thin() -> None:
    pages = [page("/"), *articles(), page("/guide/imprint", words=20)]
    assert "SEO-CON-001" not in findings(pages)


def test_long_titles_are_measured_in_pixels() -> None:
    assert findings([page("/", title="illicit little lilies: filling still tills, it will fit till it is full")]) == {}


def test_a_single_cause_is_reported_once_for_each_page() -> None:
    # Pages that are word for word the same have one title and one description, too: they are duplicates, no more.
    same = {
        "title": "One title for two different pages",
        "description": GUIDES,
        "text_hash": "same",
        "links": links("/"),
    }
    pages = [page("/", links=links("/a", "/b")), page("/a", **same), page("/b", **same)]
    assert findings(pages) == {"SEO-CON-002": ["/a", "/b"]}


def test_a_broken_address_that_is_linked_is_not_reported_for_the_sitemap_too() -> None:
    pages = [page("/", links=links("/gone")), answer("/gone", 404)]
    assert findings(pages, site_facts(sitemap=["/", "/gone"])) == {"SEO-LNK-001": ["/"], "SEO-TEC-004": ["/gone"]}


def test_a_broken_address_that_only_the_sitemap_lists_is_reported_once() -> None:
    pages = [page("/", links=links("/b")), page("/b", links=links("/")), answer("/gone", 404)]
    assert findings(pages, site_facts(sitemap=["/", "/b", "/gone"])) == {"SEO-SMP-003": ["/gone"]}


def test_a_server_error_in_the_sitemap_is_reported_once() -> None:
    pages = [page("/", links=links("/b")), page("/b", links=links("/")), answer("/down", 500)]
    assert findings(pages, site_facts(sitemap=["/", "/b", "/down"])) == {"SEO-TEC-003": ["/down"]}


def test_a_redirect_chain_in_the_sitemap_is_reported_once() -> None:
    pages = [page("/", links=links("/c")), redirect("/a", "/b"), redirect("/b", "/c"), page("/c", links=links("/"))]
    assert findings(pages, site_facts(sitemap=["/", "/a", "/c"])) == {"SEO-TEC-022": ["/a"]}


def test_a_home_page_with_noindex_is_reported_once() -> None:
    pages = [page("/", robots_meta=[("robots", "noindex")])]
    assert findings(pages, site_facts(sitemap=["/"])) == {"SEO-TEC-002": ["the website"]}


def test_a_page_that_disallows_snippets_is_reported_once() -> None:
    assert findings([page("/", robots_meta=[("robots", "nosnippet, max-snippet:20, noai")])]) == {"SEO-ONP-023": ["/"]}


def test_a_canonical_with_a_faulty_target_is_reported_once() -> None:
    facts = site_facts(robots=robots("User-agent: Googlebot\nDisallow: /gone"))
    pages = [page("/", canonicals=[("", address("/gone"), "html")], links=links("/a")), answer("/gone", 404)]
    assert findings(pages, facts) == {"SEO-TEC-014": ["/"]}


def test_frameset_and_refresh_pages_are_judged_like_any_other_page() -> None:
    frameset = page("/", frames=[address("/menu.html")], headings=[], h1_count=0, words=0, text_hash="", viewport=None)
    refresh = page("/menu.html", meta_refresh=address("/start.html"), forwards=True, links=[], h1_count=0)
    start = page("/start.html", links=links("/"))
    assert findings([frameset, refresh, start]) == {"SEO-ONP-020": ["/"]}


def test_titles_are_judged_by_their_original_text_before_masking() -> None:
    def person(name: str) -> PageFacts:
        return page(
            f"/{name}",
            title="Ask j***@***",
            description="Ask j***@***",
            title_written=Written(name, 40, 400),
            description_written=Written(name, 100, 600),
        )

    hurt = {"SEO-ONP-002", "SEO-ONP-004", "SEO-ONP-011", "SEO-ONP-013"}
    assert not hurt & findings([page("/"), person("jane"), person("john")]).keys()
    long = page("/long", title_written=Written("long", 90, 800), description_written=Written("long", 200, 1_200))
    assert {"SEO-ONP-005", "SEO-ONP-012"} <= findings([page("/"), long]).keys()


def written(path: str, body: str, head: str = "") -> PageFacts:
    """A page as it is read from HTML."""
    html = f"<!doctype html><html lang=en><head><title>Camp {path}</title>{head}</head><body>{body}</body></html>"
    return read(html, url=address(path), bytes=len(html), content_type="text/html")


LISTS = {
    "AngularJS": "<ul ng-app=camp><li ng-repeat='t in tents'><a href='[[t.url]]'>[[t.name]]</a></li></ul>",
    "Vue": "<ul id=app><li v-for='t in tents'><a :href='t.url'>{{ t.name }}</a></li></ul>",
    "Alpine": "<ul x-data><template x-for='t in tents'><li><a :href='t.url' x-text='t.name'></a></li></template></ul>",
}


@pytest.mark.parametrize("template", LISTS.values(), ids=LISTS)
def test_a_list_filled_by_scripts_has_one_finding_and_no_orphans(template: str) -> None:
    script = "<script>tents = [{url: '/tents/dome', name: 'Dome'}]</script>"
    pages = [
        page("/", links=links("/tents")),
        written("/tents", f"<main><h1>Tents</h1>{template}</main>{script}"),
        page("/tents/dome"),
        page("/old"),
        answer("/[[t.url]]", 404),
    ]
    found = findings(pages, site_facts(sitemap=["/", "/tents", "/tents/dome", "/old"]))
    assert found["SEO-AEO-017"] == ["/tents"]
    assert found["SEO-LNK-003"] == ["/old"]
    needless = ("SEO-CON-001", "SEO-LNK-001", "SEO-LNK-006", "SEO-CON-005")
    assert all("/tents" not in found.get(rule_id, ()) for rule_id in needless)


def test_a_site_verification_file_has_no_finding() -> None:
    name = "google0123456789abcdef.html"
    proof = read(f"google-site-verification: {name}", url=address(f"/{name}"), bytes=53, content_type="text/html")
    pages = [page("/", links=links("/a")), page("/a", links=links("/")), proof]
    assert findings(pages, site_facts(sitemap=["/", "/a", f"/{name}"])) == {}


def test_a_body_before_the_html_element_is_reported_once() -> None:
    html = "<body><html><head><title>Dome tents for two</title></head><body><h1>Dome tents</h1></body></html>"
    stray = read(html, url=address("/a"), bytes=len(html), content_type="text/html")
    found = findings([page("/", links=links("/a")), stray])
    assert found["SEO-ONP-021"] == ["/a"] and "SEO-ONP-001" not in found
