"""Input from a CMS: its content items, and alerts (reports of changed pages)."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from chalicelib.api.refusals import refusal
from chalicelib.api.shapes.content import Accepted, Item, PostAlert, PutContent
from chalicelib.domain import plans
from chalicelib.domain.content import DELETED, ContentFields, ContentItem
from chalicelib.domain.crawl.urls import normalise, same_site
from chalicelib.http.endpoints import Call, Group
from chalicelib.http.errors import ApiError
from chalicelib.http.members import shown
from chalicelib.http.parameters import NoParameters
from chalicelib.operations import alerts, content
from chalicelib.operations.errors import Refused

group = Group("content", "What a CMS sends about a website.")

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
    """Send content items of pages, at most 500: their current values in the CMS, and the fields that can be written.

    A request can be repeated safely, and items may be sent in any order: the version with the later `modifiedAt` is
    stored. `accepted` counts the items that were at least as new as the stored version.
    """
    body: PutContent = call.body
    items = list(_items(body.items, call.website.host))
    try:
        return Accepted(accepted=content.put(call.website, items, now=call.now))
    except Refused as refused:
        raise refusal(refused) from refused


@group.post(
    "/sites/{siteId}/alerts",
    scope="content:write",
    body=PostAlert,
    answer=Accepted,
    errors=("bad_url", "bad_at", "busy"),
    status=202,
    summary="Report what changed",
    with_workspace=True,
)
def post_alert(call: Call[NoParameters]) -> Accepted:
    """Report pages that changed. The service reads them again and judges them by all page rules: issues open, reopen
    and resolve, the score changes, and events are sent as for an audit. New pages are read too and added to the
    website's pages, up to the number that its audits may read.

    The service collects the reports of 30 seconds, up to 500 addresses, and reads these pages together. So a connector
    may send one request for each save. `accepted` counts the addresses that will be read. It is 0 before the first
    audit. At most 5,000 addresses can wait; if more pages changed, run an audit.

    `plugin_changed` and `settings_changed` also check the connection to the CMS.
    """
    body: PostAlert = call.body
    _seconds(body.at, "at", "bad_at")
    addresses = [_address(url, f"urls[{number}]", call.website.host) for number, url in enumerate(body.urls)]
    if body.kind == "content_changed" and not addresses:
        raise ApiError("bad_body", "`urls` is empty; `content_changed` names the pages that changed.", param="urls")
    if body.kind != "content_changed":
        alerts.changed_system(call.website, now=call.now)
    plan_limit = plans.plan(call.workspace.plan).pages_per_audit
    try:
        taken = alerts.changed_pages(
            call.website, addresses, plan_limit=plan_limit, person_id=call.auth.person_id, now=call.now
        )
    except Refused as refused:
        raise refusal(refused) from refused
    return Accepted(accepted=taken)


def _items(sent: list[Item], host: str) -> Iterator[ContentItem]:
    for number, item in enumerate(sent):
        yield ContentItem(
            cms_id=item.cms_id,
            url=_address(item.url, f"items[{number}].url", host),
            type=item.type,
            status=DELETED if item.deleted else item.status,
            title=item.title,
            modified_at=_modified_at(item, number),
            fields=ContentFields(
                title=item.fields.title,
                meta_description=item.fields.meta_description,
                canonical=item.fields.canonical,
                noindex=item.fields.noindex,
            ),
        )


def _modified_at(item: Item, number: int) -> float | None:
    if item.modified_at is None:
        return None
    return _seconds(item.modified_at, f"items[{number}].modifiedAt", "bad_modified_at")


def _address(sent: str, param: str, host: str) -> str:
    """Return the address in its normal form."""
    url = normalise(sent)
    if url is None or not same_site(url, host):
        raise ApiError(
            "bad_url",
            f"`{param}` must be an http or https address of {host}, not {shown(sent)}.",
            param=param,
        )
    return url


def _seconds(text: str, param: str, code: str) -> float:
    """Convert an ISO 8601 date-time with an offset to epoch seconds."""
    try:
        found = datetime.fromisoformat(text)
        if found.tzinfo is None or found.timestamp() < 0:
            raise ValueError
        return found.timestamp()
    except (ValueError, OverflowError):
        raise ApiError(
            code, f"`{param}` must be a time such as 2026-11-22T02:00:00Z, not {shown(text)}.", param=param
        ) from None
