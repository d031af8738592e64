"""The app's cookies: the session's secret, the last chosen workspace, and the page to open after signing in.

Over https, the cookies have the attribute ``Secure``. Their names have the prefix ``__Host-``, which binds them to this
exact host. The path is always ``/``, because API Gateway may put the name of its stage before the app's paths.
"""

from typing import Final

SESSION: Final = "wos-session"
WORKSPACE: Final = "wos-workspace"
NEXT: Final = "wos-next"
SECONDS: Final = 30 * 86_400  # the longest life of a session
_LONGEST: Final = 2_048


def read(sent: str, name: str, secure: bool) -> str | None:
    """Return the value of a cookie in a Cookie header, or None. If the name occurs twice, the first value counts."""
    wanted = _name(name, secure)
    for part in sent.split(";"):
        found, _, value = part.strip().partition("=")
        if found == wanted:
            return value if 0 < len(value) <= _LONGEST else None
    return None


def kept(name: str, value: str, secure: bool, seconds: int = SECONDS) -> str:
    """Return the header that sets the cookie, so that the browser stores it."""
    return _header(name, value, secure, seconds)


def forgotten(name: str, secure: bool) -> str:
    """Return the header that removes the cookie."""
    return _header(name, "", secure, 0)


def _header(name: str, value: str, secure: bool, seconds: int) -> str:
    written = f"{_name(name, secure)}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax"
    return f"{written}; Secure" if secure else written


def _name(name: str, secure: bool) -> str:
    return f"__Host-{name}" if secure else name
