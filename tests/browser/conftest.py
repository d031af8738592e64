"""A service and a browser for all tests, and tabs of a person who is signed in.

A context of the browser costs as much as four screens. Tests that change nothing share two (``looking``).
"""

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.browser import finding
from tests.browser.finding import SHOWN
from tests.browser.service import Service, served
from tests.browser.watching import HEIGHT, MILLISECONDS, WIDTHS, Tab
from tests.real import parts

AXE = "axe-core@4.14.1"
# No renderer is started in advance: most contexts open one page.
LEAN = "--renderer-process-limit=1"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    parts.debian("chromium")
    with sync_playwright() as playwright:
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        found = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=[*sandbox, LEAN], timeout=MILLISECONDS
        )
        yield found
        found.close()


@pytest.fixture(scope="session")
def axe() -> str:
    return (parts.npm(AXE, name="axe") / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def service(browser: Browser, axe: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """What may be missing is missed before the service starts."""
    with served(tmp_path_factory.mktemp("local")) as found:
        yield found


@pytest.fixture(scope="session")
def session(browser: Browser, service: Service) -> Any:
    """The cookies of who has signed in by a link."""
    context = browser.new_context()
    tab = Tab(context, service)
    tab.page.goto(service.link())
    tab.page.click("main button")
    tab.page.wait_for_url(service.app)
    kept = context.storage_state()
    context.close()
    return kept


@pytest.fixture
def opened(browser: Browser, service: Service) -> Iterator[Callable[..., Tab]]:
    """Makes tabs, each of a browser of its own; keywords as for ``new_context``."""
    made: list[BrowserContext] = []

    def new(**options: Any) -> Tab:
        context = browser.new_context(viewport={"width": WIDTHS[0], "height": HEIGHT}, **options)
        made.append(context)
        return Tab(context, service, scripts=options.get("java_script_enabled", True))

    yield new
    for context in made:
        context.close()


@pytest.fixture
def tab(opened: Callable[..., Tab], session: Any) -> Tab:
    return opened(storage_state=session)


@pytest.fixture
def plain_tab(opened: Callable[..., Tab], session: Any) -> Tab:
    """Without scripts."""
    return opened(storage_state=session, java_script_enabled=False)


@pytest.fixture(params=[True, False], ids=["scripts", "no scripts"])
def scripts(request: pytest.FixtureRequest) -> bool:
    """Whether the browser runs scripts."""
    return bool(request.param)


@pytest.fixture
def either(opened: Callable[..., Tab], session: Any, scripts: bool) -> Tab:
    """With scripts, then without."""
    return opened(storage_state=session, java_script_enabled=scripts)


@pytest.fixture(scope="session")
def looking(browser: Browser, service: Service, session: Any) -> Iterator[tuple[Tab, Tab]]:
    """Two tabs for all tests that change nothing: with scripts and without."""
    contexts = [browser.new_context(storage_state=session, java_script_enabled=scripts) for scripts in (True, False)]
    yield Tab(contexts[0], service), Tab(contexts[1], service, scripts=False)
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def linked(service: Service) -> dict[str, str]:
    """The links of the API's answers, one of each shape: shape → path below the app's root."""
    found: dict[str, str] = {}
    for name, answer in finding.answers(service).items():
        for link in finding.links(answer):
            path = finding.below(service, link)
            assert path is not None, f"{name}: {link} leads out of the app"
            found.setdefault(finding.shape(path), path)
    return found


@pytest.fixture(scope="session")
def crawled(browser: Browser, service: Service, session: Any, linked: dict[str, str]) -> dict[str, str]:
    """Every address that screens and API answers lead to, one of each shape: shape → path below the root.

    Screens without ids in their path are looked at whether or not anything leads to them. They are read without being
    shown: the tests that show them look for links that are not in this list.
    """
    context = browser.new_context(storage_state=session)
    waiting = [route.path for route in SHOWN if "{" not in route.path]
    waiting += [*linked.values(), service.report(), finding.pictures(service)]
    found: dict[str, str] = {}
    while waiting:
        path = waiting.pop(0)
        if finding.shape(path) in found:
            continue
        found[finding.shape(path)] = path
        if finding.route_of(path) is None:
            continue
        answer = context.request.get(f"{service.app}/{path}".rstrip("/"), timeout=MILLISECONDS)
        for address in finding.leading(answer.url, answer.text()):
            led = finding.below(service, address)
            if led is not None:
                waiting.append(led)
    context.close()
    return found
