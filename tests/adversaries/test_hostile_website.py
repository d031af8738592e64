"""A website made of everything that ever stopped or slowed an audit, all at once, beside its harmless twin."""

import gzip
import json
import random
import string
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.servers.wire import Connection, WireServer

ROOT = Path(__file__).resolve().parents[2]
PAGES = 500
SECONDS_A_HARD_PAGE = 5.0  # of processor time, in a process of its own
MEGABYTES = 400.0
# Rules that judge a page in the light of the others: strange neighbours may change what they say of it.
IN_THE_LIGHT_OF_OTHERS = ("SEO-LNK-", "SEO-SMP-", "SEO-CON-", "SEO-ONP-002", "SEO-ONP-008", "SEO-ONP-011", "SEO-TEC-")


def noise(draw: random.Random, length: int) -> str:
    return "".join(draw.choices(string.ascii_lowercase + string.digits, k=length))


def ordinary(number: int) -> str:
    """Some without a title, some without a description, some with two headings of the first level."""
    title = "" if number % 7 == 0 else f"<title>What page number {number} of this website tells its readers</title>"
    description = f'<meta name="description" content="{"All about the subject " * 4}{number}.">' if number % 5 else ""
    heading = f"<h1>Page {number}</h1>" + ("<h1>Another one</h1>" if number % 11 == 0 else "")
    words = " ".join(f"word{number * 31 + place}" for place in range(250))
    links = "".join(f'<a href="/p{(number * 3 + step) % PAGES}">Page {step}</a>' for step in range(1, 6))
    return (
        f'<!doctype html><html lang="en"><head>{title}{description}<meta name="viewport" content="width=device-width">'
        f"</head><body>{heading}<p>{words}</p>{links}</body></html>"
    )


def body(content: str, head: str = "") -> str:
    return (
        f'<!doctype html><html lang="en"><head><title>A hostile page</title>{head}</head><body>{content}</body></html>'
    )


def product(text: str) -> str:
    offer = (
        '{"@context":"https://schema.org","@type":"Product","name":"Tent","offers":{"@type":"Offer","price":"12.50"}}'
    )
    return body(f"<h1>Tent</h1><p>{text}</p>", f'<script type="application/ld+json">{offer}</script>')


def hostile(draw: random.Random) -> dict[str, Any]:
    """Address -> what is answered: HTML, (headers, bytes), or what a connection is told."""

    def throttled_once(connection: Connection) -> None:
        again = connection.path in connection.server.__dict__.setdefault("throttled", set())
        connection.server.__dict__["throttled"].add(connection.path)
        if again:
            connection.answer(ordinary(1).encode(), content_type="text/html")
        else:
            connection.answer(b"", "503 Service Unavailable", **{"retry-after": "\xb2"})

    def long_length(connection: Connection) -> None:
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: " + b"9" * 5_000 + b"\r\n\r\n")

    def bomb(connection: Connection) -> None:
        connection.answer(gzip.compress(b"<p>x" * 25_000_000, 1), content_type="text/html", content_encoding="gzip")

    def wrong_encoding(connection: Connection) -> None:
        connection.answer(b"\x00\x01\x02 no gzip", content_type="text/html", content_encoding="gzip")

    odd = ("http://-1.0.0.1/", "//0x-7f.1/", "http://1_2.0.0.1/", "http://[::1", "http://\u212a.test:99999/", "//%zz/")
    addresses = "".join(f'<a href="{url}">x</a>' for url in odd)
    return {
        "/h/addresses": body(f'{addresses}<img src="http://-1.0.0.1/a.png"><img src="/h/length.png" alt="x">'),
        "/h/length.png": long_length,
        "/h/throttled": throttled_once,
        "/h/links": body("".join(f'<a href="/{noise(draw, 1_900)}">x</a>' for _ in range(4_500))),
        "/h/amounts": product("1.1," * 16_000),
        "/h/marks": product("\u0301\u0316" * 60_000),
        "/h/options": body("<select>" + "<option>" * 60_000 + "</select>"),
        "/h/charset": ({"content_type": "text/html"}, b"\xff" + b"<script" * 18_000),
        "/h/quotes": body("<div " + '""' * 200_000 + ">x</div>"),
        "/h/titles": body("<div>" * 500 + "<title></title>" * 60_000),
        "/h/nested": body("<div>" * 100_000),
        "/h/formatting": body("<b><i><a href=x>" * 30_000),
        "/h/tables": body("<table><td>" * 30_000 + "<p>x" * 30_000),
        "/h/unterminated": body("<!--" * 50_000),
        "/h/shortcodes": body('<p>[aa a=" a="' * 2_000 + "</p>"),
        "/h/json": body("x", '<script type="application/ld+json">' + "[" * 200_000 + "</script>"),
        "/h/entities": body("&amp" * 300_000),
        "/h/bomb": bomb,
        "/h/encoding": wrong_encoding,
        "/h/reset": lambda connection: connection.reset(),
    }


