"""The cost of an audit that knows fifty thousand addresses and may read few of them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench.site import Generator, path_of
from tests.servers.wire import Connection, WireServer

ROOT = Path(__file__).resolve().parents[2]
KNOWN, PAGES = 50_000, 500
MOST = 0.1
# What shops and magazines have: a few prefixes, many parameters, some endings.
USUAL = (
    *(
        "/wp-admin/",
        "/cgi-bin/",
        "/cart",
        "/checkout",
        "/account",
        "/search",
        "/policies/",
        "/recommendations/products",
    ),
    *("/*?*orderby=", "/*?*filter_", "/*?*add-to-cart=", "/*?s=", "/*?*oseid=", "/*preview_theme_id*", "/*.php$"),
    *("/*/feed/$", "/*/trackback/", "/tag/*/page/", "/author/*/page/", "/collections/*sort_by*", "/collections/*+*"),
    *("/*/collections/*filter*&*filter*", "/blogs/*+*", "/*/policies/", "/*.atom$", "/*/recommendations/products"),
)
ROBOTS = {
    "what shops have": "".join(f"Disallow: {pattern}\n" for pattern in USUAL) + "Allow: /*.css$\nAllow: /*.js$\n",
    "half a megabyte of stars": "".join(f"Disallow: /*{number}*a*b*c\n" for number in range(20_000)),
}


def website(rules: str) -> Any:
    """Ordinary pages of 40 KB, all of them in the sitemap."""

    def answered(connection: Connection) -> None:
        base = f"http://127.0.0.1:{connection.server.port}"
        path = connection.path
        if path == "/robots.txt":
            connection.answer(f"User-agent: *\n{rules}".encode(), content_type="text/plain")
        elif path == "/sitemap.xml":
            rows = "".join(f"<url><loc>{base}{path_of(number)}</loc></url>" for number in range(KNOWN))
            text = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>'
            connection.answer(text.encode(), content_type="application/xml")
        elif path == "/" or "/page-" in path:
            number = 0 if path == "/" else int(path.rpartition("/page-")[2].rstrip("/"))
            connection.answer(Generator(KNOWN, base).html(number).encode(), content_type="text/html; charset=utf-8")
        else:
            connection.answer(b"", "404 Not Found")

    return answered


@pytest.mark.deep
@pytest.mark.parametrize("rules", ROBOTS.values(), ids=ROBOTS)
def test_frontier_and_robots_txt_verdicts_take_at_most_a_tenth_of_an_audits_cpu_time(rules: str) -> None:
    with WireServer(website(rules)) as server:
        command = [sys.executable, "-m", "tests.adversaries.audit_alone", server.url("/"), str(PAGES)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=3600, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    spent = found["spent"]
    audit = found["cpu"] - spent["store"] - spent["measuring"]  # the embedded store is no part of a deployment
    asked = spent["frontier"] + spent["verdicts"]
    print(f"{asked:.2f} of {audit:.2f} s of CPU: {asked / audit:.1%}")  # noqa: T201 - shown when it fails
    assert (found["status"], found["partialReason"], found["claims"]) == ("done", "page_budget", 1)
    assert found["calls"]["verdicts"] > KNOWN and found["calls"]["frontier"] > 20_000, "they were really asked"
    assert asked <= MOST * audit
