"""The tables of docs/webhooks.md: when each event is sent, and the members that its body adds."""

import json
from collections.abc import Mapping
from typing import Any

from chalicelib.domain.webhooks import bodies, documentation
from documents import openapi, schemas
from documents.blocks import table


def parts() -> dict[str, str]:
    """The generated parts of the page."""
    events = ((f"`{kind}`", documentation.SENT_WHEN[kind]) for kind in bodies.MEMBERS)
    shapes: dict[type[bodies.Members], list[str]] = {}
    for kind, members in bodies.MEMBERS.items():
        shapes.setdefault(members, []).append(kind)
    return {
        "events": table(("Event", "Sent when"), events),
        "common-members": _members(bodies.CommonMembers, next(iter(bodies.MEMBERS))),
        "members": "\n".join(
            f"### {', '.join(f'`{kind}`' for kind in kinds)}\n\n{_members(members, kinds[0])}"
            for members, kinds in shapes.items()
        ),
    }


def _members(members: type[bodies.Members], kind: str) -> str:
    """The members of a body; the examples are those of the event ``kind``."""
    schema = openapi.document()["components"]["schemas"][members.__name__]
    example = documentation.EXAMPLES[kind]
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
    """What the example holds at a path; of a list its first."""
    value: Any = example
    for name in path.split("."):
        value = value[name.removesuffix("[]")]
        if name.endswith("[]"):
            value = value[0]
    return value
