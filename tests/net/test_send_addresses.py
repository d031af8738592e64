"""Where a webhook may be posted to: names, addresses, certificates. Real name servers, real TLS."""

import errno
import socket
import ssl
import threading
import time
import warnings
from datetime import UTC, datetime

import pytest

from chalicelib.net.failures import OwnFailure
from chalicelib.net.guard import AddressRefused, Guard
from chalicelib.net.send import Outcome, Sender, check_receiver
from tests.servers import dns
from tests.servers.authority import Authority
from tests.servers.dns import AAAA, CNAME, A, NameServer, lookup_at
from tests.servers.wire import Connection, WireServer

EXPIRED = datetime(2020, 5, 6, tzinfo=UTC)


def fine(connection: Connection) -> None:
    connection.answer(b"thanks")


def send(url: str, guard: Guard, ca_file: str = "", seconds: float = 60.0) -> Outcome:
    return Sender(guard, ca_file=ca_file, seconds=seconds).post(url, {}, b"{}")


# -- TLS -------------------------------------------------------------------------------------------------


@pytest.fixture
def guard() -> Guard:
    return Guard("127.0.0.1", "hook.test=127.0.0.1,other.test=127.0.0.1")


def test_a_receiver_with_a_valid_certificate_gets_the_delivery(authority: Authority, guard: Guard) -> None:
    with WireServer(fine, tls=authority.server_context("hook.test")) as server:
        outcome = send(server.url(host="hook.test"), guard, authority.ca_file)
        assert (outcome.phase, outcome.status, outcome.reply) == (None, 200, "thanks")
        assert server.requests[0].header("Host") == f"hook.test:{server.port}"


def test_a_certificate_for_an_ip_address_is_accepted(authority: Authority, guard: Guard) -> None:
    with WireServer(fine, tls=authority.server_context("127.0.0.1")) as server:
        assert send(server.url(), guard, authority.ca_file).phase is None


@pytest.mark.parametrize(
    ("host", "not_after", "trusted", "reason"),
    [
        ("hook.test", EXPIRED, True, "the certificate has expired"),
        ("other.test", None, True, "is for another name than other.test"),
        ("hook.test", None, False, "is not trusted"),
        ("hook.test", None, False, "EXTRA_CA_FILE"),
    ],
)
def test_an_expired_untrusted_or_wrong_certificate_is_refused(
    authority: Authority, guard: Guard, host: str, not_after: datetime | None, trusted: bool, reason: str
) -> None:
    with WireServer(fine, tls=authority.server_context("hook.test", not_after=not_after)) as server:
        outcome = send(server.url(host=host), guard, authority.ca_file if trusted else "")
    assert outcome.phase == "tls" and outcome.error is not None and reason in outcome.error
    assert server.requests == [], "nothing was sent"


def test_a_self_signed_certificate_is_refused(guard: Guard, tmp_path_factory: pytest.TempPathFactory) -> None:
    stranger = Authority(tmp_path_factory.mktemp("stranger"))
    own = Authority(tmp_path_factory.mktemp("own"))
    with WireServer(fine, tls=stranger.server_context("hook.test")) as server:
        assert send(server.url(host="hook.test"), guard, own.ca_file).phase == "tls"


def test_tls_versions_below_1_2_are_refused(authority: Authority, guard: Guard) -> None:
    old = authority.server_context("hook.test")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # that it is old is the point
        old.minimum_version = ssl.TLSVersion.TLSv1
        old.maximum_version = ssl.TLSVersion.TLSv1_1
    old.set_ciphers("ALL:@SECLEVEL=0")
    with WireServer(fine, tls=old) as server:
        outcome = send(server.url(host="hook.test"), guard, authority.ca_file)
    assert outcome.phase == "tls" and server.requests == []


def test_a_stalled_tls_handshake_ends_at_the_time_limit(guard: Guard) -> None:
    with WireServer(fine) as server:
        outcome = send(server.url(host="hook.test").replace("http:", "https:"), guard, seconds=0.4)
    assert (outcome.phase, outcome.error) == ("tls", "no answer within 0.4 seconds")


def test_slow_response_headers_over_tls_fail_at_the_time_limit(authority: Authority, guard: Guard) -> None:
    tls = authority.server_context("hook.test")
    with WireServer(lambda c: c.drip(b"HTTP/1.1 200 OK\r\n" * 100), tls=tls) as server:
        outcome = send(server.url(host="hook.test"), guard, authority.ca_file, seconds=2.0)
    assert (outcome.phase, outcome.error) == ("headers", "no answer within 2 seconds") and server.waited_out == 0


def test_plain_http_on_a_tls_port_is_a_tls_error(guard: Guard) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def speak() -> None:
            wire, _ = listener.accept()
            with wire:
                wire.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                time.sleep(0.2)

        threading.Thread(target=speak, daemon=True).start()
        outcome = send(f"https://hook.test:{listener.getsockname()[1]}/", guard)
    assert outcome.phase == "tls" and outcome.error is not None and outcome.error.startswith("TLS failed")


# -- names -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [dns.NXDOMAIN, dns.SERVFAIL])
def test_a_name_that_cannot_be_resolved_fails_the_try(code: int) -> None:
    with NameServer(lambda name: code) as server:
        outcome = send("https://hook.example/", Guard(lookup=lookup_at(server.port)))
    assert outcome.phase == "dns" and outcome.error is not None and "has no address" in outcome.error


def test_a_dns_server_that_does_not_answer_ends_at_the_time_limit() -> None:
    with NameServer(lambda name: None) as server:
        outcome = send("https://hook.example/", Guard(lookup=lookup_at(server.port)), seconds=0.4)
    assert (outcome.phase, outcome.error) == ("dns", "no answer within 0.4 seconds")


