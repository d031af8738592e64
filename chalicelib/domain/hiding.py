"""Removes secrets from texts of outside systems before the texts are cut, shown or logged."""

import re
from collections.abc import Mapping
from typing import Final

# A secret is compared by its visible ASCII characters. Anything between them, such as a joiner, is skipped.
_BETWEEN: Final = re.compile("[^!-~]*+")
_FEW: Final = 6
_MANY: Final = 8


def without(text: str, secrets: Mapping[str, str]) -> str:
    """Replace each secret in the text with the placeholder that it maps to.

    The sender of the text may have cut a secret. A part that is only the beginning of a secret is therefore replaced
    too, if it is long enough: 8 characters, or half of a secret of fewer than 16 characters, but never fewer than 6.
    """
    for secret, mark in sorted(secrets.items(), key=lambda pair: -len(pair[0])):
        if secret:
            text = _replaced(text.replace(secret, mark), _BETWEEN.sub("", secret), mark, secret)
    return text


def _replaced(text: str, visible: str, mark: str, secret: str) -> str:
    least = min(len(visible), max(_FEW, min(_MANY, len(visible) // 2)))
    if least < _FEW and visible != secret:
        return text  # the secret has too few ASCII characters: they would occur in any text
    if not set(visible[:least]) <= set(text):
        return text  # most texts; compiling a pattern for each secret would cost more than all else here
    begins = re.compile(_BETWEEN.pattern.join(map(re.escape, visible[:least])))
    kept: list[str] = []
    done = 0
    while found := begins.search(text, done):
        kept += (text[done : found.start()], mark)
        done = _end(text, found.end(), visible[least:])
    return "".join((*kept, text[done:]))


def _end(text: str, at: int, rest: str) -> int:
    """Return the position where the secret ends if ``rest`` continues it."""
    for character in rest:
        passed = _BETWEEN.match(text, at)
        here = at if passed is None else passed.end()
        if text[here : here + 1] != character:
            break
        at = here + 1
    return at
