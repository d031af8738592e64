"""Legacy, broken and hostile documents: all are read, and none stops the crawl."""

import time

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.page.markup_bombs import MAX_ATTRIBUTES
from tests.domain.page.reading import page, read, tame
from tests.lengths import examples
from tests.reference import loop_seconds

CPU_LOOPS = 575  # of tests.reference: far above what any takes, far below what a quadratic step would

_PARTS = [
    "<!doctype html>",
    "<html lang=en>",
    "<head>",
    "</head>",
    "<body class=a>",
    "</body>",
    "<title>t",
    "</title>",
    "<base href='//x'>",
    "<base href=:>",
    "<meta name=robots content=noindex>",
    "<meta http-equiv=refresh content='0;url='>",
    "<link rel=canonical href='http://[::1'>",
    "<link rel='alternate' hreflang>",
    "<script type='application/ld+json'>",
    '{"@type":["A",1],"@graph":[{"@type":"Organization","sameAs":[[]],"address":[]}]}',
    "</script>",
    "<!--",
    "-->",
    "<h1>",
    "<h2 hidden>",
    "</h1>",
    "<main>",
    "<article>",
    "<nav>",
    "<svg>",
    "<title>",
    "<math>",
    "<template>",
    "<table><tr><td>",
    "<a href='x y'>",
    "<a>",
    "</a>",
    "<img alt>",
    "<img width=99999999999 src=data:>",
    "<figure>",
    "<frameset><frame src=a>",
    "<p><b><i>",
    "<select><option>",
    "<code>",
    "<div itemscope itemtype='https://schema.org/Organization' itemprop=a>",
    "<form action='http://x'>",
    "<ol class=breadcrumb>",
    "jane@acme.test ",
    "日本語",
    "\x00",
    "\ud800",
    "<![CDATA[x]]>",
    "<?xml version='1.0'?>",
    "&#0;&#x110000;&amp",
]


@settings(max_examples=examples(300))
@given(st.lists(st.one_of(st.sampled_from(_PARTS), st.text(max_size=8)), max_size=40))
def test_arbitrary_markup_is_read_without_an_error(parts: list[str]):
    facts = read("".join(parts), headers={"link": "".join(parts[:3])})
    assert facts.words >= 0
    assert facts.elements >= 2
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(facts), type=PageFacts) == facts


@settings(max_examples=examples(100))
@given(st.data())
def test_a_damaged_page_is_read_without_an_error(data: st.DataObject):
    whole = page(
        "<title>T</title><meta name=description content=d><link rel=canonical href=/a>",
        "<header><nav><a href=/a>A</a></nav></header><main><h1>H</h1><p>x <b>y</b></p><img src=a></main>" * 3,
    )
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, len(whole)))
    middle = data.draw(st.text(alphabet="<>/='\"ab -!", max_size=12))
    read(whole[:start] + middle + whole[end:])


@pytest.mark.parametrize("html", ["", " ", "plain text", "<", "<!doctype html>", "\ufeff", "\x00" * 50, "<frameset>"])
def test_a_document_without_an_html_element_is_read(html: str):
    facts = read(html)
    assert facts.elements >= 2
    assert facts.title is None


def test_xhtml_with_self_closed_elements_is_read_completely():
    facts = read(
        '<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x">'
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><script src="a.js" /><title>T</title></head>'
        '<body><div class="x" /><p>text<br/></p><a id="top"/><a href="b">B</a></body></html>',
        content_type="application/xhtml+xml",
    )
    assert facts.title == "T"
    assert facts.text == "text B"
    assert [link.text for link in facts.links] == ["B"]


def test_text_and_links_inside_ten_thousand_levels_are_read():
    facts = read("<div>" * 10_000 + "<a href=/deep>deep text</a>" + "</div>" * 10_000 + "<h1>end</h1>")
    assert facts.links[0].url == "https://demo.test/deep"
    assert "deep text" in facts.text
    assert facts.h1_count == 1


