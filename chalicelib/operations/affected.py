"""Returns the home page as the affected page of an issue about the whole website."""

from typing import Literal

from chalicelib.domain import ids
from chalicelib.domain.audit.issues import Issue
from chalicelib.domain.audit.records import AffectedPage
from chalicelib.store.websites import Website


def home_page_of(website: Website, issue: Issue, scope: Literal["page", "site"]) -> list[AffectedPage]:
    """Return the home page, with the issue's evidence, as the only page of an issue about the whole website.

    Returns no page if the issue is resolved, or is about single pages."""
    if scope != "site" or issue.status == "resolved":
        return []
    url = website.home_url
    first_seen, last_seen = int(issue.first_seen), int(issue.last_seen)
    return [AffectedPage(url, ids.page_id(website.id, url), issue.evidence or {}, first_seen, last_seen)]
