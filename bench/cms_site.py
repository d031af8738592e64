"""A website that shows the values of its CMS, with the CMS's connector, in a separate process.

``python -m bench.cms_site --pages 500`` prints one line of JSON, ``{"url", "address", "code"}``: the website's home
page, the connector's address and the pairing code. It serves until its standard input is closed. The pages are those of
``bench.site``. A page is made and compressed again when one of its values is written.
"""

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from html import escape

from bench.site import Generator, Website, packed, path_of
from local.standins.cms import Cms, Entry

_TITLE = re.compile(r"<title>.*?</title>")


class WrittenWebsite(Website):
    """The benchmark's website, connected to a CMS that writes only titles."""

    def __init__(self, pages: int) -> None:
        super().__init__(pages)
        base = self.url.rstrip("/")
        self._generator = Generator(pages, base)
        self._items = {f"page:{number}": Entry(base + path_of(number), "page", "") for number in range(pages)}
        for item in self._items:
            self.show(item, {})  # shown without a title, so that the issue of missing titles lists every page

    def entries(self) -> Mapping[str, Entry]:
        return self._items

    def show(self, item: str, values: Mapping[str, str]) -> None:
        number = int(item.removeprefix("page:"))
        html = _TITLE.sub("", self._generator.html(number))
        title = f"<head>\n<title>{escape(values.get('title', ''))}</title>"
        html = html.replace("<head>", title, 1)
        self.made[path_of(number)] = packed(html, "text/html; charset=utf-8")

    def show_files(self, values: Mapping[str, str]) -> None:
        """Do nothing: this CMS writes no files."""

    def images(self, item: str) -> Sequence[str]:
        return ()

    def show_alts(self, item: str, alts: Mapping[str, str]) -> None:
        """Do nothing: this CMS writes no alt texts."""

    def show_redirects(self, targets: Mapping[str, str]) -> None:
        """Do nothing: this CMS writes no redirects."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve a website and its CMS until standard input is closed.")
    parser.add_argument("--pages", type=int, default=500)
    website = WrittenWebsite(parser.parse_args().pages)
    cms = Cms(website)
    print(json.dumps({"url": website.url, "address": cms.address, "code": cms.code()}), flush=True)
    sys.stdin.read()
    cms.stop()
    website.stop()


if __name__ == "__main__":
    main()
