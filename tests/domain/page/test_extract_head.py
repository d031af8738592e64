"""What the head of a page says."""

import pytest

from chalicelib.domain.page.facts import Hreflang
from tests.domain.page.reading import page, read


def test_the_first_title_of_the_head_is_used_with_decoded_entities():
    facts = read(page("<title>\n Caf&eacute; &amp;\n Bar </title><title>Second</title>"))
    assert facts.title == "Café & Bar"
    assert facts.title_count == 2


def test_the_title_of_an_svg_is_not_the_title_of_the_page():
    facts = read(page("", "<svg><g><title>Icon</title></g></svg>"))
    assert facts.title is None
    assert facts.title_count == 0
    assert facts.head_tags_in_body == []


def test_an_empty_title_is_empty_and_a_missing_title_is_null():
    assert read(page("<title> &nbsp; </title>")).title == ""
    assert read(page("")).title is None


def test_tags_for_the_head_count_as_body_tags_after_an_element_that_ends_the_head():
    facts = read(
        "<html><head><title>T</title><div>x</div>"
        "<meta name=description content=D><meta name=robots content=noindex><link rel=canonical href=/a>"
        "<link rel=alternate hreflang=de href=/de><title>Late</title></head><body></body></html>"
    )
    assert facts.head_tags_in_body == ["title", "description", "robots", "canonical", "hreflang"]
    assert facts.title == "T" and facts.title_count == 1
    # Engines honour robots and description anywhere, canonical and hreflang in the head only.
    assert facts.description == "D"
    assert facts.robots_meta == [("robots", "noindex")]
    assert facts.canonicals == []
    assert facts.hreflang == []


def test_an_image_inside_noscript_does_not_close_the_head():
    facts = read(
        page("<noscript><img src=p.gif></noscript><link rel=canonical href=https://demo.test/a><title>T</title>")
    )
    assert facts.canonicals == [("https://demo.test/a", "https://demo.test/a", "html")]
    assert facts.title == "T"
    assert facts.head_tags_in_body == []
    assert facts.images == []


def test_microdata_in_the_body_is_not_a_head_tag():
    facts = read(
        page(
            "", "<div itemscope><meta itemprop=description content=x><meta itemprop=robots name=robots content=x></div>"
        )
    )
    assert facts.head_tags_in_body == []
    assert facts.description is None


def test_meta_names_are_read_in_any_letter_case():
    facts = read(page("<META NAME=Description CONTENT='Hello'><META Name=ROBOTS Content='NoIndex, Follow'>"))
    assert facts.description == "Hello"
    assert facts.robots_meta == [("robots", "noindex, follow")]


def test_robots_directives_for_named_crawlers_are_kept_separately():
    facts = read(
        page("<meta name=robots content=index><meta name=googlebot content=noindex><meta name=author content=x>")
    )
    assert facts.robots_meta == [("robots", "index"), ("googlebot", "noindex")]


def test_the_first_description_with_text_is_used_and_all_are_counted():
    facts = read(page("<meta name=description content=''><meta name=description content=' A  b '>"))
    assert facts.description == "A b"
    assert facts.description_count == 2


def test_an_empty_description_is_empty_and_a_missing_one_is_null():
    assert read(page("<meta name=description content=''>")).description == ""
    assert read(page("")).description is None


@pytest.mark.parametrize(
    ("written", "absolute"),
    [
        ("/a", "https://demo.test/a"),
        ("https://other.test/a#top", "https://other.test/a"),
        ("file:///C:/a.html", ""),
        ("", ""),
    ],
)
def test_a_canonical_is_stored_as_written_and_as_an_absolute_address(written: str, absolute: str):
    facts = read(page(f'<link rel="Canonical" href="{written}">'))
    assert facts.canonicals == [(written, absolute, "html")]


def test_canonical_and_hreflang_are_also_read_from_the_link_header():
    facts = read(
        page("<link rel=canonical href=/a><link rel=alternate hreflang=en href=/shop/page>"),
        headers={
            "link": '<https://demo.test/b>; rel="canonical", </c,d>; rel=preload; as=style,'
            ' <https://demo.test/de>; rel="alternate"; hreflang="de-AT"'
        },
    )
    assert facts.canonicals == [
        ("/a", "https://demo.test/a", "html"),
        ("https://demo.test/b", "https://demo.test/b", "header"),
    ]
    assert facts.hreflang == [
        Hreflang("en", "https://demo.test/shop/page", "html"),
        Hreflang("de-AT", "https://demo.test/de", "header"),
    ]


def test_the_base_address_is_used_for_html_links_but_not_for_link_headers():
    facts = read(
        page(
            "<base href='https://demo.test/base/'><link rel=canonical href=x>",
            "<a href=y>Link</a><img src=z.png alt=''>",
        ),
        headers={"link": "<x>; rel=canonical"},
    )
    assert facts.canonicals == [
        ("x", "https://demo.test/base/x", "html"),
        ("x", "https://demo.test/shop/x", "header"),
    ]
    assert facts.links[0].url == "https://demo.test/base/y"
    assert facts.images[0].src == "https://demo.test/base/z.png"


def test_an_invalid_base_address_is_ignored():
    assert read(page("<base href='about:blank'>", "<a href=y>L</a>")).links[0].url == "https://demo.test/shop/y"


