"""Hostile inputs for every reader: a name, and what makes one of about the size asked for.

Besides the written ones, HTML is drawn: units of tags, attributes and text, nested, repeated or left open.
"""

import random
import zlib
from collections.abc import Callable

Shape = Callable[[int], bytes]

_LD = '<script type="application/ld+json">'
_PRODUCT = _LD + '{"@type":"Product","name":"Red tent","offers":{"price":"77.37"}}</script>'
_WORDS = "<p>" + "word " * 60


def repeated(unit: str, before: str = "", after: str = "") -> Shape:
    return lambda size: (before + unit * max(1, size // len(unit)) + after).encode("utf-8", "replace")


def numbered(unit: str, before: str = "", after: str = "", between: str = "") -> Shape:
    """``unit`` with another number in place of each ``#``."""
    width = len(unit) + len(between) + 5

    def make(size: int) -> bytes:
        return (
            before + between.join(unit.replace("#", str(100_000 + at)) for at in range(max(1, size // width))) + after
        ).encode()

    return make


HTML: dict[str, Shape] = {
    "options": repeated("<option>", "<select>"),
    "option groups": repeated("<optgroup>"),
    "ruby": repeated("<rt>"),
    "open boxes": repeated("<div>"),
    "boxes that close themselves": repeated("<div/>"),
    "open links": repeated("<a href=x>"),
    "links in a drawing": repeated("<a href=x>", "<svg>"),
    "open formatting in paragraphs": numbered("<b id=#><p>"),
    "formatting": repeated("<b><i><a>"),
    "formatting in a table": repeated("<b>x", "<table>"),
    "tables": repeated("<table><tr><td>"),
    "forms inside each other": repeated("<form><div></form>", "", "<button formaction=http://x>"),
    "headings inside each other": repeated("<h1><div>"),
    "headings that ask": repeated("<h2>How do I do this thing?</h2><span></span>"),
    "questions inside each other": repeated("<h2>How do I do this thing?<div><a href=/x>", "<main>"),
    "sidebars after a question": repeated("<div class=sidebar><p>x</p></div>", "<h2>How do I do this thing?</h2>"),
    "code boxes inside each other": repeated("<div class=code>{{name}} "),
    "code boxes and template code": numbered("<div class=code>{{a#}}</div><p>{{b#}}</p>"),
    "filters": repeated("|aaa", "<p>{{name", "}}"),
    "parts of a name": repeated(".a", "<p>{{name"),
    "links nobody can follow in drawings": repeated("<svg><a></svg><a>x</a>"),
    "titles": repeated("<title></title>", "<body>" + "<div>" * 500),
    "images": repeated("<img src=a>", "<div>" * 500),
    "links in a frame set": repeated("<frame src=a>", "<frameset>"),
    "comments": repeated("<!-- x -->"),
    "open comments": repeated("<!--"),
    "open scripts": repeated("<script>"),
    "scripts": repeated("<script></script>"),
    "less than": repeated("<"),
    "ampersands": repeated("&amp"),
    "a long entity": repeated("a", "&"),
    "attributes": numbered("a#=1 ", "<p ", ">"),
    "the same attribute": repeated("a ", "<p ", ">"),
    "quotation marks": repeated('""', "<p ", ">"),
    "odd quotation marks": repeated("<a x='>"),
    "hidden": repeated("<p hidden>x</p>"),
    "landmarks": repeated('<div role="navigation">x</div>'),
    "breadcrumbs": repeated("<div class=breadcrumb>x</div>"),
    "properties inside each other": repeated(
        "<div itemprop=name>", '<div itemscope itemtype="https://schema.org/Organization">', "x"
    ),
    "types": repeated("a ", '<div itemtype="', '">'),
    "unknown elements": numbered("<x#></x#>"),
    "end tags": repeated("</p>"),
    "a long text": repeated("word "),
    "one word": repeated("w"),
    "Chinese and spaces": repeated("日 x ", "<p>"),
    "mail addresses": repeated("a@b.", "<p>"),
    "spelt addresses": repeated("a [at] b [dot] ", "<p>"),
    "marks": repeated("\u0301\u0323", "<title>a"),
    "marks in a heading": repeated("\u0301\u0323", "<h1>a"),
    "an open shortcode": repeated(' a="', _WORDS + "[aa"),
    "closing shortcodes": repeated("[/abc] ", _WORDS),
    "template code": repeated("{{ ", _WORDS),
    "brackets": repeated("[", _WORDS),
    "marked links": repeated("[a](", _WORDS),
    "relative links": numbered('<a href="#x">t</a>'.replace("#x", "p#")),
    "other websites": numbered('<a href="http://h#.com/">t</a>'),
    "names in other scripts": numbered('<a href="http://é#.com/">t</a>'),
    "long names in other scripts": numbered('<a href="http://' + "é\u0301\u0323" * 300 + '#.com/">t</a>'),
    "JSON-LD blocks": repeated(_LD + '{"@type":"A"}</script>'),
    "bad JSON-LD blocks": repeated(_LD + '{"a":,}</script>'),
    "JSON-LD lists": repeated("[", _LD, "</script>"),
    "JSON-LD objects": repeated('{"a":', _LD, "</script>"),
    "JSON-LD spaces": repeated(" ", _LD + "/* */{", "x}/</script>"),
    "JSON-LD types": repeated(
        '"BreadcrumbList",', _LD + '{"itemListElement":[' + "{}," * 300 + '{}],"@type":[', '"A"]}</script>'
    ),
    "JSON-LD things under one name": numbered(
        '{"@id":"x","@type":"a","k#":1}', _LD + '{"@type":"A","mainEntity":[', "]}</script>", ","
    ),
    "JSON-LD offers": numbered(
        '{"price":"#.37"}', _LD + '{"@type":"Product","name":"Red tent","offers":[', "]}</script>" + _WORDS, ","
    ),
    "numbers": repeated("1.1,", _PRODUCT + _WORDS),
    "numbers and dots": repeated("1..", _PRODUCT + _WORDS),
    "digits": repeated("1 ", _LD + '{"@type":"Product","offers":{"price":"' + "1" * 250 + '"}}</script>' + _WORDS),
    "marks beside a product": repeated("\u0301\u0323", _PRODUCT + _WORDS),
}

_TAGS = (
    "div p span a b i table tr td ul li h1 h2 select option optgroup svg g title math mi button form article main nav"
    " header template ruby rt dl dd details object marquee script style textarea img br meta link x-y font"
).split()
_ATTRIBUTES = (
    "",
    " href=x",
    ' class="a b"',
    " hidden",
    " id=#",
    " itemprop=name",
    ' style="display:none"',
    " a#=1",
    " '",
)
_TEXTS = ("", "", "x", " word ", "\n", "&amp;", "é\u0301", "1.1,", "[a](", "<!-- x -->", "<!x>", "a@b.c")


def drawn(rng: random.Random) -> tuple[str, Shape]:
    """A page of one unit over and over: each tag of the unit open, closed at once, or closed in the wrong order."""
    names = [rng.choice(_TAGS) for _ in range(rng.randint(1, 4))]
    unit = "".join(f"<{name}{rng.choice(_ATTRIBUTES)}>{rng.choice(_TEXTS)}" for name in names)
    ends = [f"</{name}>" for name in names if rng.random() < 0.5]
    rng.shuffle(ends)
    unit += "".join(ends)
    before = "".join(f"<{rng.choice(_TAGS)}>" for _ in range(rng.choice((0, 0, 1, 3))))
    return f"{before} {unit} …", numbered(unit, before) if "#" in unit else repeated(unit, before)


ROBOTS: dict[str, Shape] = {
    "wild rules": numbered("Disallow: /*#*a*b\n", "User-agent: *\n"),
    "stars": repeated("*a", "User-agent: *\nDisallow: /"),
    "names and signals": numbered("User-agent: a#\nContent-Signal: search=yes\n"),
    "names": numbered("User-agent: a#\n"),
    "prefixes of prefixes": lambda size: (
        "User-agent: *\n" + "".join(f"Disallow: /{'a' * at}\n" for at in range(int((2 * size) ** 0.5)))
    ).encode(),
    "escapes": repeated("%41%2f%zz", "User-agent: *\nDisallow: /"),
    "empty lines": repeated("\r\n"),
    "colons": repeated(": ", "User-agent"),
    "no colons": repeated("x \n"),
    "groups": numbered("User-agent: a#\nDisallow: /#\n"),
}
_SET = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
SITEMAPS: dict[str, Shape] = {
    "addresses": numbered("<url><loc>https://demo.test/#</loc></url>", _SET, "</urlset>"),
    "other addresses": numbered("<url><loc>#x#</loc></url>", _SET, "</urlset>"),
    "attributes by declaration": lambda size: (
        "<!DOCTYPE urlset [<!ATTLIST url "
        + " ".join(f'a{at} CDATA "x"' for at in range(size // 40))
        + f">]><urlset>{'<url/>' * (size // 12)}</urlset>"
    ).encode(),
    "elements inside each other": repeated("<a>", "<urlset>"),
    "different elements": numbered("<a#/>", "<urlset>"),
    "attributes": numbered('a#="" ', "<urlset><url "),
    "an open comment": repeated("- ", "<urlset><!--"),
    "open brackets": repeated("<", "<urlset>"),
    "alternates": repeated('<xhtml:link rel="alternate" hreflang="de" href="/x"/>', "<urlset xmlns:xhtml='x'><url>"),
    "a long address": repeated("a", "<urlset><url><loc>https://demo.test/"),
    "lines": repeated("https://demo.test/a\n"),
    "one line": repeated("a", "https://demo.test/"),
}
LLMS: dict[str, Shape] = {
    "brackets": repeated("["),
    "links": repeated("[a](/b) "),
    "open links": repeated("[a]("),
    "spaces in links": repeated(" ", "[a]("),
    "headings": repeated("## a\n", "# Site\n"),
    "empty lines": repeated("\n"),
    "marks": repeated("#"),
}
CHARSETS: dict[str, Shape] = {
    "open scripts": repeated("<script ", "", ""),
    "brackets": repeated("<"),
    "comments": repeated("<!--"),
    "declarations": repeated("<meta charset = "),
    "entities": repeated("&a"),
    "undefined bytes": lambda size: b"\x81" * size,
    "high bytes": lambda size: bytes(range(128, 256)) * (size // 128),
    "two bytes": lambda size: b"\xe4 a" * (size // 3),
}
HEADERS: dict[str, Shape] = {
    "digits": repeated("9"),
    "spaces": repeated(" ", "a", "b"),
    "charset and spaces": repeated(" ", "text/html; charset="),
    "links": repeated("<"),
    "link parameters": repeated('; a="b"', "</x>"),
    "dates": repeated(",1", "unavailable_after:1"),
    "directives": repeated("a: noindex, "),
    "ages": repeated("max-age=0"),
}
ADDRESSES: dict[str, Shape] = {
    "dots": repeated("../", "https://demo.test/"),
    "escapes": repeated("%2e/", "https://demo.test/"),
    "slashes": repeated("/", "https:"),
    "labels": repeated("a.", "https://"),
    "numbers": repeated("1.", "https://"),
    "marks": repeated("\u0301\u0323", "https://a"),
    "letters": repeated("é", "https://"),
    "escaped letters": repeated("%C3%A9", "https://"),
    "brackets": repeated("[", "https://"),
    "at signs": repeated("a@", "https://"),
    "spaces": repeated(" "),
}


def _empty_member() -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return packer.compress(b"") + packer.flush()


_EMPTY = _empty_member()
PACKED: dict[str, Shape] = {
    "empty members": lambda size: _EMPTY * (size // len(_EMPTY)),
    "zeros": lambda size: _EMPTY + zlib.compress(b"\0" * size * 20, 9, 31),
    "noise": lambda size: zlib.compress(random.Random(1).randbytes(size), 1, 31),
    "what follows the end": lambda size: _EMPTY + b"\0" * size,
}
