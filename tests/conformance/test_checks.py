"""The checks of connectors: the stand-in passes all of them, and each of them fails on a connector with its fault."""

import json
from abc import abstractmethod
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest
from msgspec.structs import replace

from chalicelib.domain.connector import signature
from chalicelib.domain.connector.messages import Outcome
from chalicelib.domain.readiness.robots_block import with_block
from conformance.__main__ import CHECKS, main
from conformance.connector import Connector, Wrong, make_secret, sign
from local.serving import Answer, Request, Service
from local.standins import cms as standin
from local.standins.cms import Cms, Exchange, ListSite, Refusal

ROOT = Path(__file__).resolve().parents[2]
CACHED = {"Cache-Control": "max-age=3600"}
NAMES = {check.run.__name__ for check in CHECKS}


class Website(Service):
    """Serves the pages and files of a list as visitors see them."""

    name = "website"
    methods = ("GET", "HEAD")

    def __init__(self) -> None:
        super().__init__()
        self.site = ListSite(7, f"{self.url}/")

    def respond(self, request: Request) -> Answer:
        files = self.site.files
        if request.path == "/robots.txt":
            return Answer(200, with_block(b"User-agent: *\n", files.get("robotsBlock")))
        if request.path == "/llms.txt":
            return Answer(200, files["llmsTxt"].encode()) if "llmsTxt" in files else Answer(404)
        key = files.get("indexNowKey")
        if request.path.endswith(".txt"):
            return Answer(200, str(key).encode()) if request.path == f"/{key}.txt" else Answer(404)
        items = {urlsplit(entry.url).path: item for item, entry in self.site.entries().items()}
        if request.path not in items:
            target = self.site.redirects.get(request.path)
            return Answer(404) if target is None else Answer(301, b"", {"Location": target, **CACHED})
        alts = self.site.alts.get(items[request.path], {})
        images = [(key.rpartition(" ")[0], alts.get(key)) for key in self.site.images(items[request.path])]
        body = "".join(
            f'<img src="{src}"' + ("" if alt is None else f' alt="{escape(alt)}"') + ">" for src, alt in images
        )
        values = {name: escape(value) for name, value in self.site.shown.get(items[request.path], {}).items()}
        head = f"<title>{values.get('title', 'Made by the CMS')}</title>"
        for name, tag in (
            ("meta_description", '<meta name="description" content="{}">'),
            ("canonical", '<link rel="canonical" href="{}">'),
            ("noindex", '<meta name="robots" content="noindex, follow">'),
        ):
            head += tag.format(values[name]) if name in values else ""
        return Answer(200, f"<html><head>{head}</head><body>{body}</body></html>".encode())


Made = Callable[[type[Cms]], Cms]


@pytest.fixture
def made() -> Iterator[Made]:
    """Starts a connector of this class, with a website."""
    started: list[Service] = []

    def make(kind: type[Cms]) -> Cms:
        website = Website()
        cms = kind(website.site)
        started.extend((website, cms))
        return cms

    yield make
    for service in started:
        service.stop()


def checked(cms: Cms, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, str]:
    """The exit status of the command, and what it printed."""
    status = main([cms.address, "--code", cms.code(), *more])
    printed = capsys.readouterr()
    return status, printed.out + printed.err


