"""The plan that the terminal shows: issues that one change mends stand together."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console
from rich.table import Table
from rich.text import Text

from app import app
from chalicelib.domain.accounts.rights import OPERATOR, SCOPES
from chalicelib.operations import accounts, websites
from host.server import ApiServer
from local import report
from local.report import Report, grouped, in_words
from local.standins.mail import Sent
from local.terminal import Terminal
from tests.api import seed
from tests.api.client import Client

PRODUCT, LINE = ("template", "product"), ("robots_line", "5: Disallow: /")


@contextmanager
def served() -> Iterator[str]:
    server = ApiServer(app, 0)
    try:
        yield f"{server.url}/api/v1"
    finally:
        server.stop()


def action(name: str, cause: tuple[str, str] | None = None) -> dict[str, Any]:
    shown = None if cause is None else {"kind": cause[0], "key": cause[1], "issueIds": []}
    return {"issueId": name, "cause": shown}


def test_issues_with_the_same_cause_are_grouped() -> None:
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
def test_each_kind_of_cause_is_explained(cause: tuple[str, str], words: str) -> None:
    assert in_words({"kind": cause[0], "key": cause[1]}) == words


def test_the_report_shows_only_endpoints_that_answer(store: None) -> None:
    """For a website without connections, some endpoints return 409."""
    workspace = accounts.create_workspace(OPERATOR, "Own", "enterprise")
    person = accounts.add_person(OPERATOR, workspace.id, "owner@acme.example", "owner")
    website = websites.add(OPERATOR, workspace.id, "https://acme.example/")
    seed.audited(website)
    key = accounts.create_workspace_key(OPERATOR, workspace.id, person.id, SCOPES).secret
    shown = StringIO()
    with served() as address:
        tenant = SimpleNamespace(workspace_key=key, site_id=website.id)
        service: Any = SimpleNamespace(base_url=address, mcp_url=f"{address}/mcp", tenant=tenant)
        Report(Terminal(file=shown), service).calls()
        asked = re.findall(rf"curl -s -H \"[^\"]+\" '{address}(\S+)'", shown.getvalue())
        assert len(asked) >= 5
        statuses = {path: Client(key).get(path).status for path in asked}
    assert set(statuses.values()) == {200}
    assert not any("topics" in path or "analytics" in path for path in asked)


def test_texts_of_a_website_are_printed_without_control_characters() -> None:
    shown = StringIO()
    console = Terminal(file=shown, force_terminal=True, width=80)
    nasty = "a\x1b]52;c;AAAA\x07b\x1b[2Jc\x9b2Jd\r\u202ee"
    table = Table("Issue", box=None)
    table.add_row(nasty)
    console.print(table)
    console.print(f"[bold]name[/bold]:   {nasty}")
    console.print(nasty, markup=False)
    console.print(Text("own", style="bold"))
    printed = re.sub(r"\x1b\[[0-9;]*m", "", shown.getvalue())  # the console's own colours
    assert [one for one in printed if not one.isprintable() and one != "\n"] == []
    assert "name:   a" in printed and "own" in printed


def test_a_progress_line_is_not_repeated_without_a_progress_bar(
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


def test_a_sent_mail_is_printed_completely_without_control_characters() -> None:
    shown = StringIO()
    link = "https://seo.example.com/app/sign-in?token=" + "x" * 43
    service: Any = SimpleNamespace(base_url="http://127.0.0.1:1", tenant=SimpleNamespace(workspace_key="", site_id=""))
    text = f"[red]Open \x1b[2J this:\n\n{link}\n"
    Report(Terminal(file=shown, width=40), service).mail(Sent("ada@example.org", "Hello", text, "", 0.0, {}))
    lines = shown.getvalue().splitlines()
    assert "Mail to ada@example.org: Hello" in lines and link in lines
    assert "[red]Open" in shown.getvalue() and "\x1b" not in shown.getvalue()
