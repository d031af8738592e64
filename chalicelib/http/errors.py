"""Every error code of the API in one registry, and the exception that answers a request with one.

The registry feeds the OpenAPI document (the codes of each operation) and docs/api.md. An answer's body is always
``{"error": {"code", "message", …extras}}``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class ErrorCode:
    """A code's status and meaning. ``extras``: further members of ``error``.

    ``is_of_parameter``: the code only says which query parameter is wrong, such as ``bad_page`` for ``page``.
    ``of_members``: a wrong member of the same name in a request body gets this code too.
    """

    status: int
    meaning: str
    extras: tuple[str, ...] = ()
    of_members: bool = True
    is_of_parameter: bool = False


def _parameter(name: str, *, required: bool = False, of_members: bool = True) -> ErrorCode:
    meaning = f"`{name}` is {'missing or ' if required else ''}invalid"
    return ErrorCode(400, meaning, ("param",), of_members, is_of_parameter=True)


CODES: Final[Mapping[str, ErrorCode]] = {
    "bad_json": ErrorCode(400, "the body is not JSON"),
    "bad_body": ErrorCode(400, "the body is no object, or a member is missing, unknown or wrong", ("param",)),
    "bad_parameter": ErrorCode(400, "a query parameter is unknown or given twice", ("param",)),
    "bad_page": _parameter("page"),
    "bad_per": _parameter("per"),
    "bad_limit": _parameter("limit"),
    "bad_weeks": _parameter("weeks"),
    "bad_status": _parameter("status"),
    "bad_severity": _parameter("severity"),
    "bad_category": _parameter("category"),
    "bad_q": _parameter("q"),
    "bad_template": _parameter("template"),
    "bad_indexable": _parameter("indexable"),
    "bad_rule": _parameter("rule"),
    "bad_depth": _parameter("depth"),
    "bad_url": _parameter("url", required=True),
    "bad_days": _parameter("days"),
    "bad_period": ErrorCode(
        400,
        "the first or last day is missing, invalid or in the future, or the last is before the first",
        ("param",),
    ),
    "period_too_long": ErrorCode(400, "the period has more months than allowed"),
    "bad_sort": _parameter("sort"),
    "bad_state": _parameter("state"),
    "bad_channel": _parameter("channel"),
    "bad_order": _parameter("order"),
    "bad_offset": _parameter("offset"),
    "bad_min_pages": _parameter("minPages"),
    "bad_dimension": _parameter("dimension"),
    "bad_country": _parameter("country"),
    "bad_device": _parameter("device"),
    "bad_search_type": _parameter("search_type"),
    "bad_format": _parameter("format"),
    "bad_rows": _parameter("rows"),
    "too_many_rows": ErrorCode(400, "the file would be too large; ask for a part of it"),
    "not_stored": ErrorCode(400, "no search data is stored for this combination of filters"),
    "bad_strategy": _parameter("strategy"),
    "other_host": ErrorCode(400, "the address is on another host than the website", ("param",)),
    "bad_suggestions_offset": _parameter("suggestions_offset"),
    "bad_suggestions_limit": _parameter("suggestions_limit"),
    "bad_pages_offset": _parameter("pages_offset"),
    "bad_pages_limit": _parameter("pages_limit"),
    "bad_changes_offset": _parameter("changes_offset"),
    "bad_detail": _parameter("detail", of_members=False),  # alerts already had a member of that name
    "bad_against": _parameter("against"),
    "bad_min_score": _parameter("min_score"),
    "bad_no_new": _parameter("no_new"),
    "bad_max_loss": _parameter("max_loss"),
    "bad_page_budget": _parameter("pageBudget"),
    "bad_headers": ErrorCode(400, "`headers` are too many, or not allowed", ("param",)),
    "bad_basic_auth": ErrorCode(400, "`basicAuth` is not a user name and a password", ("param",)),
    "bad_modified_at": _parameter("modifiedAt"),
    "bad_at": _parameter("at"),
    "bad_value": _parameter("value"),
    "bad_rules": ErrorCode(
        400, "`rules` is not an object of crawlers with `allow` or `deny`, or names a crawler twice", ("param",)
    ),
    "unknown_crawler": ErrorCode(400, "a crawler is not on the list, or is no longer in use"),
    "too_long": ErrorCode(400, "the text is too long to publish"),
    "too_many_changes": ErrorCode(400, "more than 500 changes were sent at once"),
    "field_not_supported": ErrorCode(400, "nothing can be written for this issue, or the CMS cannot write its field"),
    "not_a_cms_post": ErrorCode(400, "an address is not a published content item that the CMS has sent to the service"),
    "not_applied": ErrorCode(400, "a value cannot be written; the message says why"),
    "no_changes": ErrorCode(400, "all pages already have these values"),
    "too_many_items": ErrorCode(400, "the website would have too many content items"),
    "over_plan_limit": ErrorCode(400, "the page budget is above the plan's pages per audit", ("planLimit",)),
    "bad_cursor": ErrorCode(
        400,
        "the cursor belongs to other parameters (`limit` included) or older data, or was changed",
        ("param",),
    ),
    "bad_idempotency_key": ErrorCode(400, "`Idempotency-Key` is not 1 to 255 visible ASCII characters"),
    "unauthorized": ErrorCode(401, "the key is missing, unknown or revoked"),
    "owner_lost_access": ErrorCode(403, "the key's owner has left or may no longer use keys"),
    "missing_scope": ErrorCode(403, "the key does not have the operation's scope", ("scope",)),
    "site_not_covered": ErrorCode(403, "the key does not cover this website of its workspace"),
    "foreign_origin": ErrorCode(403, "a page of another website sent the request (`/mcp`)"),
    "not_found": ErrorCode(404, "no such website, issue, page, audit or path"),
    "not_kept": ErrorCode(404, "the audit's results, or those of the audit before, are not stored"),
    "method_not_allowed": ErrorCode(405, "the path exists but not with this method; see `Allow`"),
    "idempotency_in_progress": ErrorCode(409, "the first request with this `Idempotency-Key` is still running"),
    "already_running": ErrorCode(
        409, "a crawl of the website is queued or running", ("auditId", "kind", "status", "poll")
    ),
    "preview_running": ErrorCode(409, "a preview of the website is queued or running", ("previewId", "poll")),
    "export_running": ErrorCode(409, "an export of the website is queued or running", ("exportId", "poll")),
    "busy": ErrorCode(409, "another request is changing the same data; see `Retry-After`"),
    "analytics_not_connected": ErrorCode(409, "the website is connected to no analytics property"),
    "analytics_no_access": ErrorCode(409, "the analytics property refuses access; connect it again"),
    "cms_not_connected": ErrorCode(409, "the website is connected to no CMS"),
    "cms_not_writable": ErrorCode(409, "nothing can be written through the website's CMS now; the message says why"),
    "no_change": ErrorCode(409, "the file or rules are those that the service wrote last"),
    "too_many_waiting": ErrorCode(409, "100 batches of changes of the website wait to be written"),
    "search_not_connected": ErrorCode(409, "the website is connected to no search data"),
    "already_queued": ErrorCode(409, "a recheck of this issue, or a run of this address, is already queued or running"),
    "too_large": ErrorCode(413, "the body is too large"),
    "unsupported_media_type": ErrorCode(415, "the body is not sent as uncompressed application/json"),
    "cannot_recheck": ErrorCode(422, "the issue cannot be rechecked; the message says why"),
    "idempotency_mismatch": ErrorCode(422, "this `Idempotency-Key` was sent before with another body"),
    "rate_limited": ErrorCode(
        429,
        "the key's hourly limit (304 answers count) or the website's limit per minute is reached; see `Retry-After`",
    ),
    "analytics_quota": ErrorCode(429, "the analytics property accepts no more requests for now: its quota is used up"),
    "too_many_audits": ErrorCode(429, "the website's limit of audits in 24 hours is reached", ("retryAt",)),
    "too_many_previews": ErrorCode(429, "the website's limit of previews in 24 hours is reached", ("retryAt",)),
    "budget_used": ErrorCode(429, "the website's limit of speed tests per UTC day is reached", ("retryAt",)),
    "too_many_runs": ErrorCode(429, "three runs of the website are already waiting"),
    "internal": ErrorCode(500, "the service failed; quote `requestId` when you report it", ("requestId",)),
    "analytics_unavailable": ErrorCode(502, "the analytics property did not answer in time, or sent an invalid answer"),
    "switched_off": ErrorCode(503, "the API or this feature is switched off"),
}

# Types of the extra members of errors, for the OpenAPI document.
EXTRAS: Final[Mapping[str, Mapping[str, Any]]] = {
    "param": {
        "type": ["string", "null"],
        "description": "The parameter or member that is wrong; null: the whole body.",
    },
    "scope": {"type": "string", "description": "The scope that the operation needs."},
    "planLimit": {"type": "integer", "description": "Pages per audit of the workspace's plan."},
    "auditId": {"type": "string", "description": "The audit or recheck that is queued or running."},
    "previewId": {"type": "string", "description": "The preview that is queued or running."},
    "exportId": {"type": "string", "description": "The export that is queued or running."},
    "kind": {"type": "string", "enum": ["audit", "recheck"], "description": "What is queued or running."},
    "status": {"type": "string", "enum": ["queued", "running"], "description": "Its state."},
    "poll": {"type": "string", "format": "uri", "description": "The address at which its state can be read."},
    "retryAt": {"type": "string", "format": "date-time", "description": "When the next start is possible."},
    "requestId": {"type": "string", "description": "The answer's X-Request-Id."},
}


class ApiError(Exception):
    """Raise this exception to answer the request with an error. ``headers``: sent with the answer. ``extras``: further
    members of ``error``."""

    def __init__(self, code: str, message: str, *, headers: Mapping[str, str] | None = None, **extras: object) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.headers = dict(headers or {})
        self.extras = extras

    @property
    def status(self) -> int:
        return CODES[self.code].status

    def body(self) -> dict[str, Any]:
        return {"error": {"code": self.code, "message": self.message, **self.extras}}


def not_found(what: str = "website") -> ApiError:
    """Make the 404 for an object that does not exist or belongs to another workspace. Callers cannot tell these cases
    apart."""
    return ApiError("not_found", f"There is no such {what}.")