def test_the_language_is_read_from_the_html_element():
    assert read("<html lang=' de-AT '><body lang=fr>").lang == "de-AT"
    assert read("<html><body lang=fr>").lang is None
    assert read("<html lang>").lang == ""
    xhtml = '<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="it"><head><title/></head><body>x</body></html>'
    assert read(xhtml).lang is None
    assert read(xhtml, content_type="application/xhtml+xml").lang == "it"


def test_the_first_viewport_tag_with_a_width_is_used():
    assert (
        read(page("<meta name=viewport content='user-scalable=no'><meta name=viewport content='width=320'>")).viewport
        == "width=320"
    )


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0; url=/next", "https://demo.test/next"),
        ("5;URL='next.html'", "https://demo.test/shop/next.html"),
        ("3, https://other.test/", "https://other.test/"),
        ("30", None),
        ("", None),
    ],
)
def test_the_target_of_a_meta_refresh_is_absolute(content: str, target: str | None):
    assert read(page(f'<meta http-equiv="Refresh" content="{content}">')).meta_refresh == target


def test_generator_and_open_graph_are_read():
    facts = read(
        page(
            "<meta name=generator content='WordPress 6.5'><meta property=og:title content='O T'>"
            "<meta name=twitter:description property=og:description content=OD>"
        )
    )
    assert facts.generator == "WordPress 6.5"
    both = "<meta name=generator content='DocBook XSL'><meta name=generator content='GTK-Doc V1.33'>"
    assert read(page(both)).generator == "DocBook XSL; GTK-Doc V1.33"
    assert len(read(page(both * 50)).generator or "") <= 200
    assert facts.platform == "wordpress"
    assert (facts.og_title, facts.og_description) == ("O T", "OD")


def test_the_name_of_the_website_is_read_from_its_meta_tags():
    structured = '<script type="application/ld+json">{"@type": "WebSite", "name": "Acme Tents"}</script>'
    assert read(page(structured)).site_name == "Acme Tents"
    assert (
        read(page(f"{structured}<meta property=og:site_name content=' Acme \n Outdoor '>")).site_name == "Acme Outdoor"
    )
    assert read(page("<meta property=og:site_name content=''>")).site_name is None
    assert read(page()).site_name is None


@pytest.mark.parametrize(
    ("html", "generator"),
    [
        ("<!doctype html><!--  This file is generated by Nim. --><html><head>", "Nim."),
        ("<html><!-- Generated by javadoc (17) on a day --><head>", "javadoc (17) on a day"),
        ("<html><head><meta name=generator content=Hugo><!-- generated by Nim -->", "Hugo"),
        (f"<html><head>{' ' * 3_000}<!-- generated by Nim -->", None),
        ("<html><body><p>Power is generated by the sun.</p>", None),
        ("<html><!-- Power --><head><title>generated by Nim</title><!-- sun -->", None),
        ("<html>" + "<!--" * 700 + "generated by " * 10, None),
        (f"<html><!-- generated by {'x' * 101} -->", None),
        ("<html><!-- XML file produced from file: tents.tex\n     using Hyperlatex v 2.6 -->", "Hyperlatex v 2.6"),
        ("<html><!-- Created on March, 3 2009 by texi2html 1.82 -->", "texi2html 1.82"),
        ("<html><head><!-- tents.qdoc --><title>Tents</title>", "QDoc"),
        (
            '<html><head><title>Zelte</title>\n<link href="index.html" rel="start">\n'
            '<link href="index.html#contents" rel="contents">\n',
            "DebianDoc-SGML",
        ),
        ('<div class="node">\n<a name="Top"></a>\n<p>Next:', "Texinfo"),
        ('<html><body><div class="top-level-extent" id="Top">', "Texinfo"),
        ("<html><head><meta name=generator content=Hugo><!-- tents.qdoc -->", "Hugo"),
        ("<html><body><div class=node>Top</div>", None),
        ("<i>generated by <a href='https://example.com/ldoc'>LDoc 1.4.6</a></i>", "LDoc 1.4.6"),
        ("<div>Generated on Mon May 6 10:00:00 2024 by\n <a href=/y>yard</a> 0.9</div>", "yard"),
        ("<footer>Documentation generated by <a href=/j>JSDoc 4.0</a></footer>", "JSDoc 4.0"),
        ("<p>Generated from ./tent with <a href=/r>ROBODoc</a></p>", "ROBODoc"),
        ("<p>Created with <a href=/o>OCamldoc</a></p>", "OCamldoc"),
        ("<p>This page was produced by <a href=/h>Haddock</a></p>", "Haddock"),
        ("<p>BUILT USING <a href=/e>Epydoc</a></p>", "Epydoc"),
        ("<p>made with <a href=/r>rustdoc</a></p>", "rustdoc"),
        (f"<p>generated by <a href=/l>LDoc</a></p>{' ' * 2_000}", None),
        ("<p>Our tents are made by hand, and LDoc documents their code.</p>", None),
        ("<p>Our site is great. It was generated by <a href=/h>Hugo</a></p>", None),
        ("<p>generated by " * 150, None),
    ],
)
def test_the_generator_is_read_from_comments_and_markup_typical_of_it(html: str, generator: str | None):
    assert read(html).generator == generator
