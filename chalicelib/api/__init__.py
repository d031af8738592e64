"""The API's endpoints. Each group of endpoints has one module; its variable ``group`` holds the declarations."""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import Final

from chalicelib.http.endpoints import Endpoint, Group

GROUPS: Final = (
    "public",
    "sites",
    "issues",
    "actions",
    "pages",
    "search",
    "topics",
    "analytics",
    "readiness",
    "visibility",
    "agentic",
    "audits",
    "previews",
    "exports",
    "content",
)


# Rooms: parts of the service outside the API that a function may serve. app.py defines them.
ROOMS: Final = ("mcp", "web")


def load(name: str) -> Group:
    """Load a group of endpoints, importing only the modules that it needs."""
    group: Group = import_module(f"chalicelib.api.{name}").group
    return group


@cache
def operations() -> Mapping[str, Endpoint]:
    """Import all groups, and return every endpoint by the name of its operation. For code that calls endpoints in this
    process, without HTTP."""
    return {endpoint.operation_id: endpoint for name in GROUPS for endpoint in load(name).endpoints}


class UnknownGroup(ValueError):
    """Raised when a setting names an unknown endpoint group. The message is shown to the operator."""


def chosen(endpoint_groups: str, switched_off: Iterable[str] = ()) -> list[Group]:
    """Return the endpoint groups that the setting ``ENDPOINT_GROUPS`` selects: names separated by commas, ``all`` or
    ``none``.

    The setting may also name ``web`` and ``mcp``. These are no endpoint groups, so the result leaves them out.
    ``switched_off``: the names in the setting ``SWITCHED_OFF``, which are checked but do not change the result. Raises
    ``UnknownGroup`` for an unknown name in either setting.
    """
    names = _names(endpoint_groups)
    _check("ENDPOINT_GROUPS", names, (*GROUPS, *ROOMS))
    _check("SWITCHED_OFF", switched_off, (*GROUPS, *ROOMS, "api"))
    return [load(name) for name in names if name not in ROOMS]


def serves(room: str, endpoint_groups: str) -> bool:
    """Whether the setting ``ENDPOINT_GROUPS`` includes ``room``, a part of the service outside the API: ``web`` (the
    app) or ``mcp`` (the Model Context Protocol)."""
    return room in _names(endpoint_groups)


def _names(endpoint_groups: str) -> tuple[str, ...]:
    every = {"all": (*GROUPS, *ROOMS), "none": ()}
    return every.get(endpoint_groups, tuple(name.strip() for name in endpoint_groups.split(",")))


def _check(setting: str, names: Iterable[str], known: tuple[str, ...]) -> None:
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise UnknownGroup(f"{setting} names the unknown group {unknown[0]!r}; the groups are {', '.join(known)}.")
