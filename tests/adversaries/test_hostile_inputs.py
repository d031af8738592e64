"""One input for each way in which a website stopped or slowed whoever read it."""

import gzip
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from chalicelib.domain.crawl import robots, sitemap
from chalicelib.domain.crawl.hosts import ascii_host
from chalicelib.domain.crawl.urls import LinkResolver, host_key, normalise
from chalicelib.domain.page import charset, directives
from chalicelib.domain.page.facts import SiteFacts, TextFile
from chalicelib.domain.page.text import fold
from chalicelib.http import bodies
from chalicelib.http.errors import ApiError
from chalicelib.net.decoding import BodyReader, DecodingError
from chalicelib.net.fetch import Answer
from chalicelib.rules.aeo.seo_aeo_006_007_llms_txt_content import faults_of
from chalicelib.rules.context import SiteBuilder
from chalicelib.workers.audit.checking import file_size
from chalicelib.workers.audit.reading import retry_after_seconds
from tests.adversaries.cost import growth, loops_of
from tests.domain.page.reading import page, read, tame

LD = '<script type="application/ld+json">'
URL = "https://demo.test/"
SITEMAP = "https://demo.test/sitemap.xml"


def in_proportion(work: Any, size: int, most: float = 3.0) -> bool:
    """Whether four times the size costs at most so many times as much for each doubling."""
    factor, _ = growth(lambda data: work(len(data)), [b"x" * (size << step) for step in (0, 1, 2)])
    return factor <= most


# -- addresses -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["-1.0.0.1", "1_2.0.0.1", "0x-7f.1", "+1.0.0.1", "0x7_f.1", "0o7.1", "0x7f.0x+1"])
def test_a_host_that_is_a_number_with_signs_or_underscores_is_not_an_address(host: str):
    assert ascii_host(host) is None and normalise(f"http://{host}/") is None


def test_links_to_malformed_ip_addresses_are_skipped_and_other_links_are_read():
    facts = read(page(body='<a href="http://-1.0.0.1/">a</a><img src="//0x-7f.1/"><a href="/b">b</a>'))
    assert [link.url for link in facts.links] == ["https://demo.test/b"]


def test_a_port_in_non_ascii_digits_is_refused():
    assert host_key("demo.test:²") == "demo.test:²" and normalise("https://demo.test:１２/") is None


def test_a_long_name_in_another_script_is_refused_quickly():
    assert ascii_host("é" * 64 + ".test") is None
    assert ascii_host("a\u0301\u0323" * 2_000) is None
    assert ascii_host("é" * 20 + ".test") == "xn--" + ("é" * 20).encode("punycode").decode() + ".test"


def test_the_cache_of_resolved_links_never_exceeds_its_maximum_size():
    resolver = LinkResolver(URL)
    for number in range(45_000):
        resolver.resolve(f"p{number}?x")
    assert len(resolver._own) <= 20_000


# -- headers -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("²", 10.0),
        ("１２", 10.0),
        ("1_0", 10.0),
        ("-5", 10.0),
        ("", 10.0),
        ("7", 7.0),
        ("9" * 5_000, 60.0),
        ("90", 60.0),
    ],
)
def test_retry_after_is_read_from_ascii_digits_only(value: str, seconds: float):
    assert retry_after_seconds(Answer(URL, headers={"retry-after": value})) == seconds


@pytest.mark.parametrize("value", ["9" * 5_000, "²", "１２", "1_0", "-1", "", "9" * 16])
def test_a_content_length_that_is_not_a_plain_number_is_unknown(value: str):
    assert file_size(value) is None
    assert file_size("1234") == 1234


def test_unavailable_after_with_an_impossible_date_is_ignored():
    for date in ("1 Jan 2020 00:00:00 +99999999999999999999", "1 Jan 99999999999999999999 00:00:00", "9" * 5_000):
        assert directives.read([("robots", f"unavailable_after: {date}")], None, 1_800_000_000).noindex is None


