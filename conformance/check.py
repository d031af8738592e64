"""A check of docs/connector.md that can be made from outside. Each restores the values that it changed.

A check takes a paired ``Connector`` and raises ``Wrong``. Its docstring states what holds if it passes; ``change`` says
what to change if it fails.
"""

from collections.abc import Callable
from typing import NamedTuple

from conformance.connector import Answer, Connector, Wrong


class Check(NamedTuple):
    """``needs``: a field or file that ``status`` has to name, or "" if the check needs none."""

    run: Callable[[Connector], None]
    section: str
    change: str
    needs: str

    @property
    def says(self) -> str:
        return " ".join((self.run.__doc__ or "").split())


def adding_to(checks: list[Check]) -> Callable[..., Callable[[Callable[[Connector], None]], None]]:
    """A decorator that adds the function below it to these checks."""

    def check(section: str, change: str, needs: str = "") -> Callable[[Callable[[Connector], None]], None]:
        def add(run: Callable[[Connector], None]) -> None:
            checks.append(Check(run, section, change, needs))

        return add

    return check


def expect(holds: object, seen: str) -> None:
    """Raises ``Wrong`` with what was seen, unless it holds."""
    if not holds:
        raise Wrong(seen)


def is_error(answer: Answer, status: int, *codes: str) -> bool:
    """Whether the answer is an error of this status and, if codes are given, with one of them."""
    content = answer.content or {}
    texts = isinstance(content.get("code"), str) and isinstance(content.get("message"), str)
    return answer.status == status and texts and (not codes or content["code"] in codes)
