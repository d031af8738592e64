"""Makes the tables of docs/webhooks.md: when each event is sent, and the members that its body adds."""

import json
from collections.abc import Mapping
from typing import Any

from chalicelib.domain.webhooks import kinds
from documents import openapi, schemas
from documents.blocks import table


def parts() -> dict[str, str]:
    """Return the generated parts of the page: name -> Markdown."""
    every = tuple(kinds.BY_NAME.values())
    shapes: dict[type[kinds.Members], list[kinds.EventKind]] = {}
    for event in every:
        shapes.setdefault(event.members, []).append(event)
    return {
        "events": table(("Event", "Sent when"), ((f"`{event.name}`", event.sent_when) for event in every)),
        "common-members": _members(kinds.CommonMembers, every[0]),
        "members": "\n".join(
            f"### {', '.join(f'`{event.name}`' for event in events)}\n\n{_members(members, events[0])}"
            for members, events in shapes.items()
        ),
    }


def _members(members: type[kinds.Members], event: kinds.EventKind) -> str:
    """The members of an event's body, with the values of the event's example."""
    schema = openapi.document()["components"]["schemas"][members.__name__]
    example = event.example_body()
    rows = []
    for member in schemas.members(schema):
        value = _value(example, member.name)
        shown = "" if isinstance(value, dict | list) else f"`{json.dumps(value, ensure_ascii=False)}`"
        rows.append((f"`{member.name}`", _holds(member), shown))
    return table(("Member", "Holds", "For example"), rows)


def _holds(member: schemas.Member) -> str:
    if member.kind == "object" and member.about:
        return member.about
    return f"{member.kind}: {member.about}" if member.about else member.kind


def _value(example: Mapping[str, Any], path: str) -> Any:
    """The example's value at a path. For a list, the value in its first item."""
    value: Any = example
    for name in path.split("."):
        value = value[name.removesuffix("[]")]
        if name.endswith("[]"):
            value = value[0]
    return value
