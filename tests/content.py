"""Content items as a CMS would report them."""

from chalicelib.domain.content import PUBLISHED, ContentFields, ContentItem


def content_item(
    url: str, *, kind: str = "page", status: str = PUBLISHED, fields: ContentFields | None = None
) -> ContentItem:
    """An item of this address; what is not given is ordinary."""
    return ContentItem(
        cms_id=f"{kind}-{url}", url=url, type=kind, status=status, title="Title", fields=fields or ContentFields()
    )
