"""Readiness for assistants: what the last audit found, and llms.txt and robots.txt as they are now."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.connectors import live_files
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.crawlers import crawler_list
from chalicelib.domain.readiness.written import LlmsWrite
from chalicelib.operations import websites
from chalicelib.store import connections, readiness
from chalicelib.store import websites as stored
from chalicelib.store.transactions import commit
from chalicelib.store.websites import Website
from tests.api import seed
from tests.api.client import Client
from tests.api.conftest import House, Serve
from tests.api.live import HOUR, OLD, TEXT, Files, by_bot, crawlers, llms
from tests.servers.wire import Connection, WireServer


def wrote(site: Website, value: bytes | str, previous: bytes | str | None, hours: float = 1, **changed: Any) -> None:
    """Leave a change of llms.txt that was written so many hours ago."""
    at = clock.now() - hours * HOUR
    text, before = (one.decode() if isinstance(one, bytes) else one for one in (value, previous))
    values = {"batch_id": "batch_1", "status": "applied", "approved_by": "usr_1", "approved_at": at, "applied_at": at}
    assert text is not None
    commit([readiness.put_last(site.id, LlmsWrite(**{**values, **changed}, value=text, previous=before))])


# -- as the last audit found it ------------------------------------------------------------------------


def test_before_the_first_audit_every_value_is_empty(house: House) -> None:
    assert Client(house.key).get(f"/sites/{house.site.id}/geo").json == {
        "checkedAt": None,
        "robotsTxt": None,
        "crawlers": [],
        "llmsTxt": None,
        "entity": None,
    }


def test_audit_findings_are_returned_without_a_request_to_the_website(house: House, served: Serve) -> None:
    asked: list[Connection] = []
    site = served(asked.append)
    seed.audited(site)
    answer = Client(house.key).get(f"/sites/{site.id}/geo").json
    assert not asked
    assert answer["robotsTxt"] == {
        "url": f"{site.url}robots.txt",
        "status": 200,
        "fetchedAt": answer["robotsTxt"]["fetchedAt"],
    }
    assert [one["bot"] for one in answer["crawlers"]] == [one.bot for one in crawler_list().crawlers]
    denied = by_bot(answer)["GPTBot"]
    assert (denied["allowed"], denied["rule"], denied["lineNumber"]) == (False, "Disallow: /", 2)
    assert denied["source"] == "robots_txt"
    other = by_bot(answer)["OAI-SearchBot"]
    assert (other["allowed"], other["source"], other["rule"]) == (True, "default", None)
    assert answer["llmsTxt"]["present"] is False and answer["llmsTxt"]["status"] == 404
    assert answer["entity"]["organizationName"] == "Acme" and answer["entity"]["napAgrees"] is None


# -- llms.txt now --------------------------------------------------------------------------------------


def test_a_short_llms_txt_is_shown_completely(house: House, served: Serve) -> None:
    site = served(Files({"/llms.txt": TEXT}))
    answer = llms(house, site)
    live = answer["live"]
    assert answer["url"] == f"{site.url}llms.txt"
    assert (live["found"], live["kind"], live["fetchedKind"], live["status"]) == (True, "text", "text", 200)
    assert (live["text"], live["bytes"], live["truncated"]) == (TEXT.decode(), len(TEXT), False)
    assert (live["matchesLastWrite"], live["notVisibleYet"], live["cached"]) == (None, False, None)
    assert live["message"] == "The file is there."
    assert (answer["draft"], answer["lastChange"], answer["maxChars"]) == (None, None, 60_000)
    assert (answer["cms"], answer["canPublish"]) == ({"connected": False, "writable": False}, False)


@pytest.mark.parametrize(
    ("found", "kind", "status"),
    [
        (b"", "empty", 200),
        (b" \r\n\t", "empty", 200),
        (lambda c: c.answer(b"", "204 No Content"), "empty", 204),
        (b"<!doctype html><title>Start</title>", "html", 200),
        (lambda c: c.answer(TEXT, content_type="text/html"), "html", 200),
        (None, "missing", 404),
        (lambda c: c.answer(b"", "410 Gone"), "missing", 410),
        (lambda c: c.answer(b"", "403 Forbidden"), "error", 403),
        (lambda c: c.answer(b"", "429 Too Many Requests"), "error", 429),
        (lambda c: c.answer(b"", "503 Unavailable"), "error", 503),
        (lambda c: c.answer(b"", "302 Found", location="/llms.txt"), "error", 302),
        (lambda c: c.answer(b"", "302 Found"), "error", 302),
        (lambda c: c.reset(), "unreachable", None),
        (lambda c: c.send(b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n# Ac"), "unreachable", 200),
        (lambda c: c.send(b"nonsense\r\n\r\n"), "unreachable", None),
    ],
)
def test_the_answer_says_whether_llms_txt_is_empty_missing_or_an_html_page(
    house: House, served: Serve, found: Any, kind: str, status: int | None
) -> None:
    live = llms(house, served(Files({"/llms.txt": found} if found is not None else {})))["live"]
    assert (live["kind"], live["fetchedKind"], live["found"], live["status"]) == (kind, kind, False, status)
    assert live["text"] is None and live["matchesLastWrite"] is None and live["message"].endswith(".")


def test_a_cached_llms_txt_is_not_mistaken_for_the_live_file(house: House, served: Serve) -> None:
    live = llms(house, served(Files({}, kept={"/llms.txt": OLD})))["live"]
    assert (live["kind"], live["found"]) == ("missing", False)
    assert live["cached"] == {"status": 200, "kind": "text", "found": True, "cache": "cf-cache-status: HIT, age: 812"}
    assert "from a cache (cf-cache-status: HIT, age: 812)" in live["message"]


def test_llms_txt_is_read_bypassing_caches(house: House, served: Serve) -> None:
    live = llms(house, served(Files({"/llms.txt": TEXT}, kept={"/llms.txt": OLD})))["live"]
    assert (live["kind"], live["text"]) == ("text", TEXT.decode())
    assert live["cached"]["kind"] == "text"


def test_a_website_that_rejects_a_query_string_is_asked_without_it(house: House, served: Serve) -> None:
    def picky(connection: Connection) -> None:
        refused = "?" in connection.path
        connection.answer(b"" if refused else TEXT, "403 Forbidden" if refused else "200 OK", content_type="text/plain")

    live = llms(house, served(picky))["live"]
    assert (live["kind"], live["cached"]) == ("text", None)


def test_the_live_text_matches_the_last_written_text_if_the_website_serves_that_text(
    house: House, served: Serve
) -> None:
    site = served(Files({"/llms.txt": TEXT.replace(b"\n", b"\r\n") + b"\r\n"}))
    wrote(site, TEXT, OLD)
    answer = llms(house, site)
    assert (answer["live"]["kind"], answer["live"]["matchesLastWrite"]) == ("text", True)
    assert {name: answer["lastChange"][name] for name in ("batchId", "status", "value", "previous", "error")} == {
        "batchId": "batch_1",
        "status": "applied",
        "value": TEXT.decode(),
        "previous": OLD.decode(),
        "error": None,
    }


@pytest.mark.parametrize(
    ("previous", "now", "fetched"), [(OLD, OLD, "text"), (None, None, "missing"), ("", b"<!doctype html>", "html")]
)
def test_a_website_that_still_serves_the_old_text_counts_as_stale_for_a_day(
    house: House, served: Serve, previous: Any, now: bytes | None, fetched: str
) -> None:
    site = served(Files({} if now is None else {"/llms.txt": now}))
    wrote(site, TEXT, previous, hours=23)
    live = llms(house, site)["live"]
    assert (live["kind"], live["fetchedKind"], live["notVisibleYet"]) == ("stale", fetched, True)
    assert live["matchesLastWrite"] is False and live["found"] == (fetched == "text")
    wrote(site, TEXT, previous, hours=25)
    live = llms(house, site)["live"]
    assert (live["kind"], live["notVisibleYet"], live["matchesLastWrite"]) == (fetched, False, False)


def test_a_live_text_written_by_someone_else_is_not_called_stale(house: House, served: Serve) -> None:
    site = served(Files({"/llms.txt": b"# Somebody else's\n"}))
    wrote(site, TEXT, OLD)
    live = llms(house, site)["live"]
    assert (live["kind"], live["matchesLastWrite"], live["notVisibleYet"]) == ("text", False, False)


def test_after_llms_txt_was_removed_a_missing_file_is_what_the_website_should_serve(
    house: House, served: Serve
) -> None:
    site = served(Files({}))
    wrote(site, "", TEXT)
    live = llms(house, site)["live"]
    assert (live["kind"], live["matchesLastWrite"]) == ("missing", True)


def test_after_a_failed_change_the_live_file_is_expected_to_hold_the_previous_text(house: House, served: Serve) -> None:
    site = served(Files({"/llms.txt": OLD}))
    wrote(site, TEXT, OLD, status="failed", applied_at=None, error="The CMS did not answer.")
    answer = llms(house, site)
    assert (answer["live"]["kind"], answer["live"]["matchesLastWrite"]) == ("text", True)
    assert (answer["lastChange"]["status"], answer["lastChange"]["appliedAt"]) == ("failed", None)
    wrote(site, TEXT, None, status="failed", applied_at=None, error="The CMS did not answer.")
    assert llms(house, site)["live"]["matchesLastWrite"] is None


def test_whether_the_live_text_matches_is_unknown_after_a_server_error(house: House, served: Serve) -> None:
    site = served(Files({"/llms.txt": lambda c: c.answer(b"", "503 Unavailable")}))
    wrote(site, TEXT, OLD)
    assert llms(house, site)["live"]["matchesLastWrite"] is None


def test_a_long_file_is_truncated_and_an_endless_file_is_not_read_completely(house: House, served: Serve) -> None:
    live = llms(house, served(Files({"/llms.txt": "# ä€\n".encode() * 20_000})))["live"]
    assert (live["kind"], live["truncated"], len(live["text"])) == ("text", True, 60_000)

    def endless(connection: Connection) -> None:
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
        for _ in range(2_000):
            connection.send("# ä€\n".encode() * 1_000)

    site = served(Files({"/llms.txt": endless}))
    live = llms(house, site)["live"]
    assert (live["kind"], live["truncated"]) == ("text", True)
    assert live["bytes"] == live_files.LLMS_BYTES and "�" not in live["text"]


@pytest.mark.parametrize(
    ("data", "content_type"),
    [
        ("# Café\n".encode("latin-1"), "text/plain; charset=iso-8859-1"),
        ("# Café\n".encode(), "text/plain; charset=iso-8859-1"),
        ("\ufeff# Café\n".encode(), "text/plain"),
        ("\ufeff# Café\n".encode("utf-16-le"), "text/plain"),
    ],
)
def test_a_text_is_decoded_with_its_declared_charset(
    house: House, served: Serve, data: bytes, content_type: str
) -> None:
    site = served(Files({"/llms.txt": lambda c: c.answer(data, content_type=content_type)}))
    assert llms(house, site)["live"]["text"] == "# Café\n"


def test_a_website_that_does_not_answer_is_unreachable(
    house: House, served: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_files, "SECONDS", 0.5)
    silent = WireServer(lambda c: c.hang())
    with silent:
        site = websites.add(OPERATOR, house.workspace_id, silent.url())
        live = llms(house, site)["live"]
        found = crawlers(house, site)
    assert (live["kind"], live["status"], live["bytes"]) == ("unreachable", None, None)
    assert "no complete answer in 0.5 seconds" in live["message"]
    assert {one["source"] for one in found["crawlers"]} == {"unreadable"}
    dripping = WireServer(lambda c: c.drip(b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 10_000))
    with dripping:
        site = websites.add(OPERATOR, house.workspace_id, dripping.url())
        assert llms(house, site)["live"]["kind"] == "unreachable"
    assert silent.waited_out == dripping.waited_out == 0


def test_a_redirect_to_a_private_address_is_not_followed(
    house: House, served: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = served(
        Files(
            {
                "/llms.txt": lambda c: c.answer(b"", "301 Moved", location="http://10.1.2.3/secret"),
                "/robots.txt": lambda c: c.answer(b"", "301 Moved", location="http://169.254.169.254/latest"),
            }
        )
    )
    live = llms(house, site)["live"]
    assert live["kind"] == "unreachable" and "not a public one" in live["message"]
    assert "10.1.2.3" not in live["message"]
    assert {one["allowed"] for one in crawlers(house, site)["crawlers"]} == {None}


def test_redirects_are_followed_to_the_file(house: House, served: Serve) -> None:
    site = served(
        Files(
            {
                "/llms.txt": lambda c: c.answer(b"", "301 Moved", location="/files/llms.txt"),
                "/files/llms.txt": TEXT,
            }
        )
    )
    assert llms(house, site)["live"]["text"] == TEXT.decode()


def test_the_llms_txt_draft_needs_no_cms_and_depends_only_on_the_audit(house: House, served: Serve) -> None:
    site = served(Files({}))
    seed.audited(site)
    answer = llms(house, site)
    draft = answer["draft"]
    assert draft["text"] == f"# Acme\n\n## Pages\n\n- [Page 0]({site.url}page-00000)\n"
    assert draft["chars"] == len(draft["text"])
    assert draft["pages"] == [{"section": "Pages", "title": "Page 0", "url": f"{site.url}page-00000"}]
    assert answer["canPublish"] is False
    assert llms(house, site)["draft"] == draft


def test_the_cms_connection_decides_which_files_can_be_published(house: House, served: Serve) -> None:
    site = served(Files({"/robots.txt": b"User-agent: *\nDisallow:\n"}))
    seed.connected(site, files=("llmsTxt",), robots_file="readonly")
    assert (llms(house, site)["cms"], llms(house, site)["canPublish"]) == ({"connected": True, "writable": True}, True)
    answer = crawlers(house, site)
    assert answer["canPublish"] is False
    assert answer["note"] == "robots.txt is a file on the web server that the CMS may not write."
    seed.connected(site, files=("llmsTxt", "robotsBlock"), writable=False)
    assert (llms(house, site)["cms"], llms(house, site)["canPublish"]) == (
        {"connected": True, "writable": False},
        False,
    )


def test_a_shop_without_a_cms_cannot_publish_files(house: House, served: Serve) -> None:
    site = served(Files({}))
    seed.connected(site, files=("llmsTxt", "robotsBlock"))
    record = stored.get(site.workspace_id, site.id)
    assert record is not None
    cms = record.connections.cms
    commit([connections.shown(record, record.connections.with_writer("shop", cms).with_writer("cms", None))])
    for answer in (llms(house, site), crawlers(house, site)):
        assert (answer["cms"], answer["canPublish"]) == ({"connected": False, "writable": False}, False)


# -- tenants, and several at once ----------------------------------------------------------------------


def test_simultaneous_requests_get_the_files_of_their_own_websites(house: House, served: Serve) -> None:
    sites = [served(Files({"/llms.txt": f"# Site {number}\n".encode()})) for number in range(2)]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda number: llms(house, sites[number % 2]), range(4)))
    assert [one["live"]["text"] for one in answers] == [f"# Site {number % 2}\n" for number in range(4)]


def test_llms_txt_and_draft_of_one_website_are_not_returned_for_another(house: House, served: Serve) -> None:
    site, other = served(Files({})), served(Files({}))
    seed.audited(site)
    wrote(site, TEXT, None)
    assert Client(house.key).get(f"/sites/{other.id}/geo").json["checkedAt"] is None
    answer = llms(house, other)
    assert (answer["draft"], answer["lastChange"]) == (None, None)
