"""Long steps and large websites: the lease is kept, a wish to cancel is heard, and whatever is served can be stored."""

import random
import string

import pytest

from chalicelib import clock
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.crawl import frontier
from chalicelib.operations import audits, rechecks
from chalicelib.store import crawls, issues
from chalicelib.store import websites as stored_websites
from chalicelib.workers.audit import lease, recheck, sitemaps, slices, window
from tests.servers.wire import Connection, WireServer
from tests.workers.audit.websites import Runtime, Site, audit, findings, html, listed, new_website, start, work

pytestmark = pytest.mark.usefixtures("audits_of_loopback")

RANDOM = random.Random(7)
LETTERS = string.ascii_lowercase + string.digits


def noise(length: int) -> str:
    """Text that does not compress."""
    return "".join(RANDOM.choices(LETTERS, k=length))


def index_of(server_url: str, names: list[str]) -> str:
    rows = "".join(f"<sitemap><loc>{server_url}{name}</loc></sitemap>" for name in names)
    return f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</sitemapindex>'


def urlset(addresses: list[str]) -> str:
    rows = "".join(f"<url><loc>{address}</loc></url>" for address in addresses)
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>'


def test_reading_slow_sitemaps_renews_the_lease_and_sitemap_rules_are_not_judged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sitemaps, "ALL_SECONDS", 3.0)
    monkeypatch.setattr(lease, "RENEW_SECONDS", 0.05)
    monkeypatch.setattr(window, "WAKE_SECONDS", 0.02)
    leases: set[float] = set()
    site = Site({"/": html("The home page of a slow website", "/a"), "/a": html("A page of its own", "/")})
    with WireServer(site) as server:
        website = new_website(server)

        def hangs(connection: Connection) -> None:
            while len(leases) < 3:
                leases.add(crawls.list_audits(website.id, 1)[0].lease_until)
                if connection.server.ending.wait(0.1):
                    return
            connection.hang()

        names = [f"/sitemap-{number}.xml" for number in range(199)]
        site.pages["/sitemap.xml"] = index_of(server.url("/")[:-1], names)
        site.pages |= dict.fromkeys(names, hangs)
        header = audit(website)
        asked = sum(path.startswith("/sitemap-") for path in site.asked)
        facts = crawls.load_site_facts(header.id, header.site_facts_fence)
    assert (header.status, header.pages_crawled, header.fence) == ("done", 2, 1)
    assert asked == sitemaps.AT_ONCE  # side by side, and not to the end
    assert facts.sitemap_truncated and facts.sitemap_late
    assert len(leases) == 3
    assert not [rule_id for rule_id in findings(website) if rule_id.startswith("SEO-SMP-")]


def test_a_cancellation_takes_effect_while_sitemaps_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "RENEW_SECONDS", 0.05)
    monkeypatch.setattr(window, "WAKE_SECONDS", 0.02)
    site = Site({"/": html("The home page of a slow website", "/a"), "/a": html("A page of its own", "/")})
    with WireServer(site) as server:
        website = new_website(server)
        header = start(website)

        def cancels(connection: Connection) -> None:
            audits.cancel(website.id, header.id, now=clock.now())
            connection.hang()

        site.pages["/sitemap.xml"] = cancels
        ended = work(header)
    assert (ended.status, ended.partial_reason, ended.pages_crawled) == ("cancelled", "cancelled", 0)
    assert "/a" not in site.asked


def test_a_page_of_thousands_of_long_links_can_be_stored_and_audited() -> None:
    links = [f"/{noise(1_900)}" for _ in range(4_500)]
    home = html("The home page of a website with long addresses", *links, "/a")
    with WireServer(Site({"/": home, "/a": html(None, "/")})) as server:
        website = new_website(server)
        header = audit(website, page_budget=3)
    assert header.status == "done"
    assert header.pages_discovered > 2_000
    assert "/" in listed(website)


def test_a_sitemap_of_twenty_thousand_long_addresses_can_be_stored() -> None:
    site = Site({"/": html("The home page of a website with a long sitemap", "/a"), "/a": html("A page", "/")})
    with WireServer(site) as server:
        website = new_website(server)
        site.pages["/sitemap.xml"] = urlset([server.url(f"/{noise(700)}") for _ in range(20_000)])
        header = audit(website, page_budget=3)
    assert header.status == "done"
    assert header.pages_discovered >= 20_000


