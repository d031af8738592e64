"""Signing in and out, and what others may try with the session of who is signed in."""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.browser.service import Service
from tests.browser.watching import Tab


@pytest.fixture
def elsewhere() -> Iterator[Callable[[str], str]]:
    """Serves a page of another origin; returns its address."""
    shown = {"html": ""}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = shown["html"].encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def show(html: str) -> str:
        shown["html"] = f"<!doctype html><title>Elsewhere</title>{html}"
        return f"http://127.0.0.1:{server.server_port}/"

    yield show
    server.shutdown()
    server.server_close()


def test_a_sign_in_link_works_once_and_only_after_pressing_its_button(
    service: Service, opened: Any, scripts: bool
) -> None:
    link = service.link()
    scanner, person, second = (opened(java_script_enabled=scripts) for _ in range(3))
    for one in (scanner, scanner, person):
        one.page.goto(link)
        assert one.page.locator("main button").count() == 1
    person.page.click("main button")
    person.page.wait_for_url(service.app)
    assert person.page.locator("#websites").count() == 1
    found = second.page.goto(link)
    assert found.status == 404
    assert second.heading() == "This link is not valid"
    scanner.page.click("main button")
    assert scanner.heading() == "This link is not valid"


def test_a_copied_cookie_does_not_work_after_signing_out(service: Service, opened: Any, scripts: bool) -> None:
    tab = opened(java_script_enabled=scripts)
    tab.page.goto(service.link())
    tab.page.click("main button")
    tab.page.wait_for_url(service.app)
    stolen = tab.page.context.storage_state()
    thief = opened(storage_state=stolen)
    thief.open("")
    assert thief.page.locator("#websites").count() == 1
    tab.page.click("nav form button")
    tab.page.wait_for_url(f"{service.app}/sign-in")
    thief.open("")
    assert thief.heading() == "Sign in"
    tab.page.go_back()
    assert tab.heading() == "Sign in", "what was shown is not kept"


def test_a_form_of_another_origin_is_refused(service: Service, tab: Tab, elsewhere: Callable[[str], str]) -> None:
    """Browsers treat another port of the same host as the same site and send the session cookie."""
    before = service.read(f"/sites/{service.site_id}/audits")["audits"][0]["id"]
    tab.page.goto(elsewhere(f'<form method="post" action="{service.app}/sites/{service.site_id}"><button>Go</button>'))
    with tab.page.expect_response(lambda found: found.request.method == "POST") as answered:
        tab.page.click("button")
    assert answered.value.status == 403
    tab.page.wait_for_selector("main h1")
    assert tab.heading() == "Not sent from here"
    assert service.read(f"/sites/{service.site_id}/audits")["audits"][0]["id"] == before


def test_every_page_forbids_being_shown_in_a_frame(service: Service, tab: Tab, elsewhere: Callable[[str], str]) -> None:
    tab.page.goto(elsewhere(f'<iframe src="{service.app}"></iframe>'))
    (frame,) = tab.page.main_frame.child_frames
    frame.wait_for_load_state()
    assert not frame.url.startswith(service.app)
    assert frame.locator("#main").count() == 0
