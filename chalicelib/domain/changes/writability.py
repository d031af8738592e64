"""Decides whether an approved value can be written to a page, and gives the reason if it cannot."""

from collections.abc import Container
from typing import Final

from chalicelib.domain.connections import Writer

NAMES: Final = {
    "title": "title",
    "meta_description": "meta description",
    "canonical": "canonical address",
    "alt": "text alternative",
}
_PLURALS: Final = {
    "title": "titles",
    "meta_description": "meta descriptions",
    "canonical": "canonical addresses",
    "alt": "text alternatives of images",
}

NO_FILES_SCOPE: Final = (
    "The shop's app may not write texts of pictures. The shop's owner has to grant the scope write_files; the service "
    "notices it within six hours."
)


def writability(
    url: str, field: str, published: Container[str] | None, writer: Writer | None
) -> tuple[bool, str | None]:
    """Whether ``field`` of the page can be written, and the reason if it cannot.

    ``published``: the normalised addresses of the website's published content items; None if none were ever synced.
    ``writer``: the connection to the CMS or shop; None without one.
    """
    if writer is None:
        return False, "No CMS connection: connect the website's CMS to write values from here."
    if not writer.writable:
        return False, writer.reason
    if field == "alt" and field not in writer.status.fields and writer.kind == "shop":
        return False, NO_FILES_SCOPE
    if field not in writer.status.fields:
        return False, f"The CMS connection cannot write {_PLURALS.get(field, field)} on this website."
    if published is None:
        return (
            False,
            "The CMS has not sent its content yet; it sends its content automatically soon after it is connected.",
        )
    if url not in published:
        where = "shop" if writer.kind == "shop" else "CMS"
        return (
            False,
            f"This address is not a published content item of the {where}. It may be a list that the theme makes.",
        )
    return True, None
