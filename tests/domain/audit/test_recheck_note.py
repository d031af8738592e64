"""What a recheck says of pages that could not be read."""

import pytest

from chalicelib.domain.audit.issues import Issue
from chalicelib.domain.audit.recheck import Reread, decide
from chalicelib.domain.audit.records import AffectedPage, PageRow

PAGES = [AffectedPage(f"https://x.test/{name}", f"page_{name}", {}, 1, 1) for name in "abc"]
ROWS = {page.url: PageRow(page.page_id, page.url, 200, None, None, None, None, [], 1, 1) for page in PAGES}


@pytest.mark.parametrize(
    ("unread", "listed", "expected"),
    [
        (0, 3, None),
        (1, 3, "1 page could not be read and judged; it stays listed with what the last check saw."),
        (2, 3, "2 pages could not be read and judged; they stay listed with what the last check saw."),
        (3, 3, "None of the listed pages could be read, so nothing could be judged. The pages stay listed."),
        (1, 1, "The listed page could not be read, so nothing could be judged. It stays listed."),
    ],
)
def test_the_note_uses_singular_or_plural_for_the_number_of_pages(
    unread: int, listed: int, expected: str | None
) -> None:
    issue = Issue("iss_1", "SEO-ONP-001", "open", listed, listed, 1.0, 1.0, "summary")
    outcomes = {page.url: Reread("unread" if at < unread else "passed") for at, page in enumerate(PAGES[:listed])}
    last = decide(issue, PAGES[:listed], outcomes, crawl_id="crawl_1", now=2.0, rows=ROWS).issue.last_recheck
    assert last is not None
    assert last.note == expected