def sitemaps(base: str, draw: random.Random) -> dict[str, bytes]:
    deep = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">' + b"<a>" * 4_000_000
    declared = (
        b"<!DOCTYPE urlset [<!ATTLIST url "
        + b" ".join(b'a%d CDATA "%s"' % (number, b"x" * 100) for number in range(300))
        + b">]><urlset>"
        + b"<url/>" * 40_000
        + b"</urlset>"
    )
    long = "".join(f"<url><loc>{base}/{noise(draw, 700)}</loc></url>" for _ in range(20_000))
    files = {
        "/s/deep.xml": deep,
        "/s/declared.xml": declared,
        "/s/long.xml": f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{long}</urlset>'.encode(),
        "/s/members.xml.gz": gzip.compress(b"", 1) * 100_000,
    }
    rows = "".join(f"<sitemap><loc>{base}{path}</loc></sitemap>" for path in files)
    index = f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</sitemapindex>'
    return {**files, "/sitemap.xml": index.encode()}


class Website:
    """The twin serves the ordinary pages alone; the hostile one links everything else first."""

    def __init__(self, extra: dict[str, Any]) -> None:
        self.extra = extra
        self.files: dict[str, bytes] = {}

    def __call__(self, connection: Connection) -> None:
        path = connection.path
        if path in self.files:
            connection.answer(self.files[path], content_type="application/xml")
        elif path in self.extra:
            self._hostile(connection, self.extra[path])
        elif path == "/":
            links = "".join(f'<a href="{found}">Page</a>' for found in [*self.extra, *(f"/p{n}" for n in range(PAGES))])
            connection.answer(ordinary(0).replace("</body>", f"{links}</body>").encode(), content_type="text/html")
        elif path[:2] == "/p" and path[2:].isdigit():
            connection.answer(ordinary(int(path[2:])).encode(), content_type="text/html")
        else:
            connection.answer(b"gone", "404 Not Found", content_type="text/plain")

    @staticmethod
    def _hostile(connection: Connection, answer: Any) -> None:
        if callable(answer):
            answer(connection)
        elif isinstance(answer, tuple):
            connection.answer(answer[1], **answer[0])
        else:
            connection.answer(answer.encode("utf-8"), content_type="text/html; charset=utf-8")


def audited(server: WireServer) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.adversaries.audit_alone", server.url("/"), str(PAGES + 100)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=3600, check=True)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


@pytest.mark.deep
def test_hostile_files_do_not_change_the_audit_of_other_pages() -> None:
    draw = random.Random(11)
    with WireServer(Website({})) as server:
        twin = audited(server)
    website = Website(hostile(draw))
    with WireServer(website) as server:
        website.files = sitemaps(server.url("/")[:-1], draw)
        wild = "".join(f"Disallow: /*{number}*a*b*c\n" for number in range(20_000))
        website.files["/robots.txt"] = f"User-agent: *\n{wild}".encode()
        website.files["/llms.txt"] = b"[" * 50_000
        found = audited(server)
    print({name: value for name, value in found.items() if name != "rules"})  # noqa: T201 - shown when it fails
    assert (found["status"], found["claims"]) == ("done", 1)  # one worker from beginning to end: no lease was lost
    assert len(found["tooHard"]) < 12
    assert found["cpuOfChildren"] <= SECONDS_A_HARD_PAGE * 1.5 * len(website.extra)
    assert found["megabytes"] < MEGABYTES
    for number in range(PAGES):
        alike = [
            [rule for rule in result["rules"][f"p{number}"] if not rule.startswith(IN_THE_LIGHT_OF_OTHERS)]
            for result in (twin, found)
        ]
        assert alike[0] == alike[1], number
    waits = 120.0 + SECONDS_A_HARD_PAGE * 1.5 * len(found["tooHard"])
    assert found["cpu"] < 3 * twin["cpu"] + waits


@pytest.mark.deep
def test_a_slow_website_is_audited_by_one_worker_at_a_time_in_each_queue() -> None:
    """Every answer takes two seconds and there are 199 sitemaps, so that the audit takes longer than a lease."""
    names = [f"/s/{number}.xml" for number in range(199)]
    asked: list[str] = []

    def slow(connection: Connection) -> None:
        asked.append(connection.path)
        connection.server.ending.wait(2.0)
        base = f"http://127.0.0.1:{connection.server.port}"
        if connection.path == "/sitemap.xml":
            rows = "".join(f"<sitemap><loc>{base}{name}</loc></sitemap>" for name in names)
            text = f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</sitemapindex>'
            connection.answer(text.encode(), content_type="application/xml")
        elif connection.path.startswith("/s/"):
            page = f"<url><loc>{base}/p{int(connection.path[3:-4]) % 20}</loc></url>"
            text = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{page}</urlset>'
            connection.answer(text.encode(), content_type="application/xml")
        elif connection.path == "/" or connection.path[:2] == "/p":
            connection.answer(ordinary(1).replace("/p", "/none").encode(), content_type="text/html")
        else:
            connection.answer(b"", "404 Not Found")

    with WireServer(slow) as server:
        found = audited(server)
    assert (found["status"], found["claims"]) == ("done", 2)  # one worker of each lane: no lease was lost
    assert {f"p{number}" for number in range(20)} <= set(found["rules"])
    for name in names:
        assert asked.count(name) <= 2, "once in each lane: what the fast one has read of them is not committed"
