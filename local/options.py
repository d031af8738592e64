"""Reads the variables of ``make run``."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

DEFAULT_PORT = 8000
DEFAULT_FOLDER = ".local"


class BadOption(Exception):
    """Raised if a variable has an unusable value. The message names the variable and the accepted values."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the local service.

    - ``site``: the address of the website to audit; None for the demo website.
    - ``state``: the folder for data that is kept across runs; None if nothing is kept.
    - ``demo_ports``: the ports of the demo websites ``faulty`` and ``clean``; free ports by default.
    """

    port: int = DEFAULT_PORT
    site: str | None = None
    once: bool = False
    pages: int | None = None
    folder: Path = Path(DEFAULT_FOLDER)
    state: Path | None = None
    demo_ports: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def read(cls, variables: Mapping[str, str] = os.environ) -> "Options":
        """Read the options from the environment. Raises ``BadOption``."""
        site = variables.get("SITE") or None
        if site is not None and not re.match(r"https?://[^/\s]", site):
            site = f"https://{site}"
        state = variables.get("STATE") or None
        return cls(
            port=_number(variables, "PORT", DEFAULT_PORT, 0, 65535) or 0,
            site=site,
            once=(variables.get("ONCE") or "0") not in ("0", "no", "false"),
            pages=_number(variables, "PAGES", None, 1, 10000),
            folder=Path(variables.get("LOCAL_DIR") or DEFAULT_FOLDER),
            state=Path(state) if state else None,
        )


def _number(variables: Mapping[str, str], name: str, default: int | None, smallest: int, largest: int) -> int | None:
    given = variables.get(name)
    if not given:
        return default
    if not given.isdecimal() or not smallest <= int(given) <= largest:
        raise BadOption(f"{name} is {given!r}, but must be a whole number from {smallest} to {largest}")
    return int(given)
