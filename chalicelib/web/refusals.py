"""Screens that explain a refusal in plain words and say how to continue."""

from typing import Final

from chalicelib.http.errors import ApiError
from chalicelib.operations.errors import Refused
from chalicelib.store import context
from chalicelib.web.page import Page
from chalicelib.web.replies import View

TEMPLATE: Final = "refused.html"
FORGED: Final = "not_from_here"  # the code of a form that none of our own pages posted
_STATUS: Final = {"not_allowed": 403, "not_found": 404, "rate_limited": 429, "busy": 409, FORGED: 403}
# Heading and text by code. A code that is not listed gets the texts of its status. None: show the API's reason.
_WORDS: Final[dict[str | int, tuple[str, str | None]]] = {
    FORGED: (
        "Not sent from here",
        "This form did not come from an open page of this app, or its page is too old. Nothing was changed. Go back, "
        "reload the page and send it again.",
    ),
    "site_not_covered": (
        "No access to this website",
        "You have no access to this website. An owner or admin of the workspace can give it to you.",
    ),
    "missing_scope": ("No access", "Your role in this workspace may only read. It may not change anything."),
    "not_allowed": ("No access", None),
    "idempotency_in_progress": (
        "Being done",
        "This form was sent a moment ago and is still being processed. Wait a few seconds, then look at the list.",
    ),
    "rate_limited": ("Too many requests", None),
    404: ("Not found", "There is nothing at this address, or it belongs to a workspace that you are not in."),
    405: ("Not possible here", "This address does not accept this request. Nothing was changed."),
    413: ("Too large", None),
    429: ("Busy", None),
    500: (
        "Something failed",
        "The service could not answer. Try again. If the error continues, report the number below.",
    ),
    502: ("No answer", None),
    503: ("Switched off", "This part of the service is switched off at present. Your data is safe; try again later."),
}
_OTHERWISE: Final = ("That is not possible", None)


def of_error(page: Page, error: ApiError) -> View:
    """Return the screen for a refusal of the API."""
    return _view(page, error.code, error.status, error.message, dict(error.headers))


def of_refusal(page: Page, refused: Refused) -> View:
    """Return the screen for a refusal of an operation."""
    wait = {} if refused.retry_after is None else {"Retry-After": str(refused.retry_after)}
    return _view(page, refused.code, _STATUS.get(refused.code, 409), refused.message, wait)


def of_status(page: Page, status: int, headers: dict[str, str] | None = None) -> View:
    """Return the screen for an HTTP status, if no more specific reason is known."""
    return _view(page, None, status, "", headers or {})


def forged(page: Page) -> View:
    """Return the screen for a form that was not sent by one of our own pages."""
    return _view(page, FORGED, 403, "", {})


def _view(page: Page, code: str | None, status: int, message: str, headers: dict[str, str]) -> View:
    heading, words = _WORDS.get(code or status) or _WORDS.get(status) or _OTHERWISE
    kept = {name: value for name, value in headers.items() if name in ("Retry-After", "Allow")}
    values = {
        "page": page,
        "title": heading,
        "text": words or message,
        "retry_after": kept.get("Retry-After"),
        "request_id": context.request_id.get() if status >= 500 else None,
        "with_site": code not in ("site_not_covered", "not_found") and status != 404,
    }
    return View(TEMPLATE, values, status, kept)
