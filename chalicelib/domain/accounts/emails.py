"""E-mail addresses as people type them."""

import re

MAX_LENGTH = 254
_CHARACTERS = r"[^\s@<>()\[\],;:\"\\\x00-\x1f\x7f"  # open: what a part may not hold stands behind it
_ADDRESS = re.compile(rf"{_CHARACTERS}]{{1,64}}@(?:{_CHARACTERS}.]+\.)+{_CHARACTERS}.]{{2,}}")


def cleaned(address: str) -> str | None:
    """The address without spaces around it; None when it cannot be one."""
    address = address.strip()
    if len(address) > MAX_LENGTH or _ADDRESS.fullmatch(address) is None:
        return None
    return address
