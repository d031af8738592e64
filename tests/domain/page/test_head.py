"""Reading a head alone gives what reading the whole page gives."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.site import Generator
from chalicelib.domain.crawl.urls import LinkResolver, host_key
from chalicelib.domain.page import head
from chalicelib.domain.page.extract import read_page
from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.page.head import read_head
from local.demo.serve import start
from local.demo.variants import FAULTY

URL = "https://shop.example/tents/"
HEADERS = {"link": '<https://shop.example/other/>; rel="canonical"'}
# What may stand before, in and behind a head, and what may hide or move what follows it.
PIECES = [
    *("<html>", "<head>", "</head>", "<body>", "<BODY class=x>", "</body>", "<body/>", "<bodyguard>", "<frameset>"),
    *("<title>", "A title", "</title>", "<title>Another &amp; more</title>", "<svg>", "</svg>", "<math>"),
    *("<!--", "-->", "<script>", "</script>", "<style>", "</style>", "<textarea>", "<noscript>", "</noscript>"),
    *("<template>", "</template>", "<p>", "<table>", "<select>", "<foreignObject>", "<plaintext>", "<iframe>"),
    *('<meta name="description" content="', '">', '<meta name="description" content="Words">', "<META name=robots"),
    *(' content="noindex">', '<meta name="robots" content="index">', '<meta name="googlebot" content="none">'),
    *('<link rel="canonical" href="/a">', '<link rel="canonical" href="https://b.example/">', '<base href="/deep/">'),
    *("<link rel=alternate hreflang=de href=/de>", "<![CDATA[", "]]>", "'", '"', " ", "\x00", "\ud800"),
]


def both(html: str, content_type: str | None = "text/html", headers: Any = HEADERS) -> tuple[Any, Any]:
    whole, alone = PageFacts(url=URL), PageFacts(url=URL)
    whole.content_type = alone.content_type = content_type
    read_page(whole, html, headers=headers, host=host_key(URL), resolver=LinkResolver(URL))
    read_head(alone, html, headers=headers, resolver=LinkResolver(URL))
    return said(whole), said(alone)


def said(facts: PageFacts) -> tuple[Any, ...]:
    return facts.title, facts.description, facts.robots_meta, facts.canonicals


@given(
    st.lists(st.sampled_from(PIECES), max_size=14).map("".join), st.sampled_from(["text/html", "application/xhtml+xml"])
)
def test_parsing_only_the_head_gives_the_same_head_as_parsing_the_whole_page(html: str, content_type: str) -> None:
    whole, alone = both(html, content_type)
    assert alone == whole


@pytest.mark.parametrize(
    "html",
    [
        "<title>About the <body> tag</title><link rel=canonical href=/a>",
        "<!-- <body> --><title>T</title><link rel=canonical href=/a><body>",
        "<script>'<body>'</script><title>T</title><body><p>",
        '<meta name="description" content="a <body> b"><title>T</title>',
        "<title>T</title><body><meta name=robots content=noindex>",
        "<title>T</title><link rel=canonical href=a><body><base href=/deep/>",
        "<frameset><body><title>T</title>",
        "<template><body></template><title>T</title>",
        "<p>text<title>T</title><body><title>U</title>",
        "<svg><body><title>T</title>",
        "",
    ],
)
def test_a_body_tag_inside_text_does_not_end_the_head(html: str) -> None:
    whole, alone = both(html)
    assert alone == whole


def test_on_all_demo_pages_parsing_only_the_head_gives_the_same_head() -> None:
    server = start(FAULTY, tls=None, host="127.0.0.1")
    try:
        pages = [found.plain.body.decode("utf-8", "replace") for found in server.answers().values() if found.html]
    finally:
        server.stop()
    assert len(pages) > 100
    for html in pages:
        whole, alone = both(html, headers={})
        assert alone == whole


def test_an_ordinary_page_is_parsed_only_up_to_its_body(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[int] = []
    parse = head.parse

    def counting(html: str, content_type: str | None) -> Any:
        parsed.append(len(html))
        return parse(html, content_type)

    monkeypatch.setattr(head, "parse", counting)
    html = Generator(50, "https://shop.example").html(7)
    whole, alone = both(html)
    assert alone == whole and len(parsed) == 1
    assert parsed[0] < html.index("<body") + 50 < len(html) / 2
