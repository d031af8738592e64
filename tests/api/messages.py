"""All messages of errors in one table: what a request that is refused with a code reads.

``{}`` stands for what differs from request to request. A message names the parameter or member that is wrong as the
caller spells it, shows what was sent, and says what is accepted, in words of the service.
"""

import re

from tests.api.client import Received

SENT = "not `" + "x" * 59 + "…`."
WHOLE_NUMBER = "must be a whole number"
SCORE_NUMBER = "must be a number from 0 to 100 with at most one decimal"

MESSAGES: dict[str, tuple[str, ...]] = {
    "already_queued": (
        "A recheck of this issue is already queued or running.",
        "A run of this address on {} is already queued or running.",
    ),
    "already_running": ("A crawl of this website is already {}. Follow it under the address in `poll`{}.",),
    "analytics_no_access": ("{} Connect the property again, with the permission to read it.",),
    "analytics_not_connected": ("Nothing is connected.",),
    "analytics_quota": ("It is used up.",),
    "analytics_unavailable": ("It is out of order.",),
    "bad_against": (f"`against` must be text of 1 to 64 characters, {SENT}",),
    "bad_at": ("`at` must be a time such as 2026-11-22T02:00:00Z, not `yesterday`.",),
    "bad_body": ("The body must be an object with {}, not a list.",),
    "bad_category": (f"`category` must be a comma-separated list of {{}}, {SENT}",),
    "bad_changes_offset": (f"`changes_offset` {WHOLE_NUMBER} of 0 or more, {SENT}",),
    "bad_channel": (f"`channel` must be `organic` or `all`, {SENT}",),
    "bad_country": (f"`country` must be the three letters of a country (ISO 3166-1 alpha-3), {SENT}",),
    "bad_cursor": (
        "`cursor` does not belong to this request. `limit` and all other parameters must be the same as in the "
        "request before. If they are, the data has changed: start again without `cursor`.",
    ),
    "bad_days": (f"`days` must be 7, 28 or 90, {SENT}",),
    "bad_depth": (f"`depth` {WHOLE_NUMBER} of 0 or more, {SENT}",),
    "bad_detail": (f"`detail` must be `audits`, {SENT}",),
    "bad_device": (f"`device` must be `mobile`, `desktop` or `tablet`, {SENT}",),
    "bad_dimension": (f"`dimension` must be `query`, `page`, `query_page` or `date`, {SENT}",),
    "bad_format": (f"`format` must be {{}}, {SENT}",),
    "bad_idempotency_key": ("`Idempotency-Key` must be 1 to 255 visible ASCII characters, not `a b`.",),
    "bad_indexable": (f"`indexable` must be `true` or `false`, {SENT}",),
    "bad_json": ("The body is not JSON: it ends too early.",),
    "bad_limit": (f"`limit` {WHOLE_NUMBER} from 1 to {{}}, {SENT}",),
    "bad_max_loss": (f"`max_loss` {SCORE_NUMBER}, {SENT}",),
    "bad_min_pages": (f"`minPages` {WHOLE_NUMBER} from 1 to 50, {SENT}",),
    "bad_min_score": (f"`min_score` {SCORE_NUMBER}, {SENT}",),
    "bad_modified_at": ("`items[0].modifiedAt` must be a time such as 2026-11-22T02:00:00Z, not `yesterday`.",),
    "bad_no_new": (f"`no_new` must be `critical`, `high`, `medium` or `low`, {SENT}",),
    "bad_offset": (
        f"`offset` {WHOLE_NUMBER} of 0 or more, {SENT}",
        f"`offset` {WHOLE_NUMBER} from 0 to 10000, {SENT}",
    ),
    "bad_order": (f"`order` must be `asc` or `desc`, {SENT}",),
    "bad_page": (
        f"`page` {WHOLE_NUMBER} of 1 or more, {SENT}",
        f"`page` must be text of 1 to 2,048 characters, {SENT}",
    ),
    "bad_page_budget": ("`pageBudget` must be a whole number of 1 or more, not `0`.",),
    "bad_pages_limit": (f"`pages_limit` {WHOLE_NUMBER} from 1 to 1000, {SENT}",),
    "bad_pages_offset": (f"`pages_offset` {WHOLE_NUMBER} of 0 or more, {SENT}",),
    "bad_parameter": ("There is no query parameter `nonsense` here. Accepted: {}.",),
    "bad_per": (f"`per` {WHOLE_NUMBER} from 1 to 200, {SENT}",),
    "bad_period": (f"`{{}}` must be a date YYYY-MM-DD, {SENT}",),
    "bad_q": (f"`q` must be text of 0 to 500 characters, {SENT}",),
    "bad_rows": (f"`rows` must be `issues` or `pages`, {SENT}",),
    "bad_rule": (f"`rule` must be the id of a rule, such as SEO-ONP-001, {SENT}",),
    "bad_rules": ("`rules` {} twice.",),
    "bad_search_type": (f"`search_type` must be `web` or `image`, {SENT}",),
    "bad_severity": (f"`severity` must be a comma-separated list of `critical`, `high`, `medium`, `low`, {SENT}",),
    "bad_sort": (f"`sort` must be `{{}}`, {SENT}",),
    "bad_state": (f"`state` must be `active`, `paused`, `running` or `unaudited`, {SENT}",),
    "bad_status": (
        "`items[0].status` must be text of 1 to 50 characters, not `5`.",
        f"`status` must be a comma-separated list of `open`, {{}}, {SENT}",
        f"`status` must be an HTTP status such as 404, or a class of them such as 4xx, {SENT}",
    ),
    "bad_strategy": (
        "`strategy` must be `desktop` or `mobile`, not `tablet`.",
        f"`strategy` must be `mobile` or `desktop`, {SENT}",
    ),
    "bad_suggestions_limit": (f"`suggestions_limit` {WHOLE_NUMBER} from 1 to 100, {SENT}",),
    "bad_suggestions_offset": (f"`suggestions_offset` {WHOLE_NUMBER} of 0 or more, {SENT}",),
    "bad_template": (f"`template` must be text of 1 to 200 characters, {SENT}",),
    "bad_url": (
        "`changes[0].url` must be text, not `5`.",
        "`{}` must be an http or https address of acme.example, not `https://elsewhere.example/`.",
        "`url` must be a whole http or https address, not `shop.example`.",
        f"`url` must be text of 1 to 2,048 characters, {SENT}",
        "`url` must be the address of a host, such as `https://staging.example.com/`.",
    ),
    "bad_value": ("`changes[0].value` must be text, not `5`.", "`value` {}."),
    "bad_weeks": (f"`weeks` {WHOLE_NUMBER} from 1 to 12, {SENT}",),
    "budget_used": (
        "The 25 speed tests that this website may run in a day are used up; the next day begins at midnight UTC. {}",
    ),
    "busy": ("{} try again{}.",),
    "cannot_recheck": ("The issue is resolved: there is nothing to check again. The next audit looks for it.",),
    "cms_not_connected": ("The website is connected to no CMS: {}.",),
    "cms_not_writable": ("The connection can be read but not written.",),
    "preview_running": ("A preview of this website is queued or running. Follow it at `poll`.",),
    "too_many_previews": ("At most 20 previews of a website can be started in 24 hours.",),
    "bad_headers": ("`headers` cannot set Host, because the crawler sets it.",),
    "bad_basic_auth": (
        "`basicAuth` must be a user name without a colon and a password, of printable characters, together at most "
        "1,000.",
    ),
    "export_running": ("An export of this website is queued or running. Follow it at `poll`.",),
    "field_not_supported": ("Nothing can be written for this issue: {}.",),
    "idempotency_in_progress": ("The first request with this Idempotency-Key is still running.",),
    "idempotency_mismatch": ("This Idempotency-Key was sent before with another body: send a new key.",),
    "internal": ("The service failed to answer.",),
    "missing_scope": ("This key does not have the scope {}.",),
    "no_change": ("{}, so there is nothing to remove.",),
    "no_changes": ("`changes` is empty; {}.",),
    "not_a_cms_post": ("{} is not a published content item that the CMS has sent to the service.",),
    "not_applied": ("{} it is empty.",),
    "not_kept": (
        "No audit before this one is stored; name another audit as `against`.",
        "No results of crawl_old{} are stored: {}it ended over 400 days ago.",
        "The results of crawl_old are no longer stored: it ended over 400 days ago.",
        "No results of the preview are stored: it has not ended, or it judged nothing.",
    ),
    "not_found": ("There is no such website.", "This server has no release notes."),
    "not_stored": ("`country` and `device` are only for days: send `dimension=date` with them.",),
    "other_host": ("`url` must be an address of acme.example, not `https://elsewhere.example/`.",),
    "over_plan_limit": ("`pageBudget` is 501; your plan reads at most 500 pages per audit.",),
    "owner_lost_access": ("The person who owns this key has left the workspace or may not use keys.",),
    "period_too_long": ("`{}=2026-01-01` must lie at most 16 months after `{}=2020-01-01`.",),
    "rate_limited": ("The key's 1200 requests of this hour are used up; the next hour begins at {}.",),
    "search_not_connected": ("The website is connected to no search data.",),
    "site_not_covered": ("This key does not cover the website.",),
    "switched_off": ("The API or this part of it is switched off at present.",),
    "too_large": ("The body has {} bytes; at most {} are read.",),
    "too_long": ("`value` has 60001 characters; at most 60000 are published.",),
    "too_many_audits": ("At most 3 audits of a website can be started through the API in 24 hours.",),
    "too_many_changes": ("501 changes were sent; at most 500 at once.",),
    "too_many_items": ("With these items, the website would have 1 items; at most 0 items are stored. {}",),
    "too_many_rows": ("The file would have more than {} characters. Use the filters to request a part of it.",),
    "too_many_runs": ("3 runs of this website are already waiting; ask again when one has ended.",),
    "too_many_waiting": ("100 batches of this website are already waiting. {}",),
    "unauthorized": ("Send your API key as `Authorization: Bearer <key>`.",),
    "unknown_crawler": ("{} is not a crawler in the list of `GET …/geo/ai-crawlers`.",),
    "unsupported_media_type": ("`Content-Type` must be `application/json`, not `text/plain`.",),
}
# How libraries and Python speak of what is wrong.
_FOREIGN = re.compile(r"Expected|\bgot\b|Invalid|\benum\b|\bfield `|Traceback|\bNone\b|\$\.|\[\.\.\.\]|Error\b")
LONGEST = 500


def check(received: Received) -> None:
    """Fails where the message of a refusal is not one of the table, or does not name what is wrong."""
    error = received.json["error"]
    code, message, param = error["code"], error["message"], error.get("param")
    assert any(_pattern(template).fullmatch(message) for template in MESSAGES[code]), message
    assert message.isprintable() and message.endswith((".", "true.")) and len(message) <= LONGEST
    assert _FOREIGN.search(message) is None, message
    assert param is None or f"`{param}`" in message or f"`{param}=" in message or code == "bad_parameter", message


def _pattern(template: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, template.split("{}"))))