@pytest.mark.parametrize("value", ["１２", "1_0", "9" * 5_000])
def test_max_snippet_is_read_from_ascii_digits_only(value: str):
    assert directives.read([("robots", f"max-snippet:{value}")], None, 0).max_snippet is None


def test_parsing_a_list_of_dates_takes_linear_time():
    assert in_proportion(lambda size: directives.read([], "unavailable_after:1" + ",1" * size, 0), 100_000)


# -- pages ---------------------------------------------------------------------------------------------


def test_comparing_a_product_price_with_many_numbers_in_the_text_takes_linear_time():
    product = LD + '{"@type":"Product","name":"Red tent","offers":{"price":"77.37"}}</script><p>' + "word " * 60
    assert in_proportion(lambda size: read(product + "1.1," * size), 8_000)
    assert in_proportion(lambda size: read(product + "1 1," * size), 8_000)
    shown = read(product + "It costs 1,299.00 EUR today, or $ 5.").schema_differs
    assert shown == [("price", "77.37", "1,299.00 EUR, $ 5"), ("name", "Red tent", "")]


def test_only_the_first_500_options_of_a_list_are_read():
    html = "<select>" + "<option>x</option>" * 20_000 + "</select><p>after</p>"
    assert tame(html).count("<option>") == 500 and tame(html).endswith("<p>after</p>")
    assert in_proportion(lambda size: read("<select>" + "<option>" * size), 12_000)


@pytest.mark.parametrize("unit", [b"<script ", b"<", b"<!--", b"<style>", b"&a"])
def test_detecting_the_charset_of_hostile_html_takes_linear_time(unit: bytes):
    assert loops_of(lambda: charset.decode(b"\xff" + unit * 40_000, None)) < 40


def test_charset_detection_reads_the_text_between_scripts():
    body = "<script>var x='\xe9\xe9'</script><p>Die schöne Straße grüßt Österreich</p><style>".encode("cp1252")
    assert charset.decode(body, None)[1] == "windows-1252"


def test_parsing_unclosed_brackets_in_llms_txt_takes_linear_time():
    site = SiteBuilder(SiteFacts(home_url=URL, host="demo.test"), now=0).finish()
    assert in_proportion(lambda size: list(faults_of(TextFile(URL, 200, "[" * size), site)), 12_500)
    good = "# Demo\n\n## Pages\n\n- [Tents](/tents): every one of them\n" + "More about us. " * 4
    assert list(faults_of(TextFile(URL, 200, good), site)) == []


def test_limiting_the_depth_of_a_tag_full_of_quotation_marks_takes_linear_time():
    assert in_proportion(lambda size: tame("<p " + '""' * size + ">"), 250_000)


@pytest.mark.parametrize(
    "opening", ["<a x='>", '<a ">', '<a x=y=">', "<!--> ", "<!-- --!>", "<!", "<?", "</ "], ids=repr
)
def test_malformed_tags_do_not_bypass_the_limit_of_nesting_depth(opening: str):
    html = opening + ">" + "<div>" * 20_000 + "\"'>-->"
    if opening == "<a x='>":  # the parser takes all of it for one value
        assert read(html).elements <= 5
    else:
        assert read(html).elements < 600


@pytest.mark.parametrize("unit", ["<div/>", "<rt>", "<optgroup>", "<div><!</div>", "<div></ </div>"])
def test_the_limit_counts_nesting_depth_as_the_html_parser_does(unit: str):
    html = unit * 20_000
    assert tame(html).count(unit[:4]) < 600


def test_at_most_fifty_titles_in_the_body_are_examined_one_by_one():
    titles = "<title></title>" * 20_000
    flat = loops_of(lambda: read("<body>" + titles))
    assert loops_of(lambda: read("<body>" + "<div>" * 500 + titles)) < 3 * flat
    assert read("<body><svg><title>x</title></svg><title>y</title>").head_tags_in_body == ["title"]


