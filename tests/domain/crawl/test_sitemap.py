"""Sitemap files, well written and otherwise."""

import gzip
import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.crawl.sitemap import MAX_ENTRIES, ParsedSitemap, parse
from tests.reference import loop_seconds

URL = "https://example.com/maps/sitemap.xml"
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def read(text: str | bytes, content_type: str | None = None) -> ParsedSitemap:
    return parse(text if isinstance(text, bytes) else text.encode(), URL, content_type)


def urlset(count: int) -> bytes:
    entries = "".join(
        f"<url><loc>https://example.com/category/page-{n}.html</loc><lastmod>2026-11-01</lastmod></url>\n"
        for n in range(count)
    )
    return f"{HEAD}<urlset {NAMESPACE}>\n{entries}</urlset>".encode()


def test_addresses_and_dates_of_a_sitemap_are_read_in_order() -> None:
    result = read(
        f"{HEAD}<urlset {NAMESPACE}><url><loc>\n https://Example.com/b?x=1&amp;y=2 \n</loc>"
        "<lastmod>2026-11-01T10:00:00+01:00</lastmod><changefreq>daily</changefreq></url>"
        "<url><priority>0.5</priority><loc><![CDATA[https://example.com/ü]]></loc></url></urlset>"
    )
    assert (result.kind, result.error, result.total, result.invalid) == ("urlset", None, 2, 0)
    assert result.entries == [
        ("https://example.com/b?x=1&y=2", "2026-11-01T10:00:00+01:00"),
        ("https://example.com/%C3%BC", None),
    ]


def test_a_sitemap_index_lists_its_sitemaps() -> None:
    result = read(
        f"{HEAD}<sitemapindex {NAMESPACE}><sitemap><loc>https://example.com/1.xml</loc><lastmod>2026-11-01</lastmod>"
        "</sitemap><sitemap><loc>/2.xml.gz</loc></sitemap></sitemapindex>"
    )
    assert (result.kind, result.error, result.entries) == ("index", None, [])
    assert result.children == ["https://example.com/1.xml", "https://example.com/2.xml.gz"]


@pytest.mark.parametrize(
    "text",
    [
        "<urlset><url><loc>https://example.com/a</loc></url></urlset>",
        '<urlset xmlns="http://www.google.com/schemas/sitemap/0.84"><url><loc>https://example.com/a</loc></url></urlset>',
        "<s:urlset xmlns:s='x'><s:url><s:loc>https://example.com/a</s:loc></s:url></s:urlset>",
        "<s:urlset><s:url><s:loc>https://example.com/a</s:loc></s:url></s:urlset>",
        "\ufeff<urlset><url><loc>https://example.com/a</loc></url></urlset>",
        f"\n \n{HEAD}<urlset><url><loc>https://example.com/a</loc></url></urlset>",
        f"{HEAD}<?xml-stylesheet href='s.xsl'?><!-- x --><urlset><url><loc>https://example.com/a</loc></url></urlset>",
        "<urlset><url><loc>https://example.com/a</loc><image:image><image:loc>https://example.com/i.png</image:loc>"
        "</image:image><video:video><video:content_loc>https://example.com/v</video:content_loc></video:video></url></urlset>",
        "<urlset><url><image:image><image:loc>https://example.com/i.png</image:loc></image:image>"
        "<loc>https://example.com/a</loc></url></urlset>",
    ],
)
def test_unusual_spacing_namespaces_and_prologs_are_read(text: str) -> None:
    result = read(text)
    assert ([url for url, _ in result.entries], result.error) == (["https://example.com/a"], None)


def test_other_encodings_are_read() -> None:
    text = "<urlset><url><loc>https://example.com/ü</loc></url></urlset>"
    for data in (
        ("<?xml version='1.0' encoding='UTF-16'?>" + text).encode("utf-16"),
        ("<?xml version='1.0' encoding='windows-1252'?>" + text).encode("cp1252"),
    ):
        assert read(data).entries == [("https://example.com/%C3%BC", None)]


def test_hreflang_alternates_of_an_address_are_kept() -> None:
    result = read(
        "<urlset><url><loc>https://example.com/a</loc><xhtml:link rel='alternate' hreflang='de' href='/de/a'/>"
        "<xhtml:link rel='alternate' hreflang='x-default' href='https://example.com/a'/>"
        "<xhtml:link rel='amphtml' href='/amp'/><xhtml:link rel='alternate' hreflang='fr' href='mailto:x'/>"
        "</url></urlset>"
    )
    assert result.alternates == [
        ("https://example.com/a", "de", "https://example.com/de/a"),
        ("https://example.com/a", "x-default", "https://example.com/a"),
    ]


def test_feeds_are_read_as_sitemaps() -> None:
    rss = read(
        "<rss><channel><link>https://example.com/</link><item><title>x</title><link>https://example.com/p</link>"
        "<pubDate>Mon, 02 Nov 2026</pubDate></item></channel></rss>"
    )
    assert (rss.kind, rss.entries) == ("urlset", [("https://example.com/p", "Mon, 02 Nov 2026")])
    atom = read(
        "<feed><link href='https://example.com/'/><entry><link rel='self' href='/feed'/><link href='/p'/>"
        "<updated>2026-11-02</updated></entry></feed>"
    )
    assert (atom.kind, atom.entries) == ("urlset", [("https://example.com/p", "2026-11-02")])


def test_plain_text_sitemaps_are_read() -> None:
    result = read("\ufeffhttps://example.com/a\r\nhttps://example.com/b\r\n\r\nnot an address\rHTTP://example.com/c")
    assert result.kind == "text" and (result.total, result.invalid, result.error) == (4, 1, None)
    assert [url for url, _ in result.entries] == [
        "https://example.com/a",
        "https://example.com/b",
        "http://example.com/c",
    ]


