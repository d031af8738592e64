"""How values are written, and what a template may not do."""

import pytest
from jinja2 import DictLoader, UndefinedError
from msgspec import UNSET

from chalicelib import clock
from chalicelib.web import rendering


def rendered(source: str, **values: object) -> str:
    return rendering.environment(DictLoader({"a": source})).get_template("a").render(values)


def test_an_unknown_value_is_shown_as_a_dash() -> None:
    assert rendered("{{ a }} {{ b|number }} {{ c|tenths }} {{ d|signed }}", a=None, b=None, c=None, d=None) == "– – – –"
    assert rendered("{{ a|truncate(9, true, '…') }}", a=None) == "–"
    assert rendered("{{ a|day }} {{ a|moment }} {{ a|ago }} {{ a|percent }} {{ a|words }}", a=None) == "– – – – –"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("word " * 10, "word " * 10),
        ("word " * 40, "word word word word…"),
        ("x" * 200, "x" * 20 + "…"),
    ],
    ids=["a little longer", "much longer", "without spaces"],
)
def test_a_long_text_is_cut_between_words(text: str, shown: str) -> None:
    macro = (rendering.TEMPLATES / "macros" / "parts.html").read_text(encoding="utf-8")
    loader = DictLoader({"parts": macro, "a": '{% from "parts" import whole %}{{ whole(a, 20, false) }}'})
    said = rendering.environment(loader).get_template("a").render(a=text)
    assert said == f'<span dir="auto">{shown}</span>'


def test_a_missing_value_in_a_template_is_an_error() -> None:
    with pytest.raises(TypeError, match="does not have"):
        rendered("{{ a }}", a=UNSET)
    with pytest.raises(UndefinedError):
        rendered("{{ b }}", a=1)
    with pytest.raises(UndefinedError):
        rendered("{{ a.b }}", a={})


def test_all_values_and_filter_results_are_escaped() -> None:
    hostile = "<b>'\"&"
    assert rendered('<i title="{{ a }}">{{ a }}</i>', a=hostile) == (
        '<i title="&lt;b&gt;&#39;&#34;&amp;">&lt;b&gt;&#39;&#34;&amp;</i>'
    )
    assert rendered("{{ a|words }}", a=hostile) == "&lt;b&gt;&#39;&#34;&amp;"


@pytest.mark.parametrize(
    ("source", "value", "expected"),
    [
        ("{{ a|number }}", 1234567, "1,234,567"),
        ("{{ a|number }}", -1234, "−1,234"),
        ("{{ a|number }}", 0, "0"),
        ("{{ a|tenths }}", 46.94, "46.9"),
        ("{{ a|signed }}", 0.3, "+0.3"),
        ("{{ a|signed }}", -2, "−2.0"),
        ("{{ a|signed }}", 0.04, "0.0"),
        ("{{ a|signed(0) }}", -6362, "−6,362"),
        ("{{ a|percent }}", 0.1234, "12.3%"),
        ("{{ a|count('page') }}", 1, "1 page"),
        ("{{ a|count('page') }}", 12, "12 pages"),
        ("{{ a|count('query', 'queries') }}", 0, "0 queries"),
        ("{{ a|words }}", "recheck_queued", "Recheck queued"),
        ("{{ a|day }}", "2026-11-02", "2 Nov 2026"),
        ("{{ a|path_of }}", "https://a.example/b/c?d=1", "/b/c?d=1"),
        ("{{ a|path_of }}", "https://a.example", "/"),
        ("{{ a|truncate(9) }}", "one two three four", "one two…"),
        (
            "{{ a|moment }}",
            "2026-11-22T02:05:00Z",
            '<time datetime="2026-11-22T02:05:00Z">22 Nov 2026 02:05 UTC</time>',
        ),
    ],
)
def test_values_are_formatted_for_people(source: str, value: object, expected: str) -> None:
    assert rendered(source, a=value) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0, "just now"),
        (119, "just now"),
        (180, "3 minutes ago"),
        (3 * 3_600 + 5, "3 hours ago"),
        (3 * 86_400 + 5, "3 days ago"),
        (70 * 86_400, "21 Sep 2026"),
    ],
)
def test_the_age_of_a_time_is_formatted_for_people(
    monkeypatch: pytest.MonkeyPatch, seconds: int, expected: str
) -> None:
    at = 1_796_000_000  # 29 November 2026
    monkeypatch.setattr(clock, "now", lambda: float(at))
    moment = rendering.datetime.fromtimestamp(at - seconds, rendering.UTC).isoformat()
    assert f">{expected}<" in str(rendering.ago(moment))


@pytest.mark.parametrize(
    ("address", "linked"),
    [
        ("https://a.example/b", True),
        ("HTTP://a.example", True),
        ("javascript:alert(1)", False),
        ("java\nscript:alert(1)", False),
        ("data:text/html,x", False),
        ("//a.example", False),
        ("/b", False),
        ("https://[", False),
        ("https:", False),
        ("", False),
        (" https://a.example", True),
    ],
)
def test_only_http_addresses_are_rendered_as_links(address: str, linked: bool) -> None:
    source = '{% from "macros/parts.html" import address %}{{ address(a) }}'
    loader = DictLoader({"a": source, "macros/parts.html": (rendering.TEMPLATES / "macros/parts.html").read_text()})
    text = rendering.environment(loader).get_template("a").render(a=address)
    assert ("href=" in text) == linked
    assert not linked or 'rel="noopener noreferrer nofollow"' in text


@pytest.mark.parametrize(("length", "shown", "said"), [(360, 360, ""), (361, 361, ""), (1_200, 1_000, "200 more")])
def test_the_rest_of_a_long_text_is_inside_details(length: int, shown: int, said: str) -> None:
    template = rendering.environment(rendering.FileSystemLoader(rendering.TEMPLATES)).from_string(
        '{% from "macros/parts.html" import whole %}{{ whole(text) }}|{{ whole(text, 320, false) }}'
    )
    opened, _, cut = template.render({"text": "<" * length}).partition("|")
    assert opened.count("&lt;") == shown and said in opened
    assert ("<details" in opened) == (length > 360)
    assert "<details" not in cut and cut.count("&lt;") == (320 if length > 360 else length)
