"""The tool that writes new values. Two calls are needed: the first shows the new values and the current ones, the
second approves the new ones."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

import msgspec

from chalicelib.api import operations
from chalicelib.domain.printable import printable
from chalicelib.http import answers, idempotency
from chalicelib.http.answers import Answer
from chalicelib.mcp import confirming
from chalicelib.mcp.shortening import Found, Json, pick
from chalicelib.mcp.tool import ISSUE, SITE, Asked, Refusal, Tool

MOST: Final = 20
OPERATION: Final = "apply_changes"
_STEP: Final = 100  # suggestions per request, when current values are looked up
_LOOKS: Final = 10
_LONGEST_OLD: Final = 200  # characters of a current value, shown with the new one
_MOST_NEW: Final = 15_000  # bytes of addresses and new values, which are never cut
_UNWRITTEN: Final = "This service cannot write the field of this issue. `fix` of get_issue says how to fix it."


def run(asked: Asked) -> Found:
    """Show the changes that would be written. If the call has the token, approve these changes."""
    changes = asked.arguments["changes"]
    if len({one["url"] for one in changes}) < len(changes):
        raise Refusal("bad_arguments", "`changes` names an address twice.", param="changes")
    if len(msgspec.json.encode(changes)) > _MOST_NEW:
        raise Refusal(
            "too_many_changes", "These values are too long to be shown at once: send fewer of them in a call."
        )
    token = asked.arguments.get("confirmToken")
    return _shown(asked, changes) if token is None else _approved(asked, changes, token)


def _path(asked: Asked) -> dict[str, str]:
    return {**asked.site, "issueId": asked.arguments["issueId"]}


def _binding(asked: Asked, changes: list[Json]) -> list[str]:
    """Return the parts to which a token is bound: this key, this issue and these values."""
    path, values = _path(asked), [[one["url"], one["value"]] for one in changes]
    return [asked.asker.auth.key_id, path["siteId"], path["issueId"], msgspec.json.encode(values).decode()]


def _shown(asked: Asked, changes: list[Json]) -> Found:
    wanted = {one["url"] for one in changes}
    known: dict[str, Json] = {}
    offset: int | None = 0
    for _ in range(_LOOKS):
        sent = {"suggestions_offset": offset, "suggestions_limit": _STEP, "pages_limit": 1}
        answer = asked.ask("read_issue", _path(asked), sent)
        if "suggestions" not in answer:
            raise Refusal("field_not_supported", _UNWRITTEN)
        known |= {one["url"]: one for one in answer["suggestions"] if one["url"] in wanted}
        offset = answer["suggestionsNextOffset"]
        if offset is None or len(known) == len(wanted):
            break
    shown = [_beside(one, known.get(one["url"])) for one in changes]
    return Found(
        members={
            "nothingWrittenYet": True,
            **pick(answer, "id", "title", "writableField", "link"),
            "changes": shown,
            "confirmToken": confirming.token(_binding(asked, changes), asked.now),
            "next": "Show the person old and new values. If they agree, call again within ten minutes with the same "
            "changes and confirmToken.",
        }
    )


def _beside(change: Json, known: Mapping[str, Any] | None) -> Json:
    """Return a change with its page's current value. That value is unknown if the issue does not list the page."""
    if known is None:
        return {"url": change["url"], "old": "unknown: the issue does not list this page", "new": change["value"]}
    old = "none" if known["current"] is None else printable(known["current"], _LONGEST_OLD)
    return {
        "url": change["url"],
        "old": old,
        "new": change["value"],
        "notWritableReason": known.get("notWritableReason"),
    }


def _approved(asked: Asked, changes: list[Json], token: str) -> Found:
    confirming.check(token, _binding(asked, changes), asked.now)
    endpoint, path = operations()[OPERATION], _path(asked)
    body = {"changes": changes}

    def write() -> Answer:
        return asked.asker.answer(endpoint, path, body=body)

    # A reused token returns the result of its first use.
    scope = (asked.asker.auth.key_id, endpoint.method, endpoint.path.format(**path), sha256(token.encode()).hexdigest())
    answer = idempotency.once(scope, answers.encode(body).encode(), asked.now, write)
    found: Json = msgspec.json.decode(answer.body)
    follow = found["poll"].rpartition("/")[2]
    return Found(members={**pick(found, "approved", "batchId", "note"), "jobId": follow, "link": found["link"]})


TOOL: Final = Tool(
    name="apply_changes",
    about="Write new values of an issue's field through the website's CMS. Call first without confirmToken: it shows "
    "old and new values and a token, and writes nothing. Show them to the person; call again with the same changes and "
    "the token. Follow with get_job and jobId. Can be undone in the app for 30 days.",
    scopes=("issues:read", "actions:apply"),
    run=run,
    properties={
        "siteId": SITE,
        "issueId": ISSUE,
        "changes": {
            "type": "array",
            "minItems": 1,
            "maxItems": MOST,
            "items": {
                "type": "object",
                "properties": {
                    "url": {"type": "string", "maxLength": 2_048},
                    "value": {"type": "string", "maxLength": 2_048},
                },
                "required": ["url", "value"],
                "additionalProperties": False,
            },
        },
        "confirmToken": {"type": "string", "maxLength": 512},
    },
    required=("siteId", "issueId", "changes"),
    writes=True,
    destructive=True,
)
