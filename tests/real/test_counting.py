"""The counting itself, on pages whose faults are plain to see: what it would miss, the comparison could not tell."""

from collections.abc import Iterator

import pytest

from chalicelib.domain.page.facts import SiteFacts
from chalicelib.rules.judging import _of_unasked
from chalicelib.rules.survey import AuditInputs
from tests.real.comparing import Comparison, Tally
from tests.real.counted import JUDGED, PAGES, SITES, head, text, whole
from tests.real.reading import Asker, Page, Reply, Website, read_again, written
from tests.real.reports import Finding, Report
from tests.real.sample import places, spread
from tests.real.serving import served

LONG = " ".join(f"word{number}" for number in range(60))
GOOD = '<!doctype html><html lang="en"><head><title>{0}</title><meta name="viewport" content="width=device-width">'
GOOD += '<meta name="description" content="About {0}">{1}</head><body><h1>{0}</h1>{2}</body></html>'

FILES = {
    "index.html": GOOD.format("Home", "", '<a href="one/">One</a> <a href="gone">Gone</a> <a href="old">Old</a>'),
    "one/index.html": GOOD.format(
        "One", "", f'<nav>menu</nav><main>{LONG}</main><img src="x.png" width="90" height="90">'
    ),
    "two.html": GOOD.format("Two", "", f"<nav>another</nav><main>{LONG.upper()}</main><a href='/'>Home</a>"),
    "body.html": "<html><head><p>Early</p><title>Late</title><meta name='robots' content='index'></head><h1>x</h1>",
    "skip.html": GOOD.format("One", "", "<h2>a</h2><h4>b</h4><a>1</a><a>2</a><a href='javascript:x()'>3</a>"),
    "hidden.html": GOOD.format("Hidden", '<meta name="robots" content="noindex">', "<h1>other</h1>"),
    "elsewhere.html": GOOD.format("Else", '<link rel="canonical" href="https://other.example/#x">', "<h1>b</h1>"),
    "relative.html": GOOD.format("Relative", '<link rel="canonical" href="/relative.html">', "<h1 hidden>b</h1>"),
    "bundle.html": GOOD.format(
        "Bundle",
        '<script src="/app.js"></script><link rel="stylesheet" href="/a.css">'
        '<script type="application/ld+json">{"name": "x"}</script>',
        '<h2>x</h2><img src="/latin.html" alt="Image 3" width="90" height="90">',
    ),
    "imports.html": GOOD.format("Imports", '<link rel="stylesheet" href="/b.css">', "<h2>x</h2>"),
    "forward.html": GOOD.format("Forward", '<meta http-equiv="refresh" content="0; url=/one/">', "<h2>f</h2>"),
    "scripted.html": GOOD.format(
        "Scripted", '<noscript><meta http-equiv="refresh" content="0; url=/one/"></noscript>', "<h1>Shop</h1><h2>s</h2>"
    ),
    "parts.html": GOOD.format(
        "Parts",
        "",
        '<h3 class="author">Ada</h3><div class="warning"><h4>Caution</h4></div>'
        '<div class="d-none"><h1>Unseen</h1></div><h1>h1. Sample</h1>'
        '<img src="/icons/a.css"><p>Text</p>',
    ),
    "missing.html": GOOD.format("Missing", "", '<img src="gone.png" alt="Gone"><p>Text</p>'),
    "icons/a.css": "",
    "a.css": "body{}",
    "b.css": "/* @import 'x' */ @import url(gone.css);",
    "latin.html": "<html><head><meta charset='iso-8859-1'><title>Caf\xe9</title>",
    "old/index.html": GOOD.format("Old", "", ""),
}
ASKED = [*FILES, "gone"]

EXPECTED = {
    "SEO-CON-002": {"one/", "two.html"},
    "SEO-IMG-001": {"one/"},
    "SEO-IMG-004": {"missing.html", "one/"},
    "SEO-IMG-006": {"parts.html"},
    "SEO-LNK-001": {""},
    "SEO-LNK-002": {""},
    "SEO-ONP-001": {"body.html"},
    "SEO-ONP-015": {"latin.html"},
    "SEO-ONP-016": {"elsewhere.html", "scripted.html"},
    "SEO-ONP-018": {"skip.html"},
    "SEO-ONP-019": {"body.html", "latin.html"},
    "SEO-ONP-021": {"body.html"},
    "SEO-TEC-004": {"gone"},
    "SEO-TEC-019": {"relative.html"},
    "SEO-TEC-034": {"elsewhere.html"},
    "SEO-IMG-003": {"bundle.html"},
    "SEO-SCH-008": {"bundle.html"},
    "SEO-TEC-041": {"bundle.html", "imports.html"},
}


@pytest.fixture(scope="module")
def website(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Website]:
    folder = tmp_path_factory.mktemp("website")
    for name, content in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content.encode("latin-1"))
    with served(folder) as base:
        yield read_again(base + "/", [f"{base}/{name.removesuffix('index.html')}" for name in ASKED])


@pytest.mark.parametrize("rule", EXPECTED)
def test_each_simple_fault_is_counted_on_the_right_page(rule: str, website: Website) -> None:
    assert PAGES[rule](website) == {f"{website.base}/{name}" for name in EXPECTED[rule]}


