"""What docs/connector.md says, as checks for whatever speaks it: the stand-in and the WordPress plugin run the same.

Each check takes a ``Subject``: a connector with a website behind it. It leaves the item's values as it found them.
"""

import json
import secrets
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import pytest

from chalicelib.connectors.cms import HttpCms
from chalicelib.connectors.errors import NoAccess, OutsideError, Unavailable
from chalicelib.domain.connector import signature
from chalicelib.domain.connector.messages import Change, Field, FileChange, Outcome
from chalicelib.randomness import random_bytes

BASE_URL = "https://api.service.example/api/v1"
# A value of each field that is easily spoilt on its way to a visitor.
VALUES: dict[Field, str] = {
    "title": "Tents & “tarps” for C:\\hikers – 100% dry",
    "meta_description": 'Don\'t <em>pitch</em> it: "peg" it & go. Ünïcode 🏕 too.',
    "canonical": "https://elsewhere.example/a-page/?x=1&y=2",
    "noindex": "true",
}


class Subject(Protocol):
    """A connector that can be asked, and what its website shows. ``item`` and ``url``: a published item that has no
    values of its own."""

    address: str
    item: str
    url: str

    def code(self) -> str:
        """A new code, as a person makes one."""

    def disconnect(self) -> None:
        """The person ends the connection."""

    def edit(self, field: Field, value: str | None) -> None:
        """An editor writes the item's own value by himself."""

    def shown(self, field: Field) -> str | None:
        """What a visitor of ``url`` sees; None where the website makes the value by itself, or shows none."""

    def file(self, name: str) -> str | None:
        """What a visitor sees at /llms.txt or /robots.txt; None: not found."""

    def stored(self) -> Any:
        """Everything that a write could change, for comparison."""


def connect(subject: Subject) -> HttpCms:
    """A pairing made anew."""
    cms = HttpCms(subject.address, signature.make_secret(random_bytes(32)))
    cms.pair(subject.code(), "site_1", BASE_URL, "wos_site_key")
    return cms


_sequence = 0


def sequence() -> int:
    """A higher one each time."""
    global _sequence
    _sequence += 1
    return _sequence


def change(subject: Subject, field: Field, value: str | None, **more: Any) -> Change:
    given = {"change_id": secrets.token_hex(8), "sequence": sequence(), "cms_id": subject.item, "url": subject.url}
    return Change(**{**given, "field": field, "value": value, **more})


def undo(cms: HttpCms, subject: Subject, field: Field, outcome: Outcome) -> Outcome:
    return cms.change(change(subject, field, None, restore=outcome.undo))


def ask(
    subject: Subject, operation: str, body: bytes, headers: dict[str, str], method: str = "POST"
) -> tuple[int, Any]:
    """Status and JSON of a request made by hand."""
    request = urllib.request.Request(f"{subject.address}/{operation}", body, headers, method="POST")
    request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=30) as found:
            return found.status, json.load(found)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def signed(cms: HttpCms, operation: str, body: bytes, at: float | None = None) -> dict[str, str]:
    moment = int(time.time() if at is None else at)
    return signature.headers(cms.secret, moment, secrets.token_hex(16), signature.ROOT + operation, body)


# -- pairing -----------------------------------------------------------------------------------------------


def check_a_code_pairs_once_and_is_answered_again_to_the_same(subject: Subject) -> None:
    code = subject.code()
    first = HttpCms(subject.address, signature.make_secret(random_bytes(32)))
    status = first.pair(code, "site_1", BASE_URL, "wos_site_key")
    assert status == first.pair(code, "site_1", BASE_URL, "wos_site_key") == first.status()
    other = HttpCms(subject.address, signature.make_secret(random_bytes(32)))
    with pytest.raises(NoAccess, match="code"):
        other.pair(code, "site_1", BASE_URL, "wos_site_key")
    assert first.status() == status
    with pytest.raises(NoAccess, match="another secret"):
        other.status()


