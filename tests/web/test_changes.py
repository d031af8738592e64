"""The list of changes names the issue that each batch came from, and links it."""

import pytest

from chalicelib.domain import ids
from chalicelib.rules import keywords
from tests.api import seed
from tests.api.conftest import House
from tests.web.conftest import Browser

KEYWORD_TASK = next(iter(keywords.BY_ID.values()))


@pytest.mark.parametrize(
    ("rule_id", "words"),
    [
        (seed.PAGE_RULE.id, seed.PAGE_RULE.title),
        (KEYWORD_TASK.id, KEYWORD_TASK.title),
        ("SEO-OLD-001", "its issue"),  # a rule of an earlier release
    ],
)
def test_each_batch_names_and_links_its_issue(house: House, browser: Browser, rule_id: str, words: str) -> None:
    issue_id = ids.issue_id(house.site.id, rule_id)
    seed.written(house.site, issue_id=issue_id)
    (link,) = browser.get(f"/app/sites/{house.site.id}/changes").dom.css("#batches td .faint a[href*='/issues/']")
    assert link.text() == words
    assert link.attributes["href"] == f"/app/sites/{house.site.id}/issues/{issue_id}"


def test_a_batch_without_an_issue_has_no_link_to_one(house: House, browser: Browser) -> None:
    seed.written(house.site, issue_id=None, field="llms_txt")
    assert not browser.get(f"/app/sites/{house.site.id}/changes").dom.css("#batches a[href*='/issues/']")
