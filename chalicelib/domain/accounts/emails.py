"""E-mail addresses as people type them."""

import re

MAX_LENGTH = 254
_CHARACTERS = r"[^\s@<>()\[\],;:\"\\\x00-\x1f\x7f"  # without the closing bracket: each part excludes further characters
_ADDRESS = re.compile(rf"{_CHARACTERS}]{{1,64}}@(?:{_CHARACTERS}.]+\.)+{_CHARACTERS}.]{{2,}}")

_HOST = re.compile(r"(?:[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9-]{2,63}")


def cleaned(address: str) -> str | None:
    """Return the address without spaces around it; None if it cannot be an e-mail address."""
    address = address.strip()
    if len(address) > MAX_LENGTH or _ADDRESS.fullmatch(address) is None:
        return None
    return address


def deliverable(address: str) -> str | None:
    """Return the address as mail headers need it: in ASCII, with its domain encoded (IDNA).

    Returns None if no mail can be sent to it, for example because the part before the @ is not ASCII.
    """
    found = cleaned(address)
    if found is None:
        return None
    local, _, domain = found.rpartition("@")
    try:
        host = domain.encode("idna").decode("ascii")
    except UnicodeError:
        return None
    written = f"{local}@{host}"
    return written if local.isascii() and len(written) <= MAX_LENGTH and _HOST.fullmatch(host) else None