def check_a_wrong_code_changes_nothing(subject: Subject) -> None:
    cms = connect(subject)
    subject.code()
    stranger = HttpCms(subject.address, signature.make_secret(random_bytes(32)))
    for code in ("", "0" * 16, "ABCD-EFGH-JKLM"):
        with pytest.raises(OutsideError):
            stranger.pair(code, "site_1", BASE_URL, "wos_site_key")
    assert cms.status().writable


def check_a_new_pairing_ends_the_old_one(subject: Subject) -> None:
    old, new = connect(subject), connect(subject)
    with pytest.raises(NoAccess):
        old.status()
    assert new.status().writable
    subject.disconnect()
    with pytest.raises(NoAccess, match="not paired"):
        new.status()


def check_it_says_what_it_can_do(subject: Subject) -> None:
    status = connect(subject).status()
    assert status.writable and status.reason is None and subject.url.startswith(status.site_url.rstrip("/"))
    assert status.fields == list(VALUES) and status.files == ["llmsTxt", "robotsBlock"]
    assert status.robots_file == "virtual" and status.platform and status.version


# -- items -------------------------------------------------------------------------------------------------


def check_items_come_in_pages_that_miss_and_repeat_none(subject: Subject) -> None:
    cms = connect(subject)
    whole = cms.items()
    assert whole.next is None and len(whole.items) > 5
    assert {item.cms_id: item.url for item in whole.items}[subject.item] == subject.url
    assert len({item.cms_id for item in whole.items}) == len({item.url for item in whole.items}) == len(whole.items)
    found, after = [], None
    while True:
        page = cms.items(after, 3)
        assert len(page.items) <= 3
        found += page.items
        after = page.next
        if after is None:
            break
    assert found == whole.items
    with pytest.raises(OutsideError):
        cms.items("no-such-cursor")
    with pytest.raises(OutsideError):
        cms.items(limit=201)


def check_items_tell_their_own_values(subject: Subject) -> None:
    cms = connect(subject)
    before = next(item for item in cms.items().items if item.cms_id == subject.item)
    assert before.published and before.fields.title is None and before.fields.noindex is None
    outcomes = {field: cms.change(change(subject, field, value)) for field, value in VALUES.items()}
    own = next(item for item in cms.items().items if item.cms_id == subject.item).fields
    assert (own.title, own.meta_description) == (VALUES["title"], VALUES["meta_description"])
    assert (own.canonical, own.noindex) == (VALUES["canonical"], True)
    for field, outcome in outcomes.items():
        undo(cms, subject, field, outcome)
    assert next(item for item in cms.items().items if item.cms_id == subject.item).fields == before.fields


# -- changes -----------------------------------------------------------------------------------------------


def check_each_field_is_written_seen_and_undone(subject: Subject) -> None:
    cms = connect(subject)
    stored = subject.stored()
    for field, value in VALUES.items():
        before = subject.shown(field)
        outcome = cms.change(change(subject, field, value))
        assert (outcome.state, outcome.before, outcome.after) == ("written", None, value), outcome
        assert subject.shown(field) == value != before
        back = undo(cms, subject, field, outcome)
        assert (back.state, back.before, back.after) == ("written", value, None)
        assert subject.shown(field) == before
    assert subject.stored() == stored


def check_none_takes_a_value_away_and_undo_brings_it_back(subject: Subject) -> None:
    cms = connect(subject)
    for field, value in VALUES.items():
        made, first = subject.shown(field), cms.change(change(subject, field, value))
        gone = cms.change(change(subject, field, None))
        assert (gone.state, gone.before, gone.after, subject.shown(field)) == ("written", value, None, made)
        back = undo(cms, subject, field, gone)
        assert (back.after, subject.shown(field)) == (value, value)
        # The value that the first change left stands again, so that it can be undone as well.
        assert undo(cms, subject, field, first).after is None