_BOMBS = {
    "nested blocks": "<div>" * 200_000,
    "nested links": "<div><a href=x>" * 100_000,
    "nested tables": "<table><tr><td><a href=x>y" * 30_000,
    "attributes": "<p " + " ".join(f"a{number}=1" for number in range(100_000)) + ">x</p>",
    "attributes of the root": "".join(f"<html a{number}=1>" for number in range(50_000)),
    "formatting": "".join(f"<font size={number}>" for number in range(5_000)) + "<p>x" * 20_000,
    "nested drawings": "<svg><g>" * 50_000 + "<title>x",
    "headings": "<h1><div>x" * 30_000,
    "navigation": "<nav><a href=/x>x</a>" * 30_000,
    "hidden": "<span hidden>x" * 50_000,
    "images in links": "<a href=/x><img alt=''>" * 30_000,
    "figures": "<figure><img>" * 30_000,
    "unclosed comments": "<!--" * 300_000,
    "unclosed quotes": "<a '\"" * 300_000,
    "text in one line": "x" * 5_000_000,
    "spaces": "<p>" + " " * 2_000_000 + "<a href='" + " " * 1_000_000 + "'>x",
    "addresses": "a.b@" * 500_000,
    "json": "<script type=application/ld+json>" + '{"a":' * 200_000 + "</script>",
    "many json blocks": '<script type=application/ld+json>{"@type":"A"}</script>' * 30_000,
    "breadcrumbs": "<div class=breadcrumb>" * 30_000,
    "microdata": "<div itemscope itemtype='https://schema.org/Organization' itemprop=x>" * 30_000,
    "forms": "<form><button formaction=http://x></form>" * 30_000,
    "a short main element": "<main>x</main>" + ("<div class=a>" * 40 + "<p>" + "</div>" * 40) * 5_000,
    "links": "".join(f"<a href=/p{number}>{number}</a>" for number in range(120_000)),
}


@pytest.mark.parametrize("name", _BOMBS)
def test_a_hostile_page_is_read_within_seconds(name: str):
    for html in (_BOMBS[name], _BOMBS[name][:63_000]):
        started = time.process_time()
        facts = read(html)
        assert time.process_time() - started < CPU_LOOPS * loop_seconds()
        assert len(facts.links) <= 10_000 and len(facts.text) <= 1_500


def test_an_ordinary_page_of_five_megabytes_is_read_completely():
    section = "<section class=s><h2>Title</h2><p>Some <b>words</b> of text.</p><a href=/n>n</a></section>"
    html = page("<title>Big</title>", "<main>" + section * 55_000 + "</main>")
    assert len(html) > 4_500_000
    started = time.process_time()
    facts = read(html)
    assert time.process_time() - started < CPU_LOOPS * loop_seconds()
    assert facts.words == 6 * 55_000
    assert facts.elements > 250_000


def test_ordinary_markup_is_not_changed_before_parsing():
    ordinary = page("<title>x</title>", "<div><ul><li>a<li>b</ul><p>c<p>d<br><img src='>'></div>" * 3_000)
    assert tame(ordinary) == ordinary


def test_tags_nested_deeper_than_512_levels_are_removed_but_their_text_is_kept():
    tamed = tame("<div>" * 30_000 + "kept" + "</div>" * 30_000 + "<p>after</p>")
    assert tamed.count("<div>") == tamed.count("</div>") == 512
    assert "kept" in tamed and tamed.endswith("<p>after</p>")


def test_only_the_first_of_thousands_of_attributes_are_kept():
    tamed = tame("<p id=first " + " ".join(f"a{number}='>'" for number in range(50_000)) + ">text</p>")
    assert tamed.startswith("<p id=first ") and tamed.endswith(">text</p>")
    assert tamed.count("=") == MAX_ATTRIBUTES


def test_tags_inside_scripts_and_comments_are_not_elements():
    script = "<script>" + "'<div>'," * 20_000 + "</script><!--" + "<div>" * 20_000 + "--><p>x</p>"
    assert tame(script) == script
