"""Regular expressions mean the same on every Python that the service runs on.

Up to 3.11.4 (Debian 12 has 3.11.2) a group that gives nothing back ("(?:a|bc)*+", "(?>…)") could fail to match where it
must. A class of characters that gives nothing back ("[ab]*+") is safe.
"""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from re import _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

import chalicelib
import host

_CLASSES = {"LITERAL", "NOT_LITERAL", "IN", "ANY"}


def patterns() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Every pattern that a module holds, also inside of what it holds, with the name it is held by."""
    for package in (chalicelib, host):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not found.name.endswith("__main__"):
                for name, value in vars(importlib.import_module(found.name)).items():
                    yield from within(f"{found.name}.{name}", value)


def within(name: str, value: object) -> Iterator[tuple[str, re.Pattern[Any]]]:
    if isinstance(value, re.Pattern):
        yield name, value
    elif isinstance(value, dict):
        for each in value.values():
            yield from within(name, each)
    elif isinstance(value, tuple | list | set | frozenset) and not isinstance(value, str):
        for each in value:
            yield from within(name, each)


def unsafe(parsed: Any) -> bool:
    """Whether a group gives nothing back, in a pattern or a part of one as Python's own parser has read it."""
    if isinstance(parsed, _parser.SubPattern):
        return any(map(unsafe, parsed))
    if not isinstance(parsed, tuple | list):
        return False
    if len(parsed) == 2 and str(parsed[0]) == "ATOMIC_GROUP":
        return True
    if len(parsed) == 2 and str(parsed[0]) == "POSSESSIVE_REPEAT":
        _, _, body = parsed[1]
        return not (len(body) == 1 and str(body[0][0]) in _CLASSES)
    return any(map(unsafe, parsed))


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        *(("a++", False), ("[ab]{1,3}+c", False), ("(?:ab)*", False)),
        *(("(?:ab)*+", True), ("x(?:a|bc)?+y", True), ("(?>a|b)", True)),
        *(("(?P<n>(?:a(?:b|cd){2}+))", True), (r"(?=(?:\s\d)++)", True)),
    ],
)
def test_unsafe_patterns_are_recognised(pattern: str, expected: bool) -> None:
    assert unsafe(_parser.parse(pattern)) is expected


def test_every_regular_expression_is_safe() -> None:
    found = list(patterns())
    assert len(found) > 300
    assert [name for name, pattern in found if unsafe(_parser.parse(pattern.pattern, pattern.flags))] == []