def check_a_known_change_is_answered_as_the_first_time(subject: Subject) -> None:
    cms = connect(subject)
    asked = change(subject, "title", "First")
    outcome = cms.change(asked)
    subject.edit("title", "An editor's")
    assert cms.change(asked) == outcome and subject.shown("title") == "An editor's"
    late = change(subject, "title", "Refused", cms_id="page:0", url=subject.url)
    refused = cms.change(late)
    assert refused.state == "refused" and refused.reason and cms.change(late) == refused
    assert undo(cms, subject, "title", outcome).state == "refused", "the editor's value is not undone"
    subject.edit("title", None)


def check_a_lower_sequence_is_superseded(subject: Subject) -> None:
    cms = connect(subject)
    early, now = sequence(), change(subject, "title", "Now")
    outcome = cms.change(now)
    assert cms.change(change(subject, "title", "Too late", sequence=early)).state == "superseded"
    assert subject.shown("title") == "Now"
    other = cms.change(change(subject, "meta_description", "Another field", sequence=early))
    assert other.state == "written"
    assert undo(cms, subject, "title", outcome).state == "written"
    assert undo(cms, subject, "meta_description", other).state == "written"


def check_what_cannot_be_written_is_refused_with_a_reason(subject: Subject) -> None:
    cms = connect(subject)
    stored = subject.stored()
    for asked in (
        change(subject, "title", "X", cms_id="no-such-item"),
        change(subject, "title", "X", cms_id="post:99999999"),
        change(subject, "title", "X", url=f"{subject.url}elsewhere/"),
        change(subject, "title", "   "),
        change(subject, "title", "Two\nlines"),
        change(subject, "title", "x" * 5_000),
        change(subject, "noindex", "yes"),
        change(subject, "canonical", "/relative/"),
        change(subject, "canonical", "javascript:alert(1)"),
        change(subject, "title", None, restore='{"store":"nobody","raw":["x"]}'),
    ):
        outcome = cms.change(asked)
        assert outcome.state == "refused" and outcome.reason and len(outcome.reason) <= 500, asked
    assert subject.stored() == stored


def check_one_change_sent_eight_times_at_once_happens_once(subject: Subject) -> None:
    cms = connect(subject)
    asked = change(subject, "title", "Once")

    def send(_: int) -> Outcome | None:
        try:
            return cms.change(asked)
        except Unavailable:
            return None  # another one is at work: to be sent again

    with ThreadPoolExecutor(8) as pool:
        answers = [answer for answer in pool.map(send, range(8)) if answer is not None]
    assert answers and set(map(repr, answers)) == {repr(cms.change(asked))}
    assert answers[0].before is None and answers[0].after == "Once" == subject.shown("title")
    undo(cms, subject, "title", answers[0])
    assert subject.shown("title") != "Once"


def check_many_changes_at_once_all_happen(subject: Subject) -> None:
    cms = connect(subject)
    asked = {field: change(subject, field, value) for field, value in VALUES.items()}
    with ThreadPoolExecutor(4) as pool:
        outcomes = dict(zip(asked, pool.map(cms.change, asked.values()), strict=True))
    assert {field: subject.shown(field) for field in asked} == VALUES
    for field, outcome in outcomes.items():
        assert outcome.state == "written" and undo(cms, subject, field, outcome).after is None


# -- files -------------------------------------------------------------------------------------------------


def check_files_are_written_seen_and_removed(subject: Subject) -> None:
    cms = connect(subject)
    stored, robots = subject.stored(), subject.file("robots.txt")
    assert subject.file("llms.txt") is None and robots is not None
    text = "# Shop\n\n> Ünïcode & <b>\\n</b>\n\n- [Tents](https://shop.example/tents/)\n"
    first = cms.change_file(
        FileChange(change_id="f1" + secrets.token_hex(8), sequence=sequence(), file="llmsTxt", value=text)
    )
    assert (first.state, first.before, first.after, subject.file("llms.txt")) == ("written", None, text, text)
    block = "User-agent: GPTBot\nDisallow: /\n"
    second = cms.change_file(
        FileChange(change_id=secrets.token_hex(8), sequence=sequence(), file="robotsBlock", value=block)
    )
    assert second.state == "written"
    found = subject.file("robots.txt")
    assert found is not None and found.count(block) == 1 and found != robots
    long = cms.change_file(
        FileChange(change_id=secrets.token_hex(8), sequence=sequence(), file="llmsTxt", value="x" * 60_001)
    )
    assert long.state == "refused" and subject.file("llms.txt") == text
    for file, outcome in (("llmsTxt", first), ("robotsBlock", second)):
        back = FileChange(
            change_id=secrets.token_hex(8), sequence=sequence(), file=file, value=None, restore=outcome.undo
        )  # type: ignore[arg-type]
        assert cms.change_file(back).state == "written"
    assert subject.file("llms.txt") is None and subject.file("robots.txt") == robots
    assert subject.stored() == stored