def test_charset_status_and_noindex_of_pages_are_read(website: Website) -> None:
    assert website.pages[f"{website.base}/latin.html"].title == "Café"
    assert website.others[f"{website.base}/gone"].status == 404
    assert not website.pages[f"{website.base}/hidden.html"].indexable
    assert written("HTTP://A.example:80/x/../%7Ey z?q#f") == "http://a.example/~y%20z?q"
    assert written("mailto:a@b.example") is None


def test_a_refresh_inside_noscript_is_not_a_redirect(website: Website) -> None:
    forwards = {name for name in ("forward.html", "scripted.html") if website.pages[f"{website.base}/{name}"].forwards}
    assert forwards == {"forward.html"}


def test_a_title_that_equals_a_main_heading_may_be_short(website: Website, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head, "pixels", lambda text, size: 199.4)
    page = website.pages[f"{website.base}/scripted.html"]
    assert [heading.text for heading in page.root.iter("h1")] == ["Scripted", "Shop"]
    for title, short in (("Shop", False), ("Scripted", False), ("Shops", True)):
        page.title = title
        assert head.short_title(website, page) is short
    monkeypatch.setattr(head, "pixels", lambda text, size: 199.6)
    assert not head.short_title(website, page)


def test_a_lone_end_of_a_paragraph_counts_as_an_element() -> None:
    for html, lone in (("<p>a</p>", 0), ("<p>a<ul><li>b</ul></p>", 1), ("a</p><!-- </p> --><p>b<p>c</p></p>", 2)):
        page = Page("http://a.example/", Reply(200, {"content-type": "text/html"}, html.encode()))
        assert text.lone_ends_of_paragraphs(page) == lone


@pytest.mark.parametrize(
    ("html", "manual"),
    [
        ("<title>Tent 10 - Documentation Index</title>", True),
        ("<title>Tents</title><footer>Generated by yard 0.9</footer>", True),
        ("<title>Tents</title><footer>Made in a yard by Ada</footer>", False),
    ],
)
def test_a_home_page_of_documentation_is_a_manual(html: str, manual: bool) -> None:
    home = Page("http://a.example/", Reply(200, {"content-type": "text/html"}, html.encode()))
    website = Website(home.url, Asker("http://a.example"), {home.url: home}, {}, None)
    assert whole.is_manual(website) is manual


def test_a_report_says_that_some_images_were_not_requested() -> None:
    for unasked in (0, 1, 2):
        facts = SiteFacts("http://a.example/", "a.example")
        inputs = AuditInputs("", "", 0, False, facts, [], {}, {}, "", links_unasked=1, images_unasked=unasked)
        notes = _of_unasked(inputs)
        report = Report("a", "http://a.example/", {"notes": notes}, {}, [], [], [], [])
        assert report.images_not_asked() is (unasked > 0)


def test_an_audit_without_all_images_is_compared_only_in_what_it_reports(website: Website) -> None:
    base = website.base
    finding = Finding("SEO-IMG-004", f"{base}/one/", "Broken image", {})
    for note, missed in (("", [f"{base}/missing.html"]), ("1 file was not requested. SEO-IMG-004 ignores it.", [])):
        comparison = Comparison()
        report = Report("a", f"{base}/", {"notes": [note]}, {"site": 1.0}, [], [finding])
        comparison.add(report, website)
        tally = comparison.tallies["SEO-IMG-004"]
        assert (tally.both, [url for _, url in tally.only_counted]) == (1, missed)


def test_no_rule_is_listed_both_as_countable_and_as_a_judgement() -> None:
    assert not JUDGED.keys() & (PAGES.keys() | SITES.keys())


def test_a_rule_below_its_required_precision_is_reported_with_the_wrong_pages() -> None:
    comparison = Comparison()
    many = {f"p{number}" for number in range(98)}
    comparison.tallies["SEO-ONP-001"].add("a", many | {"wrong"}, many | {"missed"})
    tally = comparison.tallies["SEO-ONP-001"]
    assert (tally.precision, tally.recall) == (98 / 99, 98 / 99)
    assert comparison.below() == ["SEO-ONP-001: precision 0.990, only the service: [('a', 'wrong')]"]
    assert (Tally().precision, Tally().recall) == (None, None)
    comparison.tallies["SEO-ONP-003"].add("a", {"same"}, {"same"})
    comparison.tallies["SEO-ONP-004"].add("a", set(), set())
    table = comparison.table()
    assert "| ONP-001 | 1 | 99 | 99 | 0.990 | 0.990 |" in table
    assert "(and the pages that they report): ONP-003 (1)." in table and "report no page, rightly: ONP-004." in table


def test_a_sample_covers_rules_and_websites_and_is_repeatable_by_seed() -> None:
    import random

    items = [("a", f"w{number % 3}", f"a{number}") for number in range(90)] + [("b", "w0", "b0"), ("b", "w1", "b1")]
    drawn = spread(items, 8, random.Random(1))
    assert drawn == spread(items, 8, random.Random(1)) != spread(items, 8, random.Random(2))
    assert {item for item in drawn if item[0] == "b"} == {"b0", "b1"} and len(drawn) == len(set(drawn)) == 8
    assert {int(item[1:]) % 3 for item in drawn if item[0] == "a"} == {0, 1, 2}


def test_the_html_around_a_finding_is_printed() -> None:
    html = "x" * 500 + '<a href="/deep/gone.html">Gone</a>' + "y" * 500
    found = places(html, {"message": "xxxx", "targets": [{"url": "http://a.example/deep/gone.html", "status": 404}]})
    assert len(found) == 1 and "gone.html" in found[0] and len(found[0]) < 500
