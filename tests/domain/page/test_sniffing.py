"""What an answer without a type is: its first bytes decide, as browsers do."""

import pytest

from chalicelib.domain.page.sniffing import is_blank, is_page, is_unknown


@pytest.mark.parametrize("content_type", [None, "unknown/unknown", "application/unknown", "*/*"])
def test_a_missing_or_generic_content_type_is_unknown(content_type: str | None) -> None:
    assert is_unknown(content_type)


@pytest.mark.parametrize("content_type", ["text/plain", "application/octet-stream", "text/html", "image/png"])
def test_a_specific_content_type_is_trusted(content_type: str) -> None:
    assert not is_unknown(content_type)


@pytest.mark.parametrize(
    "body",
    [
        b"<!doctype html><p>x",
        b"\r\n \t\x0c<HTML>",
        b"<head lang=en>",
        b"<!-- a remark --><html>",
        b"<a href=/>x</a>",
        b"<Title>x</title>",
        b"<p>x",
        b"<h1>x</h1>",
        b"<body\x20>",
    ],
)
def test_a_body_starting_with_html_is_a_page(body: bytes) -> None:
    assert is_page(body)
    assert not is_page(body, no_sniff=True)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"plain words",
        b"<?xml version='1.0'?><urlset/>",
        b"<svg></svg>",
        b"<htmlx>",
        b"<p",
        b"<html\n>",
        b"%PDF-1.7",
        b"\x89PNG\r\n",
        b"\xef\xbb\xbf<html>",
        b" " * 2000 + b"<html>",
    ],
)
def test_a_body_starting_with_something_else_is_not_a_page(body: bytes) -> None:
    assert not is_page(body)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\n",
        b" \t\r\n\x0c",
        b"\xef\xbb\xbf",
        b"\xef\xbb\xbf\n",
        "\ufeff \r\n".encode("utf-16-le"),
        b"\xfe\xff\x00\n",
    ],
)
def test_white_space_with_or_without_a_byte_order_mark_is_blank(body: bytes) -> None:
    assert is_blank(body)


@pytest.mark.parametrize(
    "body",
    [
        b"x",
        b" \n<p>",
        b"<!-- a remark -->",
        b"&nbsp;",
        "\u00a0".encode(),
        b"\x0b",
        b"\x00",
        "\ufeffx".encode("utf-16-le"),
        b"\xfe\xff\x00x",
    ],
)
def test_anything_else_is_not_blank(body: bytes) -> None:
    assert not is_blank(body)
