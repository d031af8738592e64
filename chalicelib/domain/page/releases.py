"""Recognises pages of release notes for one version."""

import re
from typing import Final

# "Tents Release 3.6.1", "Changes in Tents v2.0", "What's new in 1.4".
_RELEASE: Final = re.compile(
    r"\b(?:releases?|release notes|changes|changelog|what['’]s new|news|versionshinweise|änderungen|notes de version"
    r"|nouveautés|novedades|cambios|note di rilascio|novità)\b[^.]{0,60}?\bv?\d{1,4}\.\d",
    re.IGNORECASE,
)


def names_release(text: str) -> bool:
    """Whether a title or heading belongs to release notes for one version."""
    return _RELEASE.search(text) is not None