def test_searching_for_the_visible_title_takes_linear_time():
    assert in_proportion(lambda size: read("<body>" + "<div class=headertitle></div><p class=title>x" * size), 5_000)
    assert in_proportion(lambda size: read("<body><div class=headertitle>" + "<p class=other>x" * size), 10_000)
    words = "<div class=headertitle><div class=title>" + "long " * 20_000
    assert len(read("<body>" + words).shown_title or "") <= 200


def test_folding_combining_characters_takes_linear_time():
    assert in_proportion(lambda size: fold("a" + "\u0301\u0323" * size), 25_000)
    once = fold("a" + "\u0301\u0323" * 500 + "b")
    assert fold(once) == once and fold("Crème BRÛLÉE") == "crème brûlée"


def test_searching_for_unclosed_shortcodes_takes_linear_time():
    text = "<p>" + "word " * 60
    assert in_proportion(lambda size: read(text + "[aa" + ' a="' * size), 5_000)
    assert in_proportion(lambda size: read(text + "[/abc] " * size), 20_000)
    found = read(text + 'See [gallery ids="1,2" size=3] and [spacer height=20] and [/vc_column].').placeholders
    assert [excerpt for _, excerpt in found] == ['[gallery ids="1,2" size=3]', "[spacer height=20]", "[/vc_column]"]


@pytest.mark.parametrize("rating", ["1e999", '"inf"', '"nan"', "Infinity", '"1_0"', '"４"', '"' + "9" * 290 + '"'])
def test_a_rating_that_is_not_a_number_is_left_out(rating: str):
    product = '{"@type":"Product","name":"Red tent","aggregateRating":{"ratingValue":' + rating + "}}"
    facts = read(LD + product + "</script><p>Red tent, rated 4.5/5 by all. " + "word " * 60)
    assert all(what != "rating" for what, _, _ in facts.schema_differs)


def test_structured_data_at_the_deepest_allowed_nesting_is_read():
    for depth in range(100, 1_000, 60):
        nested = "[" * depth + "]" * depth
        offers = '{"offers":' * depth + "{}" + "}" * depth
        facts = read(LD + f'{{"@type":"Product","name":{nested},"image":{nested},"offers":{offers}}}</script><p>x')
        assert facts.structured_types == ["Product"] or facts.structured_errors


def test_merging_structured_data_with_the_same_id_takes_linear_time():
    def many(size: int) -> str:
        things = ",".join(f'{{"@id":"x","@type":"a","k{number}":1}}' for number in range(size))
        return LD + f'{{"@type":"A","mainEntity":[{things}]}}</script>'

    assert in_proportion(lambda size: read(many(size)), 5_000)
    two = '[{"@type":"Product","@id":"p","name":"a"},{"@type":"Product","@id":"p","offers":{"price":"1"}}]'
    assert read(LD + two + "</script>").schema_missing == []


def test_structured_data_inside_comments_is_read_in_linear_time():
    for before, after in (("<!--", "-->"), ("//<![CDATA[\n", "\n//]]>"), ("/*<![CDATA[*/", "/*]]>*/"), ("", ";")):
        assert read(f'{LD}{before}{{"@type":"Event"}}{after}</script>').structured_types == ["Event"]
    assert in_proportion(lambda size: read(LD + "/* */{" + " " * size + "x}/</script>"), 50_000)


# -- robots.txt ----------------------------------------------------------------------------------------


def test_at_most_1000_wildcard_rules_are_tried_for_one_robots_txt_verdict():
    lines = "".join(f"Disallow: /*{number}*a*b\n" for number in range(25_000))
    parsed = robots.parse("User-agent: *\n" + lines)
    few = robots.parse("User-agent: *\n" + lines[: lines.index("Disallow: /*1000*")])
    paths = [f"/x{number}" for number in range(100)]
    many_cost = loops_of(lambda: [parsed._for("GPTBot")[0].decide(path) for path in paths])
    few_cost = loops_of(lambda: [few._for("GPTBot")[0].decide(path) for path in paths])
    assert many_cost < 3 * few_cost


