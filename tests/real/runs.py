"""A website audited by the real service and read again by the reference, while it is served."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.real.reading import Website, read_again
from tests.real.reports import Report, report_of
from tests.real.service import audited
from tests.real.websites import Listed


@contextmanager
def run(name: str, home: str, pages: int) -> Iterator[tuple[Report, Website]]:
    """The website that is served at ``home``, audited with that page budget, and the same pages read again."""
    with tempfile.TemporaryDirectory(prefix="real-") as folder:
        with audited(Path(folder), home, pages) as done:
            report = report_of(name, home, done)
            assert done.errors() == []
        yield report, read_again(home, report.read())


@contextmanager
def run_website(website: Listed, *, small: bool = False) -> Iterator[tuple[Report, Website]]:
    """One of the table's websites, served until the block ends."""
    with website.served() as home, run(website.name, home, website.small if small else website.pages) as both:
        yield both
