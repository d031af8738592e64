"""What a CMS sends of a website: its content items."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from chalicelib.api.refusals import refusal
from chalicelib.api.shapes.content import Accepted, Item, PutContent
from chalicelib.domain.content import DELETED, ContentFields, ContentItem
from chalicelib.domain.crawl.urls import normalise, same_site
from chalicelib.http.endpoints import Call, Group
from chalicelib.http.errors import ApiError, quote
from chalicelib.http.parameters import NoParameters
from chalicelib.operations import content
from chalicelib.operations.errors import Refused

group = Group("content", "What a CMS sends of a website.")

MOST_BYTES: Final = 4_000_000


@group.put(
    "/sites/{siteId}/content",
    scope="content:write",
    body=PutContent,
    answer=Accepted,
    errors=("bad_url", "bad_modified_at", "busy", "too_many_items"),
    status=202,
    largest_body=MOST_BYTES,
    summary="Send content items",
)
def put_content(call: Call[NoParameters]) -> Accepted:
    """The items behind the website's pages, 500 at most: what can be written, and what the CMS holds now.

    Sending the same again changes nothing. Items come in any order: of two states of an item, the one with the later
    `modifiedAt` stands. `accepted` counts those that were not older than what is known.
    """
    body: PutContent = call.body
    items = list(_items(body.items, call.website.host))
    try:
        return Accepted(accepted=content.put(call.website, items, now=call.now))
    except Refused as refused:
        raise refusal(refused) from refused


def _items(sent: list[Item], host: str) -> Iterator[ContentItem]:
    for number, item in enumerate(sent):
        url = normalise(item.url)
        if url is None or not same_site(url, host):
            raise ApiError(
                "bad_url",
                f"`items[{number}].url` is {quote(item.url)}; it has to be an address of {host}, with http or https.",
                param=f"items[{number}].url",
            )
        yield ContentItem(
            cms_id=item.cms_id,
            url=url,
            type=item.type,
            status=DELETED if item.deleted else item.status,
            title=item.title,
            modified_at=None if item.modified_at is None else _seconds(item.modified_at, number),
            fields=ContentFields(
                title=item.fields.title,
                meta_description=item.fields.meta_description,
                canonical=item.fields.canonical,
                noindex=item.fields.noindex,
            ),
        )


def _seconds(text: str, number: int) -> float:
    """Epoch seconds of an ISO 8601 date-time with an offset."""
    try:
        found = datetime.fromisoformat(text)
        if found.tzinfo is None or found.timestamp() < 0:
            raise ValueError
        return found.timestamp()
    except (ValueError, OverflowError):
        raise ApiError(
            "bad_modified_at",
            f"`items[{number}].modifiedAt` is {quote(text)}; it has to be a time such as 2026-11-22T02:00:00Z.",
            param=f"items[{number}].modifiedAt",
        ) from None
