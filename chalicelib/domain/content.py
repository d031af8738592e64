"""Content items: what the CMS holds of a website's pages, as far as it was synced to the service."""

from typing import Final

import msgspec

PUBLISHED: Final = "published"


class ContentFields(msgspec.Struct, frozen=True):
    """The values of the fields that can be written. None: the CMS says nothing of it."""

    title: str | None = None
    meta_description: str | None = None
    canonical: str | None = None
    noindex: bool | None = None


class ContentItem(msgspec.Struct, frozen=True, kw_only=True):
    """A content item as the CMS reported it.

    ``cms_id`` and ``type`` (post, page, product, …) as the CMS names them, ``url`` normalised, ``status`` ``published``
    or what keeps the item from the public, ``modified_at`` epoch seconds (None: not said).
    """

    cms_id: str
    url: str
    type: str
    status: str
    title: str
    modified_at: float | None = None
    fields: ContentFields = ContentFields()

    @property
    def published(self) -> bool:
        """Whether the public can see the item."""
        return self.status == PUBLISHED
