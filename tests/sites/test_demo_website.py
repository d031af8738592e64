"""The demo website has exactly the faults that it declares, its clean twin none: seen from the served bytes alone."""

import hashlib
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
import trustme

from local import demo
from local.demo.faults import FAULTS, SITE
from local.demo.serve import Server, start
from local.demo.variants import BLOCKED, CLEAN, FAULTY, PLAIN_HTTP, STALLED, VARIANTS
from tests.sites.checks import CHECKS, pixels
from tests.sites.reader import Crawl, Document, Reader


@pytest.fixture(scope="module")
def ca() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def sites(ca: trustme.CA) -> Iterator[demo.DemoSites]:
    served = demo.start(ca)
    yield served
    served.stop()


@pytest.fixture(scope="module")
def clean(sites: demo.DemoSites, ca: trustme.CA) -> Crawl:
    return Crawl(sites.clean, ca)


@pytest.fixture(scope="module")
def faulty(sites: demo.DemoSites, ca: trustme.CA) -> Crawl:
    return Crawl(sites.faulty, ca)


@pytest.fixture
def changing(ca: trustme.CA) -> Iterator[Server]:
    """A faulty website of the test's own, to be mended."""
    server = start(FAULTY, tls=ca, host=demo.DEMO_HOST)
    yield server
    server.stop()


def _found(crawl: Crawl, rule_id: str) -> object:
    result = CHECKS[rule_id](crawl)
    return (SITE if result else None) if isinstance(result, bool) else frozenset(result)


def test_every_declared_fault_has_a_check() -> None:
    assert FAULTS.keys() == CHECKS.keys()


@pytest.mark.parametrize("rule_id", sorted(FAULTS))
def test_each_declared_fault_appears_only_on_its_declared_pages(faulty: Crawl, rule_id: str) -> None:
    assert _found(faulty, rule_id) == FAULTS[rule_id]


@pytest.mark.parametrize("rule_id", sorted(FAULTS))
def test_the_clean_website_has_no_fault(clean: Crawl, rule_id: str) -> None:
    assert not _found(clean, rule_id)


def test_the_clean_website_has_about_120_pages_at_most_four_clicks_deep(clean: Crawl, sites: demo.DemoSites) -> None:
    assert 110 <= len(clean.documents) <= 150
    assert set(clean.documents) == set(sites.clean.pages)
    assert [path for path, reply in clean.others.items() if reply.status != 200] == []
    assert max(page.depth or 0 for page in clean.documents.values()) <= 4


def test_titles_and_descriptions_of_the_clean_website_have_the_right_length(clean: Crawl) -> None:
    for page in clean.documents.values():
        assert page.title is not None and page.description is not None
        assert len(page.title) >= 30 and pixels(page.title, 20) <= 561, page.title
        assert 70 <= len(page.description) <= 155 and pixels(page.description, 14) <= 985, page.description


def test_the_clean_website_names_its_owner_in_the_same_words_everywhere(clean: Crawl) -> None:
    organization = clean.home.block("Organization")
    assert organization is not None
    assert {"name", "url", "sameAs", "telephone", "address"} <= organization.keys()
    for page in clean.documents.values():
        footer = " ".join(page.texts("footer address"))
        assert organization["name"] in footer and organization["telephone"] in footer
        assert organization["address"]["streetAddress"] in footer
    contact = clean.documents["/contact/"].main
    assert organization["telephone"] in contact and organization["address"]["postalCode"] in contact


def test_the_sitemap_index_lists_every_indexable_page(clean: Crawl) -> None:
    assert "<sitemapindex" in clean.sitemap_files["/sitemap.xml"].text
    assert clean.sitemap_files["/sitemap-shop.xml.gz"].body[:2] == b"\x1f\x8b"
    assert set(clean.sitemap) == {path for path, page in clean.documents.items() if page.indexable}


def test_the_two_language_versions_of_a_page_link_each_other(clean: Crawl) -> None:
    german = [page for page in clean.documents.values() if page.attributes("html", "lang") == ["de"]]
    assert len(german) == 15
    assert all(dict(page.alternates)["de"] == page.path for page in german)


