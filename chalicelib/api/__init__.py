"""The API's endpoints: one module for each group, whose ``group`` holds the declarations."""

from collections.abc import Iterable
from importlib import import_module
from typing import Final

from chalicelib.http.endpoints import Group

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
    "content",
)


def load(name: str) -> Group:
    """A group of endpoints; only the modules that it needs are imported."""
    group: Group = import_module(f"chalicelib.api.{name}").group
    return group


class UnknownGroup(ValueError):
    """A setting names a group of endpoints that there is not; the text is for the operator."""


def chosen(endpoint_groups: str, switched_off: Iterable[str] = ()) -> list[Group]:
    """The groups that the setting ``ENDPOINT_GROUPS`` names: comma-separated, or ``all``, or ``none``.

    ``switched_off``: what ``SWITCHED_OFF`` names, of which nothing may be misspelt either. Raises ``UnknownGroup``.
    """
    every = {"all": GROUPS, "none": ()}
    names = every.get(endpoint_groups, tuple(name.strip() for name in endpoint_groups.split(",")))
    _check("ENDPOINT_GROUPS", names, GROUPS)
    _check("SWITCHED_OFF", switched_off, (*GROUPS, "api"))
    return [load(name) for name in names]


def _check(setting: str, names: Iterable[str], known: tuple[str, ...]) -> None:
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise UnknownGroup(f"{setting} names {unknown[0]!r}; there are {', '.join(known)}.")
