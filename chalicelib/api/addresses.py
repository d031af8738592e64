"""Reads the address of a page from a request."""

from chalicelib.domain.crawl import urls
from chalicelib.http.errors import ApiError
from chalicelib.http.members import shown


def page_url(sent: str) -> str:
    """Read the parameter ``url``, and return it in the normal form of stored addresses. Raises ``ApiError``
    ``bad_url``."""
    url = urls.normalise(sent)
    if url is None:
        raise ApiError("bad_url", f"`url` must be an absolute http(s) address, not {shown(sent)}.", param="url")
    return url