def test_a_crawl_reads_every_page_once_even_if_stopped_during_a_checkpoint(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(frontier, "STEP_CHARACTERS", 200)
    monkeypatch.setattr(crawls, "TRANSACTION_BYTES", 400)
    monkeypatch.setattr("chalicelib.store.blocks.MAX_BLOCK_BYTES", 4_000)
    pages = {f"/p{number}": html(f"Page number {number} of them", "/", body=noise(3_000)) for number in range(12)}
    site = Site({"/": html("The home page of twelve pages", *pages), **pages})
    with WireServer(site) as server:
        whole = audit(new_website(server))
        undisturbed = (whole.pages_crawled, whole.fetches, whole.pages_discovered)
        assert undisturbed == (13, 13, 13)
        real = slices.commit
        for stopped_at in range(1, 7):
            website = new_website(server)
            commits = 0

            def commit(writes: object, *, stop: int = stopped_at) -> None:
                nonlocal commits
                commits += 1
                if commits == stop:
                    raise RuntimeError("killed")
                real(writes)  # type: ignore[arg-type]

            monkeypatch.setattr(slices, "commit", commit)
            header = start(website)
            with pytest.raises(RuntimeError, match="killed"):
                work(header)
            monkeypatch.setattr(slices, "commit", real)
            ended = work(header)
            assert (ended.pages_crawled, ended.fetches, ended.pages_discovered) == undisturbed
            assert listed(website) == sorted(["/", *pages])


def test_judging_and_publishing_renew_the_lease_and_can_be_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site({"/": html("The home page", "/a"), "/a": html("A page of its own", "/")})
    renewed: list[str] = []
    real = crawls.renew

    def renew(header: CrawlHeader, lease_until: float, *, heed_cancel: bool = True) -> None:
        stored = crawls.get(header.site_id, header.id)
        assert stored is not None
        renewed.append(stored.stage)
        if stored.stage == "scoring" and not stored.cancel_requested:
            audits.cancel(header.site_id, header.id, now=clock.now())
        real(header, lease_until, heed_cancel=heed_cancel)

    with WireServer(site) as server:
        website = new_website(server)
        monkeypatch.setattr(lease, "RENEW_SECONDS", 0.0)
        monkeypatch.setattr(crawls, "renew", renew)
        ended = audit(website)
    assert renewed.count("scoring") >= 3  # the wish was heard at the first, and the rest went on
    assert (ended.status, ended.partial_reason, ended.pages_crawled) == ("cancelled", "cancelled", 2)
    assert listed(website) == ["/", "/a"]


def test_a_recheck_renews_its_lease_and_can_be_cancelled_while_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window, "WAKE_SECONDS", 0.02)
    site = Site({"/": html("The home page", "/a"), "/a": html(None, "/")})
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        current = stored_websites.get(website.workspace_id, website.id)
        book = issues.load_state(website.id)
        assert current is not None and book is not None
        issue = next(issue for issue in book.issues if issue.rule_id == "SEO-ONP-001")
        queued = rechecks.start(current, issue.id, person_id=None, now=clock.now())
        leases: set[float] = set()

        def slow(connection: Connection) -> None:
            while len(leases) < 3:
                running = crawls.get(website.id, queued.id)
                assert running is not None
                leases.add(running.lease_until)
                if connection.server.ending.wait(0.05):
                    return
            audits.cancel(website.id, queued.id, now=clock.now())
            connection.hang()

        site.pages["/robots.txt"] = slow
        monkeypatch.setattr(lease, "RENEW_SECONDS", 0.05)
        recheck.handle({"siteId": website.id, "crawlId": queued.id}, Runtime())
        ended = crawls.get(website.id, queued.id)
        book = issues.load_state(website.id)
        assert ended is not None and book is not None
        after = next(issue for issue in book.issues if issue.rule_id == "SEO-ONP-001")
    assert len(leases) == 3
    assert (ended.status, ended.error) == ("cancelled", recheck.CANCELLED)
    assert (after.status, after.pending_recheck) == ("open", None)
