"""Nothing that a stranger wrote reaches the operator's terminal but printable text."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

import manage
from chalicelib.connectors.errors import Declined
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import accounts, websites
from chalicelib.store import websites as stored
from chalicelib.store.connections import shown
from chalicelib.store.transactions import commit
from management import output
from tests.api import seed
from tests.management.conftest import Run

CLIPBOARD, CLEAR, HIDDEN = "\x1b]52;c;ZXZpbA==\x07", "\x1b[2J\x9b2J", "\u202egnp.exe\u2066\u200b"
NASTY = f"ok{CLIPBOARD}{CLEAR}\r\nwiped\x08\x00{HIDDEN}"


def unprintable(text: str) -> list[str]:
    return [one for one in text if not one.isprintable() and one != "\n"]


@pytest.mark.parametrize(
    "answer",
    [
        {"id": NASTY, NASTY: 1},
        {"id": "x", "list": [NASTY], "object": {NASTY: NASTY}, "deep": [{"a": [NASTY]}]},
        {"items": [{"id": NASTY, "title": NASTY}, {"id": "x", NASTY: NASTY}]},
    ],
)
def test_control_characters_are_removed_from_all_output(answer: Any, capsys: pytest.CaptureFixture[str]) -> None:
    for as_json in (False, True):
        output.use_json(as_json)
        output.show(answer)
        printed = capsys.readouterr().out
        assert unprintable(printed) == [] and "wiped" in printed
        if as_json:
            assert json.loads(printed) == answer
            assert printed.count("\n") == 1
    output.use_json(False)


def test_each_member_of_an_object_is_printed_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    output.use_json(False)
    output.show({"id": "x", "reply": "first\nid  fake\r\n"})
    assert capsys.readouterr().out == "id     x\nreply  first id fake\n"


def test_lists_of_objects_are_printed_as_tables_below_other_members(capsys: pytest.CaptureFixture[str]) -> None:
    output.use_json(False)
    output.show({"id": "x", "pages": [{"url": "/a", "message": "one\ntwo"}], "none": [], "names": ["a", "b"]})
    lines = capsys.readouterr().out.splitlines()
    assert [re.split(r"  +", line.rstrip()) for line in lines] == [
        *(["id", "x"], ["none"], ["names", "a, b"], [""]),
        *(["pages"], ["url", "message"], ["/a", "one two"]),
    ]


def test_objects_are_printed_in_one_table_even_if_their_members_differ(capsys: pytest.CaptureFixture[str]) -> None:
    output.use_json(False)
    output.show({"items": [{"id": "cms", "url": "https://a.example"}, {"id": "search", "property": "sc-domain:a"}]})
    lines = capsys.readouterr().out.splitlines()
    assert [re.split(r"  +", line) for line in lines] == [
        ["id", "url", "property"],
        ["cms", "https://a.example", "-"],
        ["search", "-", "sc-domain:a"],
    ]


def test_texts_of_a_connector_are_printed_without_control_characters(
    run: Run, refused: Callable[..., str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = accounts.create_workspace(OPERATOR, "Acme", "agency")
    website = websites.add(OPERATOR, workspace.id, "https://acme.example")
    seed.connected(website, platform=NASTY, version=NASTY, reason=NASTY, fields=(NASTY,), writable=False)
    known = stored.get(workspace.id, website.id)
    assert known is not None and known.connections.cms is not None
    failed = known.connections.cms.failed(Declined(NASTY).message, 1.0)
    commit([shown(known, known.connections.with_writer("cms", failed))])
    for arguments in (["connections", "list", website.id], ["connections", "list", website.id, "--json"]):
        assert manage.main(arguments) == 0
        printed = capsys.readouterr().out
        assert "wiped" in printed and unprintable(printed) == []
    assert unprintable(refused("keys", "list", f"wsp_{NASTY}")) == []
    assert unprintable(refused(f"no{NASTY}such")) == []