def test_the_cms_stand_in_passes_every_check_and_its_content_is_restored(
    made: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    cms = made(Cms)
    status, printed = checked(cms, capsys)
    assert status == 0, printed
    assert f"{len(CHECKS)} checks: {len(CHECKS)} ok, 0 wrong, 0 left out." in printed
    assert all(item.fields.title is None and item.fields.noindex is None for item in cms.items())
    assert all(cms.value("", name) is None for name in standin.FILES)
    assert cms.pairing is not None and cms.pairing.secret not in printed
    # Once more with the secret of the connection.
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CONNECTOR_SECRET", cms.pairing.secret)
        assert main([cms.address, "--item", cms.items()[3].cms_id]) == 0
    assert f"Values are written to {cms.items()[3].cms_id}," in capsys.readouterr().out


class _Unsigned(Cms):
    def _check(self, exchange: Exchange) -> None:
        pass


class _TakesRepeated(Cms):
    def _check(self, exchange: Exchange) -> None:
        super()._check(exchange)
        self._nonces.clear()


class _KeepsEveryNonce(Cms):
    def _check(self, exchange: Exchange) -> None:
        nonce = exchange.headers.get(signature.NONCE_HEADER.lower(), "")
        if nonce in self._nonces:
            raise Refusal(401, "repeated", "The request came before.")
        try:
            super()._check(exchange)
        finally:
            self._nonces[nonce] = 2e9


class _TakesLarge(Cms):
    most_body = None

    def respond(self, request: Request) -> Answer:
        body = request.body if len(request.body) <= standin.MOST_BODY else b"{}"
        return super().respond(request._replace(body=body))


class _Alters(Cms):
    """Answers with a member changed by ``alter``."""

    def _does(self, operation: str, body: bytes) -> bytes:
        content = json.loads(super()._does(operation, body))
        self.alter(operation, content)
        return json.dumps(content).encode()

    @abstractmethod
    def alter(self, operation: str, content: dict[str, Any]) -> None:
        """Change what the connector would answer to this operation."""


class _OtherStatus(_Alters):
    def alter(self, operation: str, content: dict[str, Any]) -> None:
        if operation == "status":
            content["protocol"] = "1"

    def _pair(self, body: dict[str, Any]) -> Any:
        return msgspec.to_builtins(super()._pair(body)) | {"protocol": "1"}


class _Strict(Cms):
    def _does(self, operation: str, body: bytes) -> bytes:
        if b"laterMember" in body:
            raise Refusal(400, "bad_body", "An unknown member.")
        return super()._does(operation, body)


class _TwiceTold(_Alters):
    def alter(self, operation: str, content: dict[str, Any]) -> None:
        if operation == "items" and content["items"]:
            content["items"].append(content["items"][0])


class _Nameless(_Alters):
    def alter(self, operation: str, content: dict[str, Any]) -> None:
        for item in content.get("items", []):
            item["title"] = None


class _OwnValuesUntold(_Alters):
    def alter(self, operation: str, content: dict[str, Any]) -> None:
        for item in content.get("items", []):
            item["fields"]["noindex"] = None


class _Skips(Cms):
    def _items(self, body: dict[str, Any]) -> Any:
        found = super()._items(body)
        return replace(found, items=found.items[:2]) if body.get("limit") == 3 else found


class _Hides(Cms):
    """Visitors see what is stored with an end of its own."""

    def _store(self, item: str, field: str, value: str | None) -> None:
        super()._store(item, field, value)
        if field == "title" and value is not None:
            self.site.show(item, {**self._values[item], "title": f"{value} | Shop"})
        if field == "llmsTxt" and value is not None:
            self.site.show_files({**self._files, "llmsTxt": value.strip()})


class _OnlyStores(Cms):
    """A null leaves what is stored."""

    def _store(self, item: str, field: str, value: str | None) -> None:
        if value is not None or not item:
            super()._store(item, field, value)


class _Forgetful(Cms):
    def _change(self, change: Any) -> bytes:
        self._known.clear()
        return super()._change(change)


class _NoSequence(Cms):
    def _outcome(self, change: Any) -> Any:
        self._sequences.clear()
        return super()._outcome(change)


class _TakesAnything(Cms):
    def _why_not(self, change: Any, before: str | None) -> str | None:
        if change.restore is None and getattr(change, "cms_id", "") in ("", *self.site.entries()):
            return None
        return super()._why_not(change, before)


class _UndoesAlways(Cms):
    def _why_not(self, change: Any, before: str | None) -> str | None:
        is_forged = "nobody" in (change.restore or "nobody")
        return super()._why_not(change, before) if is_forged else None


class _LongUndo(Cms):
    def _outcome(self, change: Any) -> Any:
        outcome = super()._outcome(change)
        return replace(outcome, undo="x" * 9_000) if len(change.value or "") > 50_000 and outcome.undo else outcome


class _AnyKey(Cms):
    def _why_not(self, change: Any, before: str | None) -> str | None:
        return None if getattr(change, "file", "") == "indexNowKey" else super()._why_not(change, before)


class _NoMarkers(Cms):
    def _store(self, item: str, field: str, value: str | None) -> None:
        super()._store(item, field, value and value.replace("Disallow", "Allow") if field == "robotsBlock" else value)


class _AltsOfAll(Cms):
    """All images of the item get the alt text."""

    def _store(self, item: str, field: str, value: str | None) -> None:
        super()._store(item, field, value)
        if field.startswith("alt ") and value is not None:
            self.site.show_alts(item, dict.fromkeys(self.site.images(item), value))


class _OneSequence(Cms):
    """Sequences are counted by item and field."""

    def _outcome(self, change: Any) -> Any:
        if getattr(change, "field", "") == "redirect":
            latest = max((at for (_, field), at in self._sequences.items() if field.startswith("redirect")), default=0)
            if change.sequence < latest:
                return Outcome(state="superseded")
        return super()._outcome(change)


class _RedirectsElsewhere(Cms):
    def _store(self, item: str, field: str, value: str | None) -> None:
        super()._store(item, field, value)
        if field.startswith("redirect ") and value is not None:
            self.site.show_redirects({field.partition(" ")[2]: f"{value}#top"})


class _RedirectsAnything(Cms):
    def _no_redirect(self, change: Any, target: str) -> str | None:
        return None


class _Lenient(Cms):
    def _items(self, body: dict[str, Any]) -> Any:
        return super()._items({"limit": min(200, body["limit"]) if isinstance(body.get("limit"), int) else 200})


FAULTY_ONES: dict[type[Cms], set[str]] = {
    _Unsigned: {
        "what_is_unsigned_is_refused",
        "what_is_signed_otherwise_is_refused",
        "what_is_late_is_refused",
        "a_request_is_taken_once",
    },
    _TakesRepeated: {"a_request_is_taken_once"},
    _KeepsEveryNonce: {"nonces_of_strangers_are_not_kept"},
    _TakesLarge: {"a_large_body_is_refused_first"},
    _OtherStatus: {"it_says_what_it_can_do"},
    _Strict: {"members_that_are_unknown_are_ignored"},
    _TwiceTold: {"items_have_their_form"},
    _Nameless: {"items_have_their_form"},
    _OwnValuesUntold: {"items_tell_their_own_values"},
    _Skips: {"pages_of_items_miss_and_repeat_none"},
    _Lenient: {"what_is_no_request_is_an_error"},
    _Hides: {"values_are_written_shown_and_undone", "llms_txt_is_written_shown_and_undone"},
    _OnlyStores: {"null_takes_a_value_away"},
    _Forgetful: {"a_known_id_is_answered_as_before", "one_change_sent_often_happens_once"},
    _NoSequence: {"a_lower_sequence_is_superseded"},
    _TakesAnything: {"what_cannot_be_written_is_refused", "alt_texts_without_an_image_are_refused"},
    _UndoesAlways: {"an_undo_after_somebody_else_is_refused"},
    _LongUndo: {"a_long_text_is_undone"},
    _AnyKey: {"the_key_for_search_engines_is_shown_and_removed"},
    _AltsOfAll: {"alt_texts_are_written_shown_and_undone"},
    _OneSequence: {"keys_count_for_themselves"},
    _RedirectsElsewhere: {"redirects_are_answered_and_undone"},
    _RedirectsAnything: {"redirects_that_lead_nowhere_are_refused"},
    _NoMarkers: {"the_robots_block_is_written_shown_and_undone"},
}


def test_every_check_has_a_faulty_connector_that_fails_it() -> None:
    assert set().union(*FAULTY_ONES.values()) == NAMES


@pytest.mark.parametrize("kind", FAULTY_ONES, ids=lambda kind: kind.__name__.strip("_"))
def test_each_faulty_connector_fails_exactly_the_checks_listed_for_its_fault(
    kind: type[Cms], made: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    status, printed = checked(made(kind), capsys)
    assert status == 1, printed
    for check in CHECKS:
        if check.run.__name__ in FAULTY_ONES[kind]:
            assert f"wrong    {check.says}\n         Seen: " in printed, printed
            assert "does not answer" not in printed, printed
            assert check.change in printed


def test_checks_of_a_field_are_skipped_if_the_connector_does_not_support_the_field(
    made: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    class Titles(Cms):
        def _status(self) -> Any:
            return replace(super()._status(), fields=["title"], files=[], redirects=False)

    cms = made(Titles)
    status, printed = checked(cms, capsys)
    assert status == 0 and "0 wrong, 9 left out." in printed, printed
    assert {field for item, field, _ in cms.writes if item} == {"title"}


def test_checks_of_alt_texts_are_skipped_if_no_page_shows_an_image(
    made: Made, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ListSite, "images", lambda self, item: [])
    status, printed = checked(made(Cms), capsys)
    assert status == 0 and "0 wrong, 2 left out." in printed and "None of the checked pages" in printed, printed


def test_values_written_by_a_failed_check_are_undone(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    cms = made(_Hides)
    assert checked(cms, capsys)[0] == 1
    assert all(item.fields.title is None for item in cms.items())
    assert all(cms.value("", name) is None for name in standin.FILES)


@pytest.mark.parametrize("fault", ["down", "access", "partial"])
def test_the_remaining_checks_are_not_run_if_a_connector_stops_answering(
    fault: str, made: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    cms = made(Cms)
    cms.misbehave(fault)
    status, printed = checked(cms, capsys)
    assert status == 2 and "could not be checked" in printed and "checks:" not in printed


def test_an_interrupted_run_undoes_its_writes(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    class Interrupted(Connector):
        def shown(self, field: str) -> str | None:
            if self._made:
                raise KeyboardInterrupt
            return super().shown(field)

    cms = made(Cms)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("conformance.__main__.Connector", Interrupted)
        status, printed = checked(cms, capsys)
    assert (status, "The values that were written are undone." in printed) == (130, True), printed
    assert cms.writes and all(item.fields.title is None for item in cms.items())


def test_the_help_text_explains_the_secret_and_the_exit_statuses(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    printed = " ".join(capsys.readouterr().out.split())
    assert "CONNECTOR_SECRET" in printed and "Exit status: 0 if all checks pass, 1 if" in printed


def test_a_missing_code_or_secret_is_reported_without_a_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["http://127.0.0.1:9/"]) == 2
    assert "--code" in capsys.readouterr().err


@pytest.mark.parametrize("answer", [b"[]", b"null", b'{"items":7}', b'{"items":[{"cmsId":3,"fields":7}]}', b"[" * 9000])
def test_a_malformed_answer_is_reported_without_a_traceback(
    answer: bytes, made: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    class Odd(Cms):
        def _does(self, operation: str, body: bytes) -> bytes:
            return answer if operation == "items" else super()._does(operation, body)

    status, printed = checked(made(Odd), capsys)
    assert status in (1, 2) and "Traceback" not in printed, printed


def test_signatures_match_the_published_test_vectors() -> None:
    given = json.loads((ROOT / "docs" / "connector-vectors.json").read_text(encoding="utf-8"))
    for one in given["vectors"]:
        body = one["body"].encode()
        assert sign(given["secret"], one["time"], one["nonce"], one["operation"], body) == one["signature"]


def test_redirects_of_a_connector_are_not_followed(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    class Moved(Cms):
        def respond(self, request: Request) -> Answer:
            return Answer(307, b"", {"Location": f"{self.url}/elsewhere"})

    cms = made(Moved)
    status, printed = checked(cms, capsys)
    assert status == 2 and "answered with 307" in printed, printed


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://127.0.0.1/", "//127.0.0.1/"])
def test_addresses_that_are_not_http_are_refused(url: str) -> None:
    with pytest.raises(Wrong, match="not an address"):
        Connector("http://127.0.0.1:9", make_secret()).visit(url)
