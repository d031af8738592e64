"""The type of a check, as docs/connector.md describes the checks. Each check restores the values that it changed.

A check takes a paired ``Connector``, and raises ``Wrong`` if it fails. Its docstring is printed: it states what is true
if the check passes. ``change`` says what to change in the connector if the check fails.
"""

from collections.abc import Callable
from typing import NamedTuple

from conformance.connector import Answer, Connector, Wrong


class Check(NamedTuple):
    """One check. ``needs``: a field or file that the connector's ``status`` must list; "" if the check needs none."""

    run: Callable[[Connector], None]
    section: str
    change: str
    needs: str

    @property
    def says(self) -> str:
        return " ".join((self.run.__doc__ or "").split())


def adding_to(checks: list[Check]) -> Callable[..., Callable[[Callable[[Connector], None]], None]]:
    """Return a decorator that appends the decorated function to ``checks``."""

    def check(section: str, change: str, needs: str = "") -> Callable[[Callable[[Connector], None]], None]:
        def add(run: Callable[[Connector], None]) -> None:
            checks.append(Check(run, section, change, needs))

        return add

    return check


def expect(holds: object, seen: str) -> None:
    """Raise ``Wrong`` if ``holds`` is false. The error's text is ``seen``."""
    if not holds:
        raise Wrong(seen)


def is_error(answer: Answer, status: int, *codes: str) -> bool:
    """Whether the answer is an error with this status and, if codes are given, one of these codes."""
    content = answer.content or {}
    texts = isinstance(content.get("code"), str) and isinstance(content.get("message"), str)
    return answer.status == status and texts and (not codes or content["code"] in codes)
