"""A tab that keeps what must not happen: requests to others, refusals by the policy, failures of scripts.

One screen shows pictures of the website. They are answered here, since the demo website's certificate is of no
authority that a browser knows.
"""

import re
from typing import Final

from playwright.sync_api import BrowserContext, Page, Request, Response

from tests.browser.service import PATIENCE, Service

MILLISECONDS: Final = PATIENCE * 1000
WIDTHS: Final = (1360, 390)
HEIGHT: Final = 900
_LISTEN: Final = """
window.refusedByPolicy = [];
addEventListener("securitypolicyviolation", (event) => {
  refusedByPolicy.push(event.violatedDirective + " " + event.blockedURI + " " + event.sample);
});
"""


_PICTURES: Final = re.compile(r"/issues/\w+/images(?:[?#]|$)")  # the screen that shows some
_PICTURE: Final = '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="3"><rect width="4" height="3"/></svg>'


class Tab:
    """One page of a browser. ``pictures``: those that it asked the website for, each with the referrer that it told."""

    def __init__(self, context: BrowserContext, service: Service, *, scripts: bool = True) -> None:
        context.set_default_timeout(MILLISECONDS)
        self._service = service
        self._scripts = scripts
        self.foreign: list[str] = []
        self.failed: list[str] = []
        self.pictures: list[tuple[str, str | None]] = []
        self.page: Page = context.new_page()
        if scripts:
            self.page.add_init_script(_LISTEN)
        self.page.on("request", self._request)
        self.page.route(self._is_picture, lambda route: route.fulfill(body=_PICTURE, content_type="image/svg+xml"))
        self.page.on("pageerror", lambda error: self.failed.append(str(error)))
        self.page.on("console", lambda said: self.failed.append(said.text) if said.type == "error" else None)

    def forget(self) -> None:
        """Forget what has happened, and be as wide as at first."""
        self.foreign.clear()
        self.failed.clear()
        self.page.emulate_media(color_scheme="light")
        self.page.set_viewport_size({"width": WIDTHS[0], "height": HEIGHT})

    def open(self, path: str) -> Response:
        """A path below the app's root."""
        found = self.page.goto(f"{self._service.app}/{path}".rstrip("/"))
        assert found is not None
        return found

    def heading(self) -> str:
        return self.page.inner_text("main h1")

    def check(self) -> None:
        """Nothing that must not happen has happened since the tab was opened."""
        refused: list[str] = self.page.evaluate("window.refusedByPolicy") if self._scripts else []
        assert (self.foreign, self.failed, refused) == ([], [], [])

    def _is_picture(self, url: str) -> bool:
        return url.startswith("https:") and _PICTURES.search(self.page.url) is not None

    def _request(self, request: Request) -> None:
        if request.resource_type == "image" and self._is_picture(request.url):
            self.pictures.append((request.url, request.headers.get("referer")))
        elif not request.url.startswith((f"{self._service.origin}/", "data:", "about:")):
            self.foreign.append(request.url)
