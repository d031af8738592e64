"""Pages in a real Chromium: what scripts make of them is what an audit judges by, and it costs no more than it must."""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from chalicelib.connectors import rendering
from chalicelib.connectors.page_source import Source
from chalicelib.settings.reading import forget_settings
from chalicelib.settings.speed import speed_settings
from chalicelib.store import rendered
from tests.real import engines
from tests.servers.wire import WireServer
from tests.workers.audit.test_asking_browser import CHANGED, NEEDS_SCRIPTS, work
from tests.workers.audit.websites import Site, found, html, new_website, start

pytestmark = pytest.mark.real

WORDS = "<p>Alderfell makes tents for walkers, and mends them for as long as they last.</p>" * 30
LINKS = '<a href="/">Home</a> <a href="/client">Tents</a> <a href="/server">Boots</a>'
APPLICATION = f"""
setTimeout(() => {{
  document.title = "Tents by Alderfell";
  document.head.insertAdjacentHTML("beforeend", '<meta name="robots" content="nofollow">');
  document.getElementById("root").innerHTML = '<main><h1>Tents</h1>{WORDS}{LINKS}</main>';
}}, 600);
"""
CLIENT = '<!doctype html><html lang="en"><head><title>App</title></head><body><div id="root"></div>{}</body></html>'
SERVER = (
    '<!doctype html><html lang="en"><head><title>Tents by Alderfell</title><meta name="robots" content="nofollow">'
    f'</head><body><div id="root"><main><h1>Tents</h1>{WORDS}{LINKS}</main></div>{{}}</body></html>'
)


@pytest.fixture
def site() -> Site:
    script = '<script type="module" src="/app.js"></script>'
    return Site(
        {
            "/": html("The home page of a small website", "/client", "/server", body=WORDS),
            "/client": CLIENT.format(script),
            "/server": SERVER.format(script),
            "/app.js": ("200 OK", {"content_type": "text/javascript"}, APPLICATION),
            "/loop": "<!doctype html><title>Endless</title><p>Endless<script>for (;;) {}</script>",
            "/alert": "<!doctype html><title>Asking</title><p>x<script>alert(1); document.title = 'Asked'</script>",
            "/moved": "<!doctype html><title>Moved</title><script>location.replace('/server')</script>",
            "/busy": "<!doctype html><title>Busy</title><p id=p><script>setInterval(() => p.append('x '), 50)</script>",
        }
    )


@pytest.fixture(autouse=True)
def chromium(audits_of_loopback: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    settings = engines.settings()
    # Not below pytest's folders: Chromium keeps a socket in there, whose address may be 107 characters long.
    with tempfile.TemporaryDirectory(prefix="rendering-") as folder:
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr("tempfile.tempdir", folder)
        forget_settings()
        yield
        assert [*Path(folder).glob("browser-*")] == [], "nothing is left of a browser"
    monkeypatch.undo()
    forget_settings()


def sources(server: WireServer, *paths: str) -> dict[str, Source]:
    urls = [server.url(path) for path in paths]
    seen = rendering.connected().render(urls, 300.0, lambda: None)
    return {"/" + source.url.split("/", 3)[3]: source for source in seen}


def test_only_the_page_that_scripts_render_is_reported_as_needing_scripts(store: None, site: Site) -> None:
    with WireServer(site) as server:
        website = new_website(server)
        ended = work(start(website))
    assert ended.status == "done"
    assert found(website, NEEDS_SCRIPTS) == ["/client"]
    assert found(website, CHANGED) == ["/client"]
    sample = rendered.load(website.id)
    assert sample is not None
    pages = {"/" + page.url.split("/", 3)[3]: page for page in sample.pages}
    client, twin = pages["/client"], pages["/server"]
    assert client.before.words < 5 and client.after.words == twin.after.words == twin.before.words > 400
    assert client.before.title == "App" and client.after.title == twin.before.title
    assert (client.before.robots, client.after.robots) == ((), ("nofollow",))
    assert len(client.links_added) == 2 and twin.links_added == ()


def test_pages_with_alerts_redirects_or_endless_scripts_are_rendered(store: None, site: Site) -> None:
    with WireServer(site) as server:
        seen = sources(server, "/alert", "/moved", "/busy", "/loop", "/client")
        assert list(seen) == ["/alert", "/moved", "/busy", "/client"], "a page without an end costs its browser only"
        assert "<title>Asked</title>" in seen["/alert"].html
        assert seen["/moved"].final_url == server.url("/server")
        assert seen["/busy"].quiet is False and "x x x" in seen["/busy"].html
        assert seen["/client"].quiet and "Tents by Alderfell" in seen["/client"].html


def processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


# Pages that share a browser, and what each may cost of Chromium's own dump. An audit's sample has up to 20; of a single
# page the start of the browser and the quiet second, in which Chromium does what it puts off at its start, are most.
COSTS = {20: 1.3, 1: 4.0}


def test_rendering_a_page_takes_little_longer_than_a_dump_by_chromium(
    store: None, site: Site, tmp_path: Path, record_testsuite_property: Callable[[str, object], None]
) -> None:
    def dumped(number: int) -> float:
        began = processor_seconds()
        sandbox = [] if speed_settings().chrome_sandbox == "on" else ["--no-sandbox"]
        profile = f"--user-data-dir={tmp_path / str(number)}"  # a new one, as each of our browsers has
        command = [
            "chromium",
            "--headless=new",
            "--disable-gpu",
            *sandbox,
            profile,
            "--dump-dom",
            server.url("/server"),
        ]
        subprocess.run(command, check=True, capture_output=True, env=dict(os.environ), timeout=300)
        return processor_seconds() - began

    def ours(pages: int) -> float:
        began = processor_seconds()
        urls = [server.url("/server")] * pages
        assert len(list(rendering.connected().render(urls, 300.0, lambda: None))) == pages
        return (processor_seconds() - began) / pages

    with WireServer(site) as server:
        found = {pages: ours(pages) for pages in COSTS}
        theirs = min(dumped(number) for number in range(2))
    ratios = {pages: round(seconds / theirs, 2) for pages, seconds in found.items()}
    record_testsuite_property("rendered pages in a browser: CPU of a page by that of --dump-dom", ratios)
    sys.stdout.write(f"pages in a browser: CPU of a page by that of --dump-dom: {ratios}; a dump: {theirs:.2f} s\n")
    assert all(ratios[pages] <= most for pages, most in COSTS.items()), (ratios, theirs)
