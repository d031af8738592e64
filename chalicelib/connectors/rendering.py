"""Renders pages: returns their HTML after a browser has run their scripts.

A page is complete when its document is loaded and its content has not changed for a second. Network activity is
ignored, since on many pages it never ends. After ten seconds the page is read even if it is not complete. Images are
not loaded. The browser sends the crawler's user agent, so that browser and crawler get the same page.

Each page gets its own tab. If the browser hangs on a page, a new browser is started for the next page. After three such
failures the remaining pages are skipped.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Any, Final, Protocol

from chalicelib import clock
from chalicelib.connectors.chromium import Browser, Engine
from chalicelib.connectors.devtools import BrowserGone, CommandFailed, DevTools
from chalicelib.connectors.errors import Declined, Unavailable
from chalicelib.connectors.page_source import MOST_CHARACTERS, Source
from chalicelib.net.guard import AddressRefused
from chalicelib.settings.crawl import crawl_settings
from chalicelib.settings.speed import speed_settings

QUIET_MS: Final = 1_000
MOST_MS: Final = 10_000  # milliseconds after which a page is read as it is
PAGE_SECONDS: Final = 25.0  # time limit of one page
MOST_BROWSERS: Final = 3
_MOST_DOCUMENTS: Final = 3  # limit on consecutive documents in a tab
_SWITCHES: Final = ("--blink-settings=imagesEnabled=false", "--window-size=1280,1600")

# Dialogs are disabled: nobody would answer them, and the page would wait forever.
_NO_DIALOGS: Final = "window.alert = () => {}; window.confirm = () => false; window.prompt = () => null;"
# Runs in an isolated world: the page cannot see it or change the functions that it calls.
_WHOLE: Final = f"""new Promise(resolve => {{
  const began = performance.now();
  let changed = began;
  const observer = new MutationObserver(() => {{ changed = performance.now(); }});
  observer.observe(document, {{subtree: true, childList: true, attributes: true, characterData: true}});
  const look = () => {{
    const now = performance.now();
    const quiet = document.readyState === "complete" && now - changed >= {QUIET_MS};
    if (!quiet && now - began < {MOST_MS}) return setTimeout(look, 100);
    observer.disconnect();
    const [navigation] = performance.getEntriesByType("navigation");
    resolve({{
      url: location.href,
      status: navigation ? navigation.responseStatus : 0,
      html: "<!doctype html>" + document.documentElement.outerHTML.slice(0, {MOST_CHARACTERS}),
      quiet,
    }});
  }};
  look();
}})"""


class Renderer(Protocol):
    """A browser that runs the scripts of pages."""

    def render(self, urls: Sequence[str], seconds: float, keep: Callable[[], object]) -> Iterator[Source]:
        """Render pages of one website, one after the other, until the time limit is reached. Pages that cannot be
        rendered are left out. ``keep``: called before each page, for example to renew the lease of the caller's job.

        Raises ``Unavailable`` if the browser does not start, and ``Declined`` for addresses that may not be requested.
        """


def is_connected() -> bool:
    """Whether the operator has configured a browser, either on this machine or in a Lambda function."""
    settings = speed_settings()
    return bool(settings.chrome_path.strip() or settings.engine_function.strip())


def connected() -> Renderer:
    """Return the browser in the Lambda function that ENGINE_FUNCTION names or, without this setting, the browser at
    CHROME_PATH. Raises ``NotConnected``."""
    if speed_settings().engine_function.strip():
        from chalicelib.connectors.engine_function import EngineFunction

        return EngineFunction.connected()
    return Chromium(Engine.connected(), crawl_settings().user_agent)


@dataclass(frozen=True, slots=True)
class Chromium:
    """Renders pages with the service's own Chromium. ``user_agent``: the user agent that it sends."""

    _engine: Engine
    user_agent: str

    def render(self, urls: Sequence[str], seconds: float, keep: Callable[[], object]) -> Iterator[Source]:
        until = clock.monotonic() + seconds
        left = list(urls)
        for _ in range(MOST_BROWSERS):
            if not left or clock.monotonic() >= until:
                return
            with ExitStack() as stack, suppress(BrowserGone):
                browser = self._started(stack, left[0])
                tabs: list[str] = []
                while left and clock.monotonic() < until:
                    keep()
                    url = left.pop(0)
                    found = self._page(browser, tabs, url, min(until, clock.monotonic() + PAGE_SECONDS))
                    if found is not None:
                        yield found

    def _started(self, stack: ExitStack, url: str) -> DevTools:
        try:
            browser = stack.enter_context(Browser(self._engine, url, switches=_SWITCHES))
        except AddressRefused as reason:
            raise Declined(f"The page cannot be rendered: {reason}.") from None
        tools = DevTools(browser.to_browser, browser.from_browser)
        try:
            tools.call("Browser.setDownloadBehavior", clock.monotonic() + 20.0, behavior="deny")
        except (BrowserGone, CommandFailed):
            raise Unavailable(f"The browser did not start{browser.last_words()}.") from None
        return tools

    def _page(self, tools: DevTools, tabs: list[str], url: str, until: float) -> Source | None:
        """Render a page. Returns None if it cannot be loaded. Raises ``BrowserGone``.

        ``tabs``: the open tabs. The page's new tab is opened before the old one is closed. This keeps the window open,
        since a new window costs as much as a page.
        """
        try:
            tab = tools.call("Target.createTarget", until, url="about:blank")["targetId"]
            while tabs:
                tools.call("Target.closeTarget", until, targetId=tabs.pop())
            tabs.append(tab)
            session = tools.call("Target.attachToTarget", until, targetId=tab, flatten=True)["sessionId"]
            tools.call("Emulation.setUserAgentOverride", until, session, userAgent=self.user_agent)
            tools.call("Page.enable", until, session)
            tools.call("Page.addScriptToEvaluateOnNewDocument", until, session, source=_NO_DIALOGS)
            value = self._whole(tools, session, url, until)
        except (CommandFailed, KeyError):
            return None
        if not isinstance(value, dict) or not isinstance(value.get("html"), str):
            return None
        return Source(
            url, str(value.get("url")), int(value.get("status") or 0), value["html"], value.get("quiet") is True
        )

    def _whole(self, tools: DevTools, session: str, url: str, until: float) -> Any:
        frame = tools.call("Page.navigate", until, session, url=url)
        if frame.get("errorText"):
            return None
        for _ in range(_MOST_DOCUMENTS):
            try:
                world = tools.call("Page.createIsolatedWorld", until, session, frameId=frame["frameId"])
                answer = tools.call(
                    "Runtime.evaluate",
                    until,
                    session,
                    expression=_WHOLE,
                    contextId=world["executionContextId"],
                    awaitPromise=True,
                    returnByValue=True,
                )
            except CommandFailed:
                continue  # another document has replaced this one: a redirect by script
            return answer.get("result", {}).get("value")
        return None
