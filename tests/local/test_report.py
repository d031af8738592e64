"""The plan that the terminal shows: issues that one change mends stand together."""

from typing import Any

import pytest

from local.report import grouped, in_words

PRODUCT, LINE = ("template", "product"), ("robots_line", "5: Disallow: /")


def action(name: str, cause: tuple[str, str] | None = None) -> dict[str, Any]:
    shown = None if cause is None else {"kind": cause[0], "key": cause[1], "issueIds": []}
    return {"issueId": name, "cause": shown}


def test_issues_of_one_cause_stand_together_where_the_first_of_them_stands() -> None:
    actions = [action("a"), action("b", PRODUCT), action("c", LINE), action("d"), action("e", PRODUCT)]
    groups = grouped([*actions, action("f", LINE)])
    assert [[one["issueId"] for one in group] for group in groups] == [["a"], ["b", "e"], ["c", "f"], ["d"]]


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        (PRODUCT, "the template product"),
        (LINE, "robots.txt, line 5: Disallow: /"),
        (("layout", "every page"), "the layout that every page has"),
        (("header", "X-Robots-Tag: {noindex}"), "the header X-Robots-Tag: {noindex}"),
    ],
)
def test_a_cause_is_said_in_words(cause: tuple[str, str], words: str) -> None:
    assert in_words({"kind": cause[0], "key": cause[1]}) == words