def test_robots_txt_verdicts_are_cached_in_bounded_memory():
    parsed = robots.parse("User-agent: *\n" + "".join(f"Disallow: /*{number}*b\n" for number in range(1_000)))
    addresses = [f"https://demo.test/{number}x" for number in range(3_000)]
    first = loops_of(lambda: [parsed.verdict("GPTBot", url) for url in addresses], times=1)
    again = loops_of(lambda: [parsed.verdict("GPTBot", url) for url in addresses])
    assert again < first / 5
    for number in range(70_000):
        parsed.verdict("GPTBot", f"/{number}")
        if number == 100:
            assert not parsed.verdict("GPTBot", "/7/b").allowed
    assert len(parsed._for("GPTBot")[0]._remembered) <= 60_000


def test_parsing_alternating_user_agents_and_signals_takes_linear_time():
    text = "User-agent: a\nContent-Signal: search=yes\n"
    assert in_proportion(lambda size: robots.parse(text * size).signals, 3_000)
    (signal,) = robots.parse("User-agent: a\nUser-agent: b\n" + "Content-Signal: search=yes\n").signals
    assert signal.agents == ("a", "b")


def test_the_longest_matching_path_decides_a_robots_txt_verdict():
    parsed = robots.parse(
        "User-agent: *\nDisallow: /a\nAllow: /ab\nDisallow: /ab*\nAllow: /abc$\nDisallow: /abcd\nAllow: /abcde\n"
    )
    allowed = {path: parsed.verdict("x", path).allowed for path in ("/", "/a", "/ab", "/abc", "/abcd", "/abcdef", "/b")}
    assert allowed == {
        "/": True, "/a": False, "/ab": False, "/abc": True, "/abcd": False, "/abcdef": True, "/b": True,
    }  # fmt: skip


def test_a_rule_with_too_many_wildcards_is_reported_and_ignored():
    parsed = robots.parse("User-agent: *\nDisallow: /" + "*a" * 21 + "\nDisallow: /" + "*" * 50 + "\n")
    assert [problem.kind for problem in parsed.problems] == ["too_many_stars"]
    assert not parsed.verdict("x", "/y").allowed


# -- sitemaps and packed bodies ------------------------------------------------------------------------


def test_a_sitemap_that_declares_elements_or_attributes_is_refused():
    attributes = " ".join(f'a{number} CDATA "x"' for number in range(500))
    body = f"<!DOCTYPE urlset [<!ATTLIST url {attributes}>]><urlset>{'<url/>' * 20_000}</urlset>"
    found = sitemap.parse(body.encode(), SITEMAP)
    assert found.error == "the file declares elements or attributes of its own, which are not read"
    assert found.total == 0


def test_a_feed_with_a_public_doctype_is_read():
    rss = '<!DOCTYPE rss PUBLIC "-//Netscape//DTD RSS 0.91//EN" "http://x/rss.dtd"><rss><channel><item><link>/a</link>'
    assert sitemap.parse(f"{rss}</item></channel></rss>".encode(), SITEMAP).entries == [(URL + "a", None)]


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"<urlset>" + b"<a>" * 200_000, "its elements are nested more than 64 levels deep"),
        (
            b"<urlset>" + b"".join(b"<a%d/>" % number for number in range(60_000)),
            "the file uses more than 10,000 different names of elements and attributes",
        ),
        (
            b"<urlset><url " + b" ".join(b'a%d=""' % number for number in range(300_000)) + b"/>",
            "the file holds a tag, a comment or a declaration of more than 1 MB",
        ),
    ],
    ids=["depth", "names", "tag"],
)
def test_a_sitemap_that_would_exhaust_memory_is_refused(body: bytes, error: str):
    assert sitemap.parse(body, SITEMAP).error == error