# -- who may ask -------------------------------------------------------------------------------------------


def check_requests_that_are_not_the_service_s_change_nothing(subject: Subject) -> None:
    cms = connect(subject)
    stored = subject.stored()
    body = json.dumps(
        {"changeId": "forged", "sequence": sequence() + 1_000_000, "cmsId": subject.item, "url": subject.url}
        | {"field": "title", "value": "Forged"}
    ).encode()
    good = signed(cms, "changes", body)
    stranger = HttpCms(subject.address, "wos_cn_" + "0" * 64)
    now = time.time()
    for headers, expected in (
        ({}, "unsigned"),
        ({**good, "X-Wos-Signature": ""}, "bad_signature"),
        ({**good, "X-Wos-Signature": good["X-Wos-Signature"].removeprefix("v1=")}, "bad_signature"),
        ({**good, "X-Wos-Nonce": secrets.token_hex(16)}, "bad_signature"),
        ({**good, "X-Wos-Time": str(int(now) + 1)}, "bad_signature"),
        ({**good, "X-Wos-Nonce": "short"}, "unsigned"),
        ({**good, "X-Wos-Time": "0x1"}, "unsigned"),
        (signed(cms, "files", body), "bad_signature"),
        (signed(cms, "changes", body + b" "), "bad_signature"),
        (signed(stranger, "changes", body), "bad_signature"),
        (signed(cms, "changes", body, now - 310), "late"),
        (signed(cms, "changes", body, now + 310), "late"),
    ):
        status, said = ask(subject, "changes", body, headers)
        assert (status, said["code"]) == (401, expected), (headers, said)
    assert subject.stored() == stored and subject.shown("title") != "Forged"


def check_a_request_is_taken_once(subject: Subject) -> None:
    cms = connect(subject)
    asked = {"changeId": secrets.token_hex(8), "sequence": sequence(), "cmsId": subject.item, "url": subject.url}
    body = json.dumps(asked | {"field": "title", "value": "Once"}).encode()
    headers = signed(cms, "changes", body)
    status, outcome = ask(subject, "changes", body, headers)
    assert (status, outcome["state"]) == (200, "written")
    subject.edit("title", "An editor's")
    status, said = ask(subject, "changes", body, headers)
    assert (status, said["code"]) == (401, "repeated") and subject.shown("title") == "An editor's"
    subject.edit("title", None)


def check_what_is_no_request_is_an_error_in_the_same_form(subject: Subject) -> None:
    cms = connect(subject)
    stored = subject.stored()
    for operation, body in (
        ("changes", b""),
        ("changes", b"not json"),
        ("changes", b"[]"),
        ("changes", b'{"changeId": "x"}'),
        ("changes", json.dumps({"changeId": ["x"], "sequence": "1", "cmsId": {}, "url": 1, "field": "title"}).encode()),
        ("items", b'{"limit": "many"}'),
        ("files", b'{"changeId": "x", "sequence": 1, "file": "wp-config.php", "value": "x"}'),
    ):
        status, said = ask(subject, operation, body, signed(cms, operation, body))
        assert status == 400 and said["code"] and said["message"], (operation, body, said)
    assert subject.stored() == stored


CHECKS: list[Callable[[Subject], None]] = [
    value for name, value in list(globals().items()) if name.startswith("check_")
]
each = pytest.mark.parametrize("check", CHECKS, ids=[check.__name__.removeprefix("check_") for check in CHECKS])
