"""What robots meta tags and the X-Robots-Tag header say together."""

from datetime import UTC, datetime

import pytest

from chalicelib.domain.page.directives import NONE_GIVEN, Directives, read

NOW = datetime(2026, 11, 21, tzinfo=UTC).timestamp()


def given(*metas: tuple[str, str], header: str | None = None) -> Directives:
    return read(metas, header, NOW)


@pytest.mark.parametrize(
    ("meta", "header"),
    [
        (("robots", "noindex"), None),
        (("robots", "NOINDEX, follow"), None),
        (("robots", "none"), None),
        (("googlebot", " noindex "), None),
        (None, "noindex"),
        (None, "NoIndex, nofollow"),
        (None, "googlebot: noindex"),
        (None, "otherbot: all, googlebot: nofollow, noindex"),
        (("robots", "unavailable_after: 2026-11-20"), None),
        (("robots", "unavailable_after: 25-Aug-2007 15:00:00 EST"), None),
        (None, "unavailable_after: Sat, 25 Jun 2010 15:00:00 GMT"),
    ],
)
def test_noindex_and_none_directives_exclude_a_page_from_search(
    meta: tuple[str, str] | None, header: str | None
) -> None:
    assert given(*([meta] if meta else []), header=header).noindex is not None


@pytest.mark.parametrize(
    ("meta", "header"),
    [
        (("robots", "index, follow"), None),
        (("robots", "max-image-preview:large"), None),
        (("robots", "noindexing"), None),
        (("bingbot", "noindex"), None),
        (None, "otherbot: noindex, nofollow"),
        (None, "googlebot: index, otherbot: noindex"),
        (("robots", "unavailable_after: 2027-01-01"), None),
        (("robots", "unavailable_after: soon"), None),
        (("robots", ""), ""),
    ],
)
def test_other_directives_do_not_exclude_a_page_from_search(meta: tuple[str, str] | None, header: str | None) -> None:
    assert given(*([meta] if meta else []), header=header).noindex is None


def test_each_robots_header_line_is_read_separately() -> None:
    assert given(header="bingbot: nofollow\nnoindex").noindex == "X-Robots-Tag: noindex"
    assert given(header="noindex, bingbot: nofollow").noindex is not None
    assert given(header="bingbot: nofollow, noindex").noindex is None
    assert given(header="otherbot: noindex\nbingbot: noindex\nmax-snippet: 20").noindex is None
    assert given(header="unavailable_after: Sat\n25 Jun 2010 15:00:00 GMT").noindex is None


def test_the_directive_none_means_noindex_and_nofollow() -> None:
    found = given(("robots", "none"))
    assert found.noindex == found.nofollow == '<meta name="robots" content="none">'


def test_each_directive_is_quoted_with_its_tag_or_header() -> None:
    found = given(("robots", "nofollow"), header="noindex")
    assert found.nofollow == '<meta name="robots" content="nofollow">'
    assert found.noindex == "X-Robots-Tag: noindex"


def test_the_strictest_snippet_limit_is_used_and_minus_one_means_no_limit() -> None:
    assert given(("robots", "max-snippet:-1")).max_snippet == -1
    assert given(("robots", "max-snippet:-1"), ("googlebot", "max-snippet: 30")).max_snippet == 30
    assert given(("robots", "max-snippet:30"), header="max-snippet:-1").max_snippet == 30
    assert (
        given(("robots", "max-snippet:30"), header="max-snippet:10").max_snippet_where == "X-Robots-Tag: max-snippet:10"
    )
    assert given(("robots", "max-snippet:many")) is NONE_GIVEN


def test_several_directives_in_one_tag_are_all_read() -> None:
    found = given(("robots", "nosnippet, noai, noindex, nofollow"))
    assert None not in (found.nosnippet, found.noai, found.noindex, found.nofollow)


def test_missing_directives_are_unset() -> None:
    assert given() is NONE_GIVEN
    assert given(("robots", "index,follow"), header="all") is NONE_GIVEN


def test_quoted_directives_are_cut_to_a_maximum_length() -> None:
    assert len(given(("robots", "noindex, " + "x" * 5_000)).noindex or "") <= 160