def test_at_most_500_alternates_of_one_address_are_read():
    link = '<xhtml:link rel="alternate" hreflang="' + "d" * 90 + '" href="/x"/>'
    body = f"<urlset xmlns:xhtml='x'><url><loc>/a</loc>{link * 2_000}</url></urlset>"
    found = sitemap.parse(body.encode(), SITEMAP).alternates
    assert len(found) == 500 and found[0] == (URL + "a", "d" * 40, URL + "x")


def test_a_file_of_too_many_concatenated_gzip_members_is_refused():
    empty = gzip.compress(b"", mtime=0)
    assert sitemap.parse(empty * 1_001, SITEMAP).error == "the gzip file consists of more than 1,000 parts"
    lines = b"".join(gzip.compress(b"https://demo.test/%d\n" % number, mtime=0) for number in range(900))
    assert sitemap.parse(lines, SITEMAP).total == 900
    reader = BodyReader("gzip", 1_000_000)
    with pytest.raises(DecodingError, match="too many gzip files"):
        reader.add(empty * 1_001)
    reader = BodyReader("gzip", 1_000_000)
    for start in range(0, len(lines), 1_000):
        assert reader.add(lines[start : start + 1_000])
    assert reader.body().count(b"\n") == 900


# -- requests ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [100, 400, 800, 950, 1_500, 3_000, 100_000])
def test_a_body_of_deeply_nested_lists_is_refused(depth: int):
    class Nothing(bodies.Body):
        pass

    with pytest.raises(ApiError) as refused:
        bodies.read(Nothing, b"[" * depth + b"]" * depth, {}, required=True)
    assert refused.value.status == 400


# -- memory --------------------------------------------------------------------------------------------

_CHILD = """
from pathlib import Path
from bench.measure import peak_megabytes
from chalicelib.domain.crawl import robots, sitemap
from chalicelib.domain.page import charset
from chalicelib.net.decoding import BodyReader
def joined(piece, times):
    made = bytearray()
    for number in range(times):
        made += piece % number
    return bytes(made)
def read_bytes(body):
    reader = BodyReader(None, 10_000_000)
    for place in range(len(body)):
        reader.add(body[place : place + 1])
    return reader.body()
body = {body}
Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew with what this process holds now
before = peak_megabytes()
{work}
print(int(peak_megabytes() - before))
"""
_SITEMAP = 'sitemap.parse(body, "https://demo.test/s")'
# What is read, how it is read, and what reading may take beside it, in megabytes.
_HUNGRY = {
    "a sitemap of elements inside each other": ('b"<urlset>" + b"<a>" * 16_000_000', _SITEMAP, 10),
    "a sitemap of different names": ('b"<urlset>" + joined(b"<a%d/>", 4_000_000)', _SITEMAP, 20),
    "a sitemap of relative addresses": ('b"<urlset>" + joined(b"<url><loc>a%d</loc></url>", 1_500_000)', _SITEMAP, 30),
    "a sitemap of one tag": ("""b"<urlset><url " + b"a='' " * 8_000_000""", _SITEMAP, 20),
    "a robots.txt of names and signals": (
        'joined(b"User-agent: a%d\\nContent-Signal: a=b\\n", 11_000).decode()', "robots.parse(body).signals", 20
    ),
    "a page of undefined bytes": ('b"\\x81" * 10_000_000', "charset.decode(body, None)", 60),
    "a body that comes byte by byte": ('b"x" * 5_000_000', "read_bytes(body)", 25),
}  # fmt: skip


@pytest.mark.parametrize("name", _HUNGRY)
def test_each_parser_stays_within_its_memory_limit(name: str):
    body, work, most_megabytes = _HUNGRY[name]
    script = _CHILD.format(body=body, work=work)
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=root, check=True)
    assert int(done.stdout) < most_megabytes
