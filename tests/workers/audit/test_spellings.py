"""Websites that tell escapes apart which mean the same: every address is asked for as it is written."""

from typing import Any

import pytest

from chalicelib.domain.page.facts import PageFacts
from chalicelib.store import crawls, targets
from chalicelib.store import websites as stored
from chalicelib.store.websites import Website
from tests.servers.wire import WireServer
from tests.workers.audit.rechecking import rechecked
from tests.workers.audit.websites import Site, audit, found, html, listed, new_website, status_of

pytestmark = pytest.mark.usefixtures("audits_of_loopback")

# 자전거, велосипед, دراجة
KOREAN, RUSSIAN, ARABIC = (
    "%ec%9e%90%ec%a0%84%ea%b1%b0",
    "%d0%b2%d0%b5%d0%bb%d0%be%d1%81%d0%b8%d0%bf%d0%b5%d0%b4",
    "%d8%af%d8%b1%d8%a7%d8%ac%d8%a9",
)
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
WORDS = (
    "<p>" + "Some words about a bicycle, how it is built, and what it costs to ride it for a whole year. " * 8 + "</p>"
)
NOT_FOUND, SERVER_ERROR, LOOP, BROKEN, REDIRECTED = (
    "SEO-TEC-004",
    "SEO-TEC-003",
    "SEO-TEC-023",
    "SEO-LNK-001",
    "SEO-LNK-002",
)


def moved(location: str) -> tuple[str, dict[str, str], str]:
    return "301 Moved Permanently", {"location": location}, ""


def article(*links: str, **more: str) -> str:
    return html("All about bicycles", *(links or ("/",)), body=WORDS, **more)


def audited(pages: dict[str, Any]) -> tuple[Website, Site]:
    site = Site(pages)
    with WireServer(site) as server:
        website = new_website(server)
        assert audit(website).status == "done"
    return website, site


def read_facts(website: Website) -> dict[str, PageFacts]:
    current = stored.get(website.workspace_id, website.id)
    assert current is not None and current.current_crawl is not None
    read = [facts for _, block in crawls.load_facts(current.current_crawl) for facts in block]
    return {"/" + facts.url.split("/", 3)[3]: facts for facts in read}


@pytest.mark.parametrize("word", [KOREAN, RUSSIAN, ARABIC])
@pytest.mark.parametrize("by", ["link", "sitemap", "redirect", "canonical", "relative link"])
def test_an_address_with_lower_case_percent_escapes_is_requested_unchanged(word: str, by: str) -> None:
    path = f"/{word}/"
    home = {
        "link": html("Bicycles", path),
        "sitemap": html("Bicycles", "/other"),
        "redirect": html("Bicycles", "/old"),
        "canonical": html("Bicycles", head=f'<link rel="canonical" href="{path}">'),
        "relative link": html("Bicycles", f"/{word}/near"),
    }[by]
    pages = {"/": home, path: article(), "/old": moved(path), "/other": article(), f"/{word}/near": article("./")}
    if by == "sitemap":
        pages["/sitemap.xml"] = "?"
    site = Site(pages)
    with WireServer(site) as server:
        if by == "sitemap":
            xml = f"<urlset xmlns='{NAMESPACE}'><url><loc>{server.url(path)}</loc></url></urlset>"
            site.pages["/sitemap.xml"] = ("200 OK", {"content_type": "application/xml"}, xml)
        website = new_website(server)
        assert audit(website).status == "done"
    assert path in site.asked and path.upper() not in site.asked
    assert path.upper() in listed(website)
    for rule_id in (NOT_FOUND, SERVER_ERROR, LOOP, BROKEN):
        assert found(website, rule_id) == []


def test_a_canonical_that_differs_only_in_its_escapes_names_the_same_page() -> None:
    upper = KOREAN.upper()
    page = article("/", f"/{upper}/", head=f'<link rel="canonical" href="/{upper}/">')
    website, site = audited({"/": html("Bicycles", f"/{KOREAN}/"), f"/{KOREAN}/": page})
    assert [path for path in site.asked if "%" in path and "." not in path] == [f"/{KOREAN}/"]
    assert found(website, "SEO-TEC-012") == [] and found(website, NOT_FOUND) == []


@pytest.mark.parametrize("linked", [KOREAN, KOREAN.upper()])
def test_a_redirect_to_another_spelling_is_followed_and_not_called_a_loop(linked: str) -> None:
    lower, upper = f"/{KOREAN}/", f"/{KOREAN.upper()}/"
    other = lower if linked == KOREAN.upper() else upper
    website, site = audited({"/": html("Bicycles", f"/{linked}/"), f"/{linked}/": moved(other), other: article()})
    assert read_facts(website)[upper].status == 200
    for rule_id in (NOT_FOUND, LOOP, BROKEN, REDIRECTED):
        assert found(website, rule_id) == []
    assert site.asked.count(other) == 1


def test_two_spellings_that_redirect_to_each_other_are_a_loop() -> None:
    lower, upper = f"/{KOREAN}/", f"/{KOREAN.upper()}/"
    website, site = audited({"/": html("Bicycles", lower), lower: moved(upper), upper: moved(lower)})
    assert found(website, LOOP) == [upper]
    assert len([path for path in site.asked if path in (lower, upper)]) <= 4


def test_the_most_linked_spelling_of_an_address_is_requested() -> None:
    lower, upper = f"/{KOREAN}.pdf", f"/{KOREAN.upper().replace('PDF', 'pdf')}.pdf"
    links = {"/": html("Bicycles", "/a", "/b", upper), "/a": article("/", lower), "/b": article("/b2", "/", lower)}
    pdf = ("200 OK", {"content_type": "application/pdf"}, "%PDF-1.7")
    _, site = audited({**links, "/b2": article(), lower: pdf, upper: pdf})
    assert [path for path in site.asked if path.endswith(".pdf")] == [lower]


def test_an_image_is_requested_in_its_written_spelling() -> None:
    image = ("200 OK", {"content_type": "image/png"}, "x")
    page = html("Bicycles", "/a", body=f'<img src="/{KOREAN}.png" alt="A bicycle" width=1 height=1>')
    website, site = audited({"/": page, "/a": article(), f"/{KOREAN}.png": image})
    assert f"/{KOREAN}.png" in site.asked
    current = stored.get(website.workspace_id, website.id)
    assert current is not None and current.current_crawl is not None
    assert [(one.status, one.asked is not None) for one in targets.load(current.current_crawl)] == [(200, True)]


def test_only_characters_that_browsers_escape_are_escaped() -> None:
    _, site = audited({"/": html("Bicycles", "/list?filter[frame]=a|b", "/a%7Eb"), "/a%7Eb": article()})
    assert "/list?filter[frame]=a|b" in site.asked and "/a%7Eb" in site.asked


def test_a_recheck_requests_the_same_spelling_as_the_audit() -> None:
    path = f"/{KOREAN}/"
    site = Site({"/": html("Bicycles", path), path: html(None, "/", body=WORDS)})
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        assert found(website, "SEO-ONP-001") == [path.upper()]
        site.pages[path] = article()

        site.asked.clear()
        rechecked(website)
        assert status_of(website, "SEO-ONP-001") == "resolved"
        assert all(path.upper() not in asked for asked in site.asked)
