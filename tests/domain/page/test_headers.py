"""Headers that come several times, and what their lines mean together."""

import pytest

from chalicelib.domain.page.headers import content_type_of, first_of, joined, lines_of


def test_repeated_header_lines_are_distinguished_from_lists_with_commas() -> None:
    headers = {"link": "</a>; rel=canonical\n</b>; rel=next, </c>; rel=prev"}
    assert lines_of(headers, "link") == ["</a>; rel=canonical", "</b>; rel=next, </c>; rel=prev"]
    assert joined(headers, "link") == "</a>; rel=canonical, </b>; rel=next, </c>; rel=prev"
    assert first_of(headers, "link") == "</a>; rel=canonical"
    assert (lines_of(headers, "via"), joined(headers, "via"), first_of(headers, "via")) == ([], "", "")


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("text/html", ("text/html", None)),
        (" Text/HTML ; Charset=UTF-8", ("text/html", "UTF-8")),
        ('text/html;;charset="utf-8";', ("text/html", "utf-8")),
        ("", (None, None)),
        ("html", (None, None)),
        ("text/", (None, None)),
        ("charset=utf-8", (None, None)),
        ("*/*", (None, None)),
        ("text/html; charset=gbk\ntext/plain", ("text/plain", None)),
        ("text/html; charset=gbk\ntext/html", ("text/html", "gbk")),
        ("text/html; charset=gbk, text/html; charset=utf-8", ("text/html", "utf-8")),
        ("text/html; charset=gbk\nnonsense", ("text/html", "gbk")),
        ("text/html\n*/*", ("text/html", None)),
        ('text/html; a="b, text/plain"', ("text/html", None)),
        ('text/html; a="b\\", text/plain', ("text/html", None)),
        ("text/html;" + "x" * 100_000, ("text/html", None)),
        ("," * 100_000, (None, None)),
        ('"' * 100_000, (None, None)),
    ],
)
def test_the_last_valid_content_type_is_used_with_its_charset(value: str, found: tuple[str | None, str | None]) -> None:
    assert content_type_of(value) == found
