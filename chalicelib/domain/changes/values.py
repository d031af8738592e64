"""The valid values of each writable field."""

from typing import Final

from chalicelib.domain import legible
from chalicelib.domain.crawl.urls import normalise, same_site
from chalicelib.domain.page.text import is_masked
from chalicelib.domain.suggestion import PageField

LONGEST: Final = {"title": 300, "meta_description": 1_000, "alt": 512}  # characters
NOINDEX_VALUES: Final = ("true", "false")


class BadValue(Exception):
    """Raised when a value cannot be written. The text explains the reason to the user."""


def checked(field: PageField, value: str, host: str) -> str:
    """Check a value of a field, and return it as it will be written. Raises ``BadValue``.

    For a canonical address, "" removes the value. For an alt text, "" marks the image as decorative. ``host``: the
    website's host, as ``urls.host_key`` names it.
    """
    if field == "noindex":
        if value not in NOINDEX_VALUES:
            raise BadValue("noindex is `true` or `false`")
        return value
    if field == "canonical":
        return _canonical(value, host)
    if field == "alt" and not value.strip():
        return ""
    return _text(field, value)


def _canonical(value: str, host: str) -> str:
    value = legible.without_mark(value).strip()
    if not value:
        return value
    wrong = legible.fault(value)
    if wrong is not None:
        raise BadValue(f"it has {wrong}")
    address = normalise(value)
    if address is None or not same_site(address, host):
        raise BadValue(f"a canonical address must be an absolute address of {host}, with http or https")
    return address


def _text(field: str, value: str) -> str:
    text, longest = legible.without_mark(value).strip(), LONGEST.get(field, 0)
    if not text:
        raise BadValue("it is empty")
    if len(text) > longest:
        raise BadValue(f"it has {len(text)} characters; at most {longest} are written")
    wrong = legible.fault(text)
    if wrong is not None:
        raise BadValue(f"it has {wrong}")
    if not legible.is_visible(text):
        raise BadValue("it has no visible characters")
    if is_masked(text):
        raise BadValue("it holds an e-mail address that the service has hidden; write the address out")
    return text
