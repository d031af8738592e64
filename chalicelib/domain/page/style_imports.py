"""Finds the imports of a style sheet.

``@import`` counts only before the first rule of a style sheet. So only the beginning of the sheet is read, in one pass
and without backtracking.
"""

from typing import Final

MOST_IMPORTS: Final = 20
_MOST_READ: Final = 100_000  # characters
_LONGEST_ADDRESS: Final = 2_048
_SPACE: Final = " \t\r\n\f"
_IMPORT: Final = "@import"
# Statements that may come before or between imports.
_BESIDE: Final = ("@charset", "@layer")


def imports_of(sheet: str) -> list[str]:
    """Return the addresses that the sheet imports, as written, each once and in order."""
    text = sheet.removeprefix("\ufeff")[:_MOST_READ]
    found: dict[str, None] = {}
    at = _skipped(text, 0)
    while at < len(text) and len(found) < MOST_IMPORTS:
        word = text[at : at + len("@charset")].lower()
        if word.startswith(_IMPORT):
            at = _skipped(text, at + len(_IMPORT))
            address, at = _address(text, at)
            if address:
                found[address] = None
        elif not word.startswith(_BESIDE):
            break
        end = _end_of_statement(text, at)
        if end is None:
            break
        at = _skipped(text, end)
    return list(found)


def _skipped(text: str, at: int) -> int:
    """Return the first position from ``at`` on that is not white space, a comment or an HTML comment's sign."""
    while at < len(text):
        if text[at] in _SPACE:
            at += 1
        elif text.startswith("/*", at):
            end = text.find("*/", at + 2)
            at = len(text) if end < 0 else end + 2
        elif text.startswith("<!--", at):
            at += 4
        elif text.startswith("-->", at):
            at += 3
        else:
            break
    return at


def _address(text: str, at: int) -> tuple[str, int]:
    """Return the address of a string or url(…) that begins here ("" if there is none), and the position after it."""
    is_url = text[at : at + 4].lower() == "url("
    if is_url:
        at = _skipped(text, at + 4)
    quote = text[at : at + 1]
    if quote in ("'", '"'):
        end = text.find(quote, at + 1)
        line = text.find("\n", at + 1, end) if end > 0 else -1
        if end < 0 or line > 0:
            return "", at
        written = text[at + 1 : end]
        at = end + 1
    elif is_url:
        end = text.find(")", at)
        if end < 0:
            return "", at
        written = text[at:end].strip(_SPACE)
        at = end
    else:
        return "", at
    # An address with CSS escapes, or one that is too long, is ignored.
    usable = len(written) <= _LONGEST_ADDRESS and "\\" not in written
    return (written if usable else ""), at


def _end_of_statement(text: str, at: int) -> int | None:
    """Return the position after the semicolon that ends a statement; None if a block begins or the text ends first."""
    while at < len(text):
        sign = text[at]
        if sign == ";":
            return at + 1
        if sign == "{":
            return None
        if sign in "'\"":
            end = text.find(sign, at + 1)
            if end < 0:
                return None
            at = end + 1
        elif text.startswith("/*", at):
            at = _skipped(text, at)
        else:
            at += 1
    return None
