"""Declares settings, and reads them from the environment once per process."""

import os
from dataclasses import field, fields
from typing import Any, TypeVar

Subject = TypeVar("Subject")

_read: dict[type, Any] = {}


def setting(name: str, default: str, help_text: str) -> str:
    """Declare a setting. Its value is the unchanged text of an environment variable."""
    return field(default=default, metadata={"env": name, "help": help_text})


def secret(name: str, help_text: str) -> str:
    """Declare a secret setting. ``repr`` does not show its value, so that the value gets into no log and no
    traceback."""
    return field(default="", repr=False, metadata={"env": name, "help": help_text})


def read(subject: type[Subject]) -> Subject:
    """Return the settings of a subject (a dataclass of ``setting`` fields). The environment is read at the first call.
    The settings are then cached."""
    found: Subject | None = _read.get(subject)
    if found is None:
        values = {}
        for item in fields(subject):  # type: ignore[arg-type]
            raw = os.environ.get(item.metadata["env"])
            if raw is not None:
                values[item.name] = raw
        found = _read[subject] = subject(**values)
    return found


def settle_region() -> None:
    """If only AWS_REGION is set, copy its value to AWS_DEFAULT_REGION, because botocore reads only that variable."""
    region = os.environ.get("AWS_REGION")
    if region:
        os.environ.setdefault("AWS_DEFAULT_REGION", region)


def forget_settings() -> None:
    """Forget all cached settings, so that the next call reads them again.

    Used by code that changes the environment of a running process: tests and the local service.
    """
    _read.clear()