def test_the_demo_website_is_identical_in_every_process() -> None:
    program = (
        "import hashlib\nfrom local.demo.fault import declared\nfrom local.demo.faults import CAUSES\n"
        "from local.demo.render import Addresses, render\nfrom local.demo.website import build\n"
        "site = build()\nfor fault in CAUSES: fault.inject(site)\n"
        "answers = render(site, Addresses('https://a.test', 'https://b.test', 'https://c.test'))\n"
        "print(hashlib.sha256(repr([(path, one.plain, one.squeezed and one.squeezed.body) "
        "for path, one in answers.items()]).encode()).hexdigest())"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1 and len(printed.pop().strip()) == hashlib.sha256().digest_size * 2


def test_only_the_fault_of_a_fixed_page_disappears(changing: Server, ca: trustme.CA) -> None:
    changing.fix("SEO-ONP-001", "/shop/tents/skarn-3/")
    changing.fix("SEO-AEO-005")
    crawl = Crawl(changing, ca)
    assert _found(crawl, "SEO-ONP-001") == {"/shop/stoves/kindle/"}
    assert _found(crawl, "SEO-AEO-005") is None
    assert _found(crawl, "SEO-ONP-010") == FAULTS["SEO-ONP-010"]
    changing.restore("SEO-ONP-001", "/shop/tents/skarn-3/")
    assert _found(Crawl(changing, ca), "SEO-ONP-001") == FAULTS["SEO-ONP-001"]


def test_the_website_with_all_faults_fixed_equals_the_clean_website(changing: Server) -> None:
    for rule_id, affected in FAULTS.items():
        for path in [SITE] if isinstance(affected, str) else sorted(affected):
            try:
                changing.fix(rule_id, path)
            except LookupError:
                continue  # mended together with one before it
    twin = start(CLEAN, tls=None, host=demo.DEMO_HOST)
    twin.stop()
    served = {path: one.plain.body for path, one in changing.answers().items()}
    base, other = changing.url.encode(), twin.url.encode()
    assert served.keys() == twin.answers().keys()
    assert {
        path
        for path, one in twin.answers().items()
        if not path.endswith(".gz")
        and one.plain.body.replace(other, base)
        .replace(b"%d" % twin.port, b"%d" % changing.port)
        .replace(b"http://profiles", b"https://profiles")
        != served[path]
    } == set()


def test_fixing_an_undeclared_fault_is_refused(changing: Server) -> None:
    with pytest.raises(LookupError):
        changing.fix("SEO-ONP-001", "/about/")
    with pytest.raises(LookupError):
        changing.restore("SEO-SMP-001")


def test_a_page_can_be_set_to_fail_and_to_work_again(changing: Server, ca: trustme.CA) -> None:
    reader = Reader(changing, ca)
    changing.replace("/about/", 503)
    assert reader.get("/about/").status == 503
    changing.replace("/about/", None)
    assert reader.get("/about/").status == 200


def test_the_demo_server_answers_like_a_real_server(sites: demo.DemoSites, ca: trustme.CA) -> None:
    reader = Reader(sites.clean, ca)
    assert reader.get("/nowhere/").status == 404
    assert "not found" in reader.get("/nowhere/").text
    moved = reader.get("/about?from=footer")
    assert (moved.status, moved.headers["location"]) == (301, "/about/?from=footer")
    assert reader.get("/about/?utm_source=letter").body == reader.get("/about/").body
    head = reader.get("/about/", method="HEAD")
    assert head.body == b"" and int(head.headers["content-length"]) > 1_000
    assert "content-encoding" not in reader.get("/about/", Accept_Encoding="identity").headers
    assert reader.get("/images/logo.svg").headers["content-type"] == "image/svg+xml"
    assert reader.get("/", Host="partner.website.test").status == 404
    assert reader.get("/alderfell", Host="profiles.website.test").status == 200
    assert ("GET", "/nowhere/", "") in sites.clean.requests


def test_a_slow_page_takes_at_least_a_second(sites: demo.DemoSites, ca: trustme.CA) -> None:
    began = time.monotonic()
    assert Reader(sites.faulty, ca).get("/de/magazin/karte-und-kompass/").status == 200
    assert time.monotonic() - began >= 1.0


def test_a_stalled_page_never_answers(ca: trustme.CA) -> None:
    server = start(STALLED, tls=ca, host=demo.DEMO_HOST)
    try:
        reader = Reader(server, ca)
        reader._connection.timeout = 0.5
        reader._connection.connect()
        reader._connection.sock.settimeout(0.5)
        with pytest.raises(TimeoutError):
            reader.get("/regions/ardle-glen/")
    finally:
        server.stop()


def test_small_variants_differ_from_the_clean_website_by_one_cause(ca: trustme.CA) -> None:
    assert CLEAN.declared == {}
    for variant in VARIANTS.values():
        if variant not in (CLEAN, FAULTY):
            assert len(variant.faults) == 1, variant.name
    blocked = start(BLOCKED, tls=ca, host=demo.DEMO_HOST)
    plain = start(PLAIN_HTTP, tls=None, host=demo.DEMO_HOST)
    try:
        assert Reader(blocked, ca).get("/robots.txt").text.startswith("User-agent: *\nDisallow: /\n")
        home = Document("/", Reader(plain, None).get("/"), 0)
        assert home.canonicals == [plain.url] and plain.url.startswith("http://")
    finally:
        blocked.stop()
        plain.stop()
