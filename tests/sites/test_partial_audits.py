"""Audits that read a part of an unchanged website leave its issues and its score as they were."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from chalicelib.settings.reading import forget_settings
from local import demo
from local.demo.serve import Server, start
from local.demo.variants import FAULTY
from tests.sites import auditing
from tests.sites.standing import differences, moves, standing


@pytest.fixture
def server(store: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    authority = trustme.CA()
    auditing.configure(monkeypatch, authority, tmp_path)
    served = start(FAULTY, tls=authority, host=demo.DEMO_HOST)
    yield served
    served.stop()
    forget_settings()


def test_partial_audits_of_an_unchanged_website_change_nothing(server: Server) -> None:
    website = auditing.new_website(server.url)
    auditing.audit(website)
    whole = standing(website)
    for budget in (60, 60, 20, 20, auditing.PAGES):
        auditing.audit(website, page_budget=budget)
        found = differences(whole, standing(website))
        assert found == [], "\n".join([str(budget), *found])
        assert moves(website) == [], budget
