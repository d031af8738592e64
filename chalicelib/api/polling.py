"""Makes the address at which a client polls an audit or recheck."""

from typing import Any, Final

from chalicelib.http.endpoints import Call

POLL_SECONDS: Final = 60  # after this, polling an audit or recheck is worthwhile


def poll_of(call: Call[Any], crawl_id: str) -> str:
    """Return the address at which a client polls this audit or recheck of the request's website."""
    return call.url(f"/sites/{call.website.id}/audits/{crawl_id}")
