"""Malformed requests over every operation: each is told what is wrong, none makes the service fail.

Quick runs send 500, deep ones 2,000.
"""

import json
from collections import Counter
from random import Random
from urllib.parse import quote

import pytest

from chalicelib.http.endpoints import Endpoint
from tests.api import seed
from tests.api.client import send
from tests.api.conftest import EVERY_SCOPE, House
from tests.api.operations import ENDPOINTS, Target, target

REQUESTS, ROUNDS = 500, 4
WITH_BODY = [endpoint for endpoint in ENDPOINTS if endpoint.body is not None]
OPERATIONS = [*ENDPOINTS, *WITH_BODY * 8]  # what takes a body can be sent more that is wrong
METHODS = ["GET", "POST", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get", "QUERY", "X" * 300, "GÉT"]
TEXTS = [
    *(
        "",
        "0",
        "-0",
        "-1",
        "1.5",
        "1e999",
        "NaN",
        "null",
        "true",
        "٣",
        "9" * 60,
        "x" * 9_000,
        "'; DROP TABLE x; --",
    ),
    *("../../etc/passwd", "{siteId}", "${jndi:ldap://x}", "<script>", "a,b,,c", "a&b=c", "%", "%2", "\x00", "\r\nX: y"),
    *("ü", "\u202e", "🦊", "\ud800", "\udfff\ud83d", "e\u0301", "\ufeff", "http://[::1", "http://-1.0.0.1/", "//"),
    *("https://acme.example:99999/", "HTTPS://ACME.example/%zz", "http://\u0000/", "xn--", "xn--\u0131", "urn:x:y"),
]
RAW_PATHS = [
    "%",
    "%zz",
    "%00",
    "%ff%fe",
    "%ed%a0%80",
    "%2e%2e",
    "..",
    ".",
    "",
    "//",
    "a;b=c",
    "a%2fb",
    "\xff",
    "x" * 3_000,
]
RAW_QUERIES = [
    "&",
    "=",
    "&&&===",
    "%",
    "%zz=%zz",
    "a=%ff",
    "=%00",
    "\xff=\xff",
    "a" * 9_000,
    "page=1&page=1",
    "a[]=1",
    "?",
]
HEADERS = [
    *(
        "Authorization",
        "Content-Type",
        "Content-Encoding",
        "Content-Length",
        "If-None-Match",
        "Idempotency-Key",
        "Host",
    ),
    *(
        "X-Forwarded-Proto",
        "X-Forwarded-For",
        "Accept",
        "Accept-Encoding",
        "Origin",
        "Cookie",
        "Range",
        "Expect",
        "X-\xff",
    ),
]
VALUES = [
    *(
        "",
        " ",
        "Bearer",
        "Bearer  ",
        "Basic eA==",
        "Bearer \xff",
        "bearer wos_ws_x",
        "application/json; charset=utf-16",
    ),
    *(
        "application/json",
        "text/plain",
        "multipart/form-data",
        "gzip",
        "identity",
        "*",
        '"',
        'W/"',
        '"' * 3_000,
        "\x7f",
    ),
    *("evil.example", "[", "ftp", "\xe9", "a" * 9_000, "-1", "once", "bytes=0-"),
]
BODIES: list[bytes | None] = [
    *(None, b"", b" ", b"{", b"}", b"[]", b"null", b"0", b'"x"', b"{}", b"\xff\xfe", b"\x00", b"\xef\xbb\xbf{}"),
    *(
        '{"pageBudget": 5}'.encode("utf-16"),
        '{"pageBudget": 5}'.encode("utf-32"),
        b'{"pageBudget": 1' + b"0" * 5_000 + b"}",
    ),
    *(b"[" * 100_000, b'{"a":' * 50_000, b"[" * 400 + b"]" * 400, b'{"pageBudget": ' + b"[" * 900 + b"]" * 900 + b"}"),
    *(
        b'{"pageBudget": 1e400}',
        b'{"pageBudget": -1e400}',
        b'{"pageBudget": 1e18}',
        b'{"pageBudget": 9223372036854775808}',
    ),
    *(
        b'{"pageBudget": 1e308}',
        b'{"pageBudget": NaN}',
        b'{"pageBudget": "5"}',
        b'{"pageBudget": null}',
        b'{"pageBudget": {}}',
    ),
    *(
        b'{"pageBudget": 5, "pageBudget": 6}',
        b'{"\\ud800": 1}',
        b'{"pageBudget": "\\udfff"}',
        b'{"\x00": 1}',
        b'{"\xff": 1}',
    ),
    *(b'{"\\u0000": 1}', b'{"' + b"k" * 100_000 + b'": 1}', b"{" + b" " * 1_000_000 + b"}", b"x" * 1_000_001),
]


def _parameter(random: Random) -> str:
    names = ["page", "per", "limit", "q", "status", "template", "indexable", "url", "suggestions_offset"]
    name = random.choice([*names, "from", "to", "dimension", "country", "cursor", "format", "days"])
    return f"{name}={quote(random.choice(TEXTS).encode('utf-8', 'surrogatepass'), safe=random.choice(['', '/%&=']))}"


def _target(random: Random, wanted: Target) -> str:
    parts = wanted.path.split("/")
    for _ in range(random.choice([0, 0, 1, 2])):
        spoilt = random.choice([random.choice(RAW_PATHS), quote(random.choice(TEXTS).encode("utf-8", "surrogatepass"))])
        parts[random.randrange(len(parts))] = spoilt
    queries = [random.choice([_parameter(random), _parameter(random), random.choice(RAW_QUERIES)])]
    required = [wanted.query] if wanted.query and random.random() < 0.5 else []
    query = "&".join(required + queries * random.choice([0, 1, 1, 2]))
    return "/api/v1" + "/".join(parts) + (f"?{query}" if query else "")


@pytest.mark.parametrize(
    "numbers",
    [pytest.param(range(1), id="some"), pytest.param(range(ROUNDS), id="all", marks=pytest.mark.deep)],
)
def test_malformed_requests_never_cause_an_internal_error(house: House, numbers: range) -> None:
    seed.settled(house.site)
    sent: Counter[Endpoint] = Counter()
    for number in numbers:
        sent += send_malformed(house, house.new_key(*EVERY_SCOPE), Random(number))
    assert sent.total() == REQUESTS * len(numbers) and sent.keys() == set(ENDPOINTS)


def send_malformed(house: House, key: str, random: Random) -> Counter[Endpoint]:
    """As many as a key may send in an hour without being told to wait. Gives how many of each operation."""
    asked: Counter[Endpoint] = Counter()
    answered = set()
    for number in range(REQUESTS):
        endpoint = OPERATIONS[number % len(OPERATIONS)]
        asked[endpoint] += 1
        headers = {"Authorization": f"Bearer {key}"}
        for _ in range(random.choice([0, 0, 1, 1, 3])):
            headers[random.choice(HEADERS)] = random.choice(VALUES)
        method = random.choice([endpoint.method, endpoint.method, random.choice(METHODS)])
        path = _target(random, target(endpoint, house))
        body = random.choice(BODIES) if endpoint.method != "GET" or random.random() < 0.1 else None
        received = send(method, path, headers, body)
        headers.pop("Authorization")  # no key stands in what a failed test prints
        sent = f"{method} {path[:300]!r} {headers} {(body or b'')[:60]!r}"[:900]
        assert received.status < 500, sent
        assert received.headers["x-request-id"], sent
        if received.status >= 400 and method != "HEAD":
            error = json.loads(received.text)["error"]
            assert error["code"] and error["message"] and len(received.text) < 2_000, sent
        received.text.encode()
        answered.add(received.status)
    assert {200, 400, 401, 404, 405} <= answered and 429 not in answered
    return asked
