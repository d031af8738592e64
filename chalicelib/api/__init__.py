"""The API's endpoints: one module for each group, whose ``group`` holds the declarations."""

from importlib import import_module
from typing import Final

from chalicelib.http.endpoints import Group

GROUPS: Final = ("public", "sites", "issues", "actions", "pages", "readiness", "audits", "content")


def load(name: str) -> Group:
    """A group of endpoints; only the modules that it needs are imported."""
    group: Group = import_module(f"chalicelib.api.{name}").group
    return group


def chosen(setting: str) -> list[Group]:
    """The groups that the setting ``ENDPOINT_GROUPS`` names: comma-separated, or ``all``."""
    names = GROUPS if setting == "all" else tuple(name.strip() for name in setting.split(","))
    unknown = sorted(set(names) - set(GROUPS))
    if unknown:
        raise ValueError(f"ENDPOINT_GROUPS names {unknown[0]!r}; there are {', '.join(GROUPS)}")
    return [load(name) for name in names]
