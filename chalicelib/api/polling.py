"""Where work that was started can be followed."""

from typing import Any, Final

from chalicelib.http.endpoints import Call

POLL_SECONDS: Final = 60  # after which a look at an audit or recheck is worth while


def poll_of(call: Call[Any], crawl_id: str) -> str:
    """The address of an audit or recheck of the website of the path."""
    return call.url(f"/sites/{call.website.id}/audits/{crawl_id}")
