"""Mails: what is said stands in the text and, escaped, in the HTML."""

import pytest

from chalicelib.domain.mails import mail, sign_in_mail


def test_markup_is_escaped_in_the_html_part() -> None:
    hostile = "<img src=x onerror=\"alert(1)\"> & 'quoted'"
    made = mail("ada@example.org", hostile, (hostile, "javascript:alert(1)"))
    assert hostile in made.text
    assert "<img" not in made.html and "<a " not in made.html
    assert "&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; &#x27;quoted&#x27;" in made.html


def test_only_a_complete_web_address_becomes_a_link() -> None:
    made = mail("ada@example.org", "Hello", ("https://a.example/?x=1&y=2", 'https://a.example/"><b>'))
    assert '<a href="https://a.example/?x=1&amp;y=2">https://a.example/?x=1&amp;y=2</a>' in made.html
    assert made.html.count("<a ") == 1


@pytest.mark.parametrize("subject", ["a\nBcc: eve@example.org", "a\rb", "a\0", "a\u2028b"])
def test_a_subject_is_a_single_line(subject: str) -> None:
    with pytest.raises(ValueError, match="one line"):
        mail("ada@example.org", subject, ("text",))


def test_a_logged_mail_shows_no_link() -> None:
    assert "token" not in repr(sign_in_mail("ada@example.org", "https://a.example/app/sign-in?token=x", 15))


def test_a_sign_in_mail_says_how_long_its_link_is_valid() -> None:
    made = sign_in_mail("ada@example.org", "https://a.example/app/sign-in?token=x", 15)
    for part in (made.text, made.html):
        assert "https://a.example/app/sign-in?token=x" in part and "15 minutes" in part
