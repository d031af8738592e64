"""Other spellings of a website's address, and an address that cannot exist."""

import asyncio

import pytest

from chalicelib.net.fetch import Fetcher
from chalicelib.net.guard import Guard
from chalicelib.store import crawls, readiness
from chalicelib.workers.audit.probing import AGENTS, BROWSER_STRING, ask, missing_address, spellings
from tests.servers.wire import Connection, WireServer
from tests.workers.audit.websites import Site, audit, findings, html, new_website


@pytest.mark.parametrize(
    ("home", "others"),
    [
        (
            "https://example.com/",
            ["https://www.example.com/", "http://example.com/", "http://www.example.com/"],
        ),
        (
            "http://www.example.co.uk/en/",
            ["http://example.co.uk/en/", "https://www.example.co.uk/en/", "https://example.co.uk/en/"],
        ),
        ("https://shop.example.com/", ["http://shop.example.com/"]),
        ("https://example.com:8443/", []),
        ("http://192.0.2.7/", []),
        ("http://[2001:db8::1]/", []),
    ],
)
def test_other_forms_of_the_home_address_are_listed_unless_it_has_a_port(home: str, others: list[str]) -> None:
    assert spellings(home) == others


def test_each_audit_probes_its_own_missing_address() -> None:
    first = missing_address("https://example.com/en/", "crawl_1")
    assert first == missing_address("https://example.com/", "crawl_1")
    assert first != missing_address("https://example.com/", "crawl_2")
    assert first.startswith("https://example.com/") and first.count("/") == 3


def test_a_probe_of_an_address_records_its_canonical_or_its_redirect_target() -> None:
    head = '<link rel="canonical" href="https://example.com/">'
    site = Site({"/": html("Home", head=head), "/www": ("301 Moved", {"location": "https://example.com/"}, b"")})

    async def probes() -> list[tuple[int, str | None, str | None]]:
        async with Fetcher(Guard("127.0.0.0/8"), user_agent="test") as fetcher:
            asked = [await ask(fetcher, "variant", server.url(path), "example.com") for path in ("/", "/www", "/gone")]
        return [(probe.status, probe.canonical, probe.redirect_to) for probe in asked]

    with WireServer(site) as server:
        assert asyncio.run(probes()) == [
            (200, "https://example.com/", None),
            (301, None, "https://example.com/"),
            (404, None, None),
        ]


@pytest.mark.usefixtures("audits_of_loopback")
def test_the_home_page_is_requested_as_a_browser_and_as_assistants() -> None:
    def home(connection: Connection) -> None:
        named = any(agent in (connection.header("User-Agent") or "") for agent in AGENTS)
        status = "403 Forbidden" if named else "200 OK"
        connection.answer(html("Home").encode(), status, content_type="text/html", server="cloudflare")

    with WireServer(Site({"/": home})) as server:
        website = new_website(server)
        header = audit(website)
        facts = crawls.load_site_facts(header.id, header.site_facts_fence)
        asked = [request.header("User-Agent") for request in server.requests]
    probes = [one for one in facts.probes if one.question in ("browser", "agent")]
    assert [(one.question, one.agent) for one in probes] == [("browser", None), *(("agent", one) for one in AGENTS)]
    assert [(one.status, one.protection) for one in probes] == [(200, "Cloudflare"), *[(403, "Cloudflare")] * 6]
    assert asked.count(BROWSER_STRING) == 1
    assert findings(website)["SEO-AEO-018"] == ["SITE"]


@pytest.mark.usefixtures("audits_of_loopback")
def test_an_audit_records_that_the_website_blocks_browsers_too() -> None:
    def home(connection: Connection) -> None:
        known = "WebsiteOptimizationBot" in (connection.header("User-Agent") or "")
        connection.answer(
            html("Home" if known else "Just a moment...").encode(),
            "200 OK" if known else "403 Forbidden",
            content_type="text/html",
            **({} if known else {"cf_mitigated": "challenge"}),
        )

    with WireServer(Site({"/": home})) as server:
        website = new_website(server)
        header = audit(website)
    assert "SEO-AEO-004" not in findings(website)
    (note,) = [one for one in header.notes if "SEO-AEO-004" in one]
    assert "is inconclusive" in note and "the answer's headers name Cloudflare" in note


@pytest.mark.usefixtures("audits_of_loopback")
def test_readiness_results_are_published_with_the_audit() -> None:
    pages = {
        "/": html("Home", "/about/", "/shop/a/", "/shop/b/"),
        "/about/": html("About us", "/"),
        **{f"/shop/{name}/": html(f"Thing {name}", "/") for name in "ab"},
        "/robots.txt": ("200 OK", {"content_type": "text/plain"}, "User-agent: GPTBot\nDisallow: /\n"),
        "/llms.txt": ("200 OK", {"content_type": "text/plain"}, "# Home\n"),
    }
    with WireServer(Site(pages)) as server:
        website = new_website(server)
        assert readiness.load(website.id) is None
        first = audit(website)
        learned = readiness.load(website.id)
        assert learned is not None and learned.crawl_id == first.id
        denied = next(one for one in learned.crawlers if one.bot == "GPTBot")
        assert (denied.allowed, denied.line_number) == (False, 2)
        assert learned.llms is not None and learned.llms.present
        assert learned.entity is not None and learned.entity.about_page == server.url("/about/")
        assert [(one.section, one.title) for one in learned.draft.pages] == [
            ("Pages", "Home"),
            ("Pages", "About us"),
            ("Shop", "Thing a"),
            ("Shop", "Thing b"),
        ]
        again = audit(website)
        after = readiness.load(website.id)
    assert after is not None and after.crawl_id == again.id
    assert after.draft == learned.draft
