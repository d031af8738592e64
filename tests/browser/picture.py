"""The picture of the app in README.md: the overview of the demo website, taken from a running service.

``make picture`` writes ``docs/app.png``.
"""

import tempfile
from pathlib import Path
from typing import Final

from playwright.sync_api import sync_playwright

from tests.browser.service import ROOT, served

PICTURE: Final = ROOT / "docs" / "app.png"
SIZE: Final = {"width": 1280, "height": 800}


def take(path: Path) -> None:
    """Write the picture. Chromium has to be installed."""
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as service, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        page.goto(service.link())
        page.click("main form button")
        page.goto(f"{service.app}/sites/{service.site_id}")
        page.screenshot(path=path)
        browser.close()


if __name__ == "__main__":
    take(PICTURE)
