"""Content items and alerts that a CMS sends."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from chalicelib.api.shapes.values import Count
from chalicelib.http.answers import Shape
from chalicelib.http.bodies import Body

Name = Annotated[str, Meta(min_length=1, max_length=200)]
Text = Annotated[str, Meta(max_length=2_000)]

ModifiedAt = Annotated[
    str,
    Meta(
        max_length=40,
        description="When the item was last changed. An item older than the stored one is ignored. A time more than "
        "5 minutes ahead is ignored.",
        extra_json_schema={"format": "date-time"},
    ),
]


class ItemFields(Body, rename=None):
    """The values of the writable fields, as the CMS stores them. Null or absent: not reported by the CMS."""

    title: Annotated[Text | None, Meta(description="Title for search engines.")] = None
    meta_description: Annotated[Text | None, Meta(description="Description for search engines.")] = None
    canonical: Annotated[Text | None, Meta(description="Canonical address.")] = None
    noindex: Annotated[bool | None, Meta(description="True if search engines may not index the page.")] = None


class Item(Body):
    """One content item."""

    cms_id: Annotated[Name, Meta(description="The item's id in the CMS.")]
    url: Annotated[str, Meta(description="Public address.", min_length=1, max_length=2_000)]
    type: Annotated[Name, Meta(description="Kind of content, such as `post`.")]
    status: Annotated[
        str,
        Meta(min_length=1, max_length=50, description="`published`, or the state that hides the item from the public."),
    ]
    title: Annotated[Text, Meta(description="Title in the CMS.")]
    modified_at: ModifiedAt | None = None
    fields: ItemFields = msgspec.field(default_factory=ItemFields)
    deleted: Annotated[
        bool, Meta(description="True removes the item; `url` and the other members are still required.")
    ] = False


class PutContent(Body):
    """New and changed content items. Items that are not sent stay as they are."""

    items: Annotated[list[Item], Meta(description="The content items.", min_length=1, max_length=500)]


class PostAlert(Body):
    """The pages that changed, and how."""

    kind: Annotated[
        Literal["content_changed", "plugin_changed", "settings_changed"], Meta(description="What happened.")
    ]
    at: Annotated[str, Meta(max_length=40, description="When.", extra_json_schema={"format": "date-time"})]
    urls: Annotated[
        list[Annotated[str, Meta(min_length=1, max_length=2_000)]],
        Meta(description="Addresses of the website. `content_changed` needs at least one.", max_length=500),
    ] = msgspec.field(default_factory=list)
    detail: Annotated[str, Meta(max_length=500, description="What happened, in words for people.")] | None = None


class Accepted(Shape):
    """How many items or addresses were accepted."""

    accepted: Annotated[Count, Meta(description="The number of items or addresses that were accepted.")]
