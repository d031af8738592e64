"""The plan that the terminal shows: issues that one change mends stand together."""

from io import StringIO
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from local import report
from local.report import Report, grouped, in_words

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


def test_where_no_bar_can_be_shown_a_line_is_not_said_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(report, "LINE_SECONDS", 0.0)
    told = [("queued", 0), ("crawling", 1), ("crawling", 80), *[("analysing", 90)] * 9, ("finished", 90)]
    audits = [
        {
            "stage": stage,
            "pagesCrawled": read,
            "pagesDiscovered": 90,
            "status": "done" if stage == "finished" else "running",
        }
        for stage, read in told
    ]
    answers = iter(audits)
    tenant = SimpleNamespace(workspace_key="wos_ws_key", site_id="site_1")
    service: Any = SimpleNamespace(base_url="http://127.0.0.1:1", tenant=tenant)
    shown = StringIO()
    shower = Report(Console(file=shown), service)
    assert shower._lines(lambda: next(answers), lambda _: False) == audits[-1]
    assert shown.getvalue().splitlines() == [
        f"{stage}: {read} pages read, 90 found" for stage, read in dict.fromkeys(told)
    ]