def test_each_try_resolves_the_name_once_and_connects_to_the_checked_address() -> None:
    answers = iter([[(A, "127.0.0.1")], [(A, "127.0.0.2")], [(A, "10.0.0.1")]])
    with NameServer(lambda name: next(answers)) as names, WireServer(fine) as server:
        guard = Guard("127.0.0.1", lookup=lookup_at(names.port))
        url = server.url(host="rebind.example")
        assert send(url, guard).phase is None, "the first answer is vetted and used"
        assert names.questions == ["rebind.example"], "connecting asks no second time"
        again = send(url, guard)
        assert again.phase == "dns" and "127.0.0.2" in (again.error or ""), "the next try looks again"
        assert send(url, guard).phase == "dns"
        assert server.connections == 1


@pytest.mark.parametrize(
    "records",
    [
        [(A, "93.184.215.14"), (AAAA, "::1")],
        [(A, "93.184.215.14"), (A, "10.0.0.1")],
        [(AAAA, "2606:4700::1111"), (AAAA, "fd00:ec2::254")],
        [(CNAME, "metadata.internal"), (A, "169.254.169.254")],
        [(A, "100.64.0.1")],
        [(A, "0.0.0.0")],
        [(AAAA, "::ffff:127.0.0.1")],
        [(AAAA, "64:ff9b::7f00:1")],
        [(AAAA, "2002:7f00:1::")],
    ],
    ids=str,
)
def test_a_name_with_one_private_address_is_refused(records: list[tuple[int, str]]) -> None:
    with NameServer(lambda name: records) as server:
        outcome = send("https://hook.example/", Guard(lookup=lookup_at(server.port)))
    assert outcome.phase == "dns" and "not a public address" in (outcome.error or "")


# -- written forms -----------------------------------------------------------------------------------------

LOOPBACK = [
    "127.0.0.1",
    "127.1",
    "0x7f.1",
    "0x7f000001",
    "2130706433",
    "0177.0.0.1",
    "017700000001",
    "0.0.0.0",
    "0",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[64:ff9b::127.0.0.1]",
    "127.0.0.1.",
    "①②⑦.⓪.⓪.①",
    "100.64.0.1",
    "169.254.169.254",
    "[fd00:ec2::254]",
]


@pytest.mark.parametrize("host", LOOPBACK)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_private_addresses_are_refused_in_every_spelling(scheme: str, host: str) -> None:
    with WireServer(fine) as server:
        outcome = send(f"{scheme}://{host}:{server.port}/", Guard())
    assert outcome.phase == "dns" and server.connections == 0


@pytest.mark.parametrize(
    "url",
    [
        "ftp://hook.example/",
        "hook.example",
        "//hook.example/",
        "https://user@hook.example/",
        "https://user:password@hook.example/",
        "https://hook.example:22/",
        "https://hook.example:80/",
        "https://hook.example:1023/",
        "https://hook.example:0/",
        "https://hook.example:65536/",
        "https:///path",
        "https://hook example/",
        "https://hook.example/\r\nHost: x",
        "https://127.0.0.1@evil.example/",
        "",
    ],
)
def test_an_address_that_no_receiver_can_have_is_refused(url: str) -> None:
    with pytest.raises(AddressRefused):
        check_receiver(url)


@pytest.mark.parametrize("url", ["https://hook.example", "https://hook.example:443/a?b", "https://hook.example:1024/"])
def test_port_443_and_ports_above_1023_are_allowed(url: str) -> None:
    assert check_receiver(url).host == "hook.example"


def test_an_international_domain_is_resolved_in_its_ascii_form() -> None:
    with NameServer(lambda name: dns.NXDOMAIN) as server:
        send("https://аpple.example/", Guard(lookup=lookup_at(server.port)))  # the first letter is Cyrillic
    assert server.questions == ["xn--pple-43d.example"]


def test_plain_http_is_accepted_only_for_addresses_allowed_by_the_operator() -> None:
    with NameServer(lambda name: [(A, "93.184.215.14")]) as server:
        outcome = send("http://hook.example/", Guard("127.0.0.0/8", lookup=lookup_at(server.port)))
    assert (outcome.phase, outcome.error) == ("dns", "the address must begin with https://")
    with WireServer(fine) as receiver:
        assert send(receiver.url(), Guard("127.0.0.0/8")).phase is None


def test_the_next_address_is_tried_if_one_refuses_the_connection() -> None:
    with WireServer(fine) as server:
        guard = Guard("127.0.0.0/8", "hook.test=127.0.0.3,hook.test=127.0.0.1")
        assert send(server.url(host="hook.test"), guard).phase is None


# -- what is wrong on our side -------------------------------------------------------------------------------


def test_a_ca_file_missing_on_this_machine_is_no_failure_of_the_receiver(guard: Guard) -> None:
    with pytest.raises(OwnFailure, match="EXTRA_CA_FILE cannot be read: No such file"):
        send("https://hook.test/", guard, ca_file="/nowhere/ca.pem")


def test_a_lack_of_sockets_is_not_a_failure_of_the_receiver(guard: Guard) -> None:
    class NoSockets(Guard):
        def socket_for(self, family: int, kind: int, protocol: int, address: str) -> socket.socket:
            raise OSError(errno.EMFILE, "Too many open files")

    with pytest.raises(OwnFailure, match="Too many open files"):
        send("https://hook.test/", NoSockets("127.0.0.1", "hook.test=127.0.0.1"))