def test_a_text_file_without_addresses_is_reported() -> None:
    assert read("hello\nworld", "text/plain; charset=utf-8").error == "none of the entries is an http(s) address"
    result = read('{"a": 1}', "application/json")
    assert (result.kind, result.error) == (None, "the file is neither XML nor a list of addresses")


@pytest.mark.parametrize(
    "text", ["<!DOCTYPE html><html></html>", "<HTML><body>", "<?xml version='1.0'?><html xmlns='x'></html>"]
)
def test_an_html_page_is_not_a_sitemap(text: str) -> None:
    result = read(text, "text/html")
    assert (result.kind, result.error) == (None, "the file is a web page, not a sitemap")


@pytest.mark.parametrize("data", [b"", b"\n \t", b"\xef\xbb\xbf"])
def test_an_empty_file_is_reported(data: bytes) -> None:
    assert read(data).error == "the file is empty"


def test_other_xml_is_not_a_sitemap() -> None:
    assert read("<svg></svg>").error == "the file is XML with the root element svg, not a sitemap"


def test_an_empty_url_set_is_not_an_error() -> None:
    result = read(f"<urlset {NAMESPACE}></urlset>")
    assert (result.kind, result.error, result.entries) == ("urlset", None, [])


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        ("<url><loc>https://example.com/b?x&y=2</loc></url></urlset>", "line 2: not well-formed"),
        ("<url><loc>https://example.com/b&nbsp;</loc></url></urlset>", "line 2: undefined entity"),
        ("<url><loc>https://example.com/b</loc>", "no element found"),
        ("</url></urlset>", "line 2: mismatched tag"),
    ],
)
def test_addresses_before_broken_xml_are_kept_and_the_error_is_reported(end: str, reason: str) -> None:
    result = read("<urlset><url><loc>https://example.com/a</loc></url>\n" + end)
    assert result.kind == "urlset"
    assert result.entries[0] == ("https://example.com/a", None)
    assert result.error and "the XML is broken in line" in result.error and reason in result.error


def test_an_unknown_encoding_is_reported() -> None:
    result = read(b"<?xml version='1.0' encoding='martian'?><urlset></urlset>")
    assert result.error in (
        "the XML is in an encoding that cannot be read",
        "the XML is broken in line 1: unknown encoding",
    )


def test_entries_without_a_valid_address_are_counted_as_invalid() -> None:
    result = read(
        "<urlset><url><loc>mailto:x</loc></url><url><lastmod>2026</lastmod></url><url><loc>/a</loc></url></urlset>"
    )
    assert (result.total, result.invalid, result.entries) == (3, 2, [("https://example.com/a", None)])
    assert result.error is None


@pytest.mark.parametrize(
    "text",
    [
        '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]><urlset><url><loc>&b;</loc></url></urlset>',
        '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><urlset><url><loc>&a;</loc></url></urlset>',
        '<!DOCTYPE x [<!ENTITY % a SYSTEM "http://127.0.0.1/">%a;]><urlset></urlset>',
    ],
)
def test_a_file_that_defines_entities_is_refused(text: str) -> None:
    result = read(text)
    assert result.entries == []
    assert result.error == "the file declares entities of its own, which are not read"


def test_gzip_files_are_decompressed() -> None:
    packed = gzip.compress(urlset(10))
    assert len(read(packed).entries) == 10
    assert len(read(packed, "application/x-gzip").entries) == 10
    assert read(gzip.compress(b"https://example.com/a\n") + gzip.compress(b"https://example.com/b\n")).total == 2


def test_the_beginning_of_a_truncated_gzip_file_is_read() -> None:
    packed = gzip.compress(urlset(5000))
    result = read(packed[: len(packed) // 2])
    assert result.error == "the gzip file breaks off" and 1000 < len(result.entries) < 5000
    assert read(b"\x1f\x8bnothing of the kind").error == "the gzip file is broken"


def test_a_decompression_bomb_is_cut_without_using_much_memory() -> None:
    packed = gzip.compress(b"<urlset>" + b" " * 120_000_000, 1)
    tracemalloc.start()
    result = read(packed)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result.error == "the file is larger than 50 MB unpacked"
    assert peak < 10_000_000


def test_a_file_of_more_than_50_mb_is_cut() -> None:
    result = read(b"<urlset><url><loc>https://example.com/a</loc></url>" + b" " * 53_000_000 + b"</urlset>")
    assert (result.error, result.entries) == ("the file is larger than 50 MB", [("https://example.com/a", None)])


def test_the_first_50000_addresses_are_kept_and_an_excess_is_reported() -> None:
    result = read(urlset(MAX_ENTRIES + 5))
    assert (len(result.entries), result.total) == (MAX_ENTRIES, MAX_ENTRIES + 5)
    assert result.error == "the file lists 50,005 addresses; 50,000 are allowed in one file"


def test_a_sitemap_with_the_maximum_of_entries_is_parsed_quickly() -> None:
    body = urlset(MAX_ENTRIES)
    started = time.process_time()
    result = read(body)
    assert len(result.entries) == MAX_ENTRIES and result.error is None
    assert time.process_time() - started < 115 * loop_seconds()


@given(st.binary(max_size=300))
def test_arbitrary_bytes_are_parsed_without_an_exception(data: bytes) -> None:
    for body in (data, b"<urlset>" + data, b"\x1f\x8b\x08" + data):
        result = read(body)
        assert result.error or result.kind
