"""Writes the JSON logs of all modules, each line with the request id of the current request, message or schedule.

The keys of log lines are stored per thread. They are cleared when the next request, message or schedule begins, so that
its log does not show old keys. Headers and bodies are never logged, so that no API key reaches a log.
"""

import logging

from aws_lambda_powertools.logging import Logger

from chalicelib.settings.core import core_settings

_logger = Logger(service="chalicelib", level=core_settings().log_level, utc=True, use_rfc3339=True)
_requests = logging.getLogger("chalicelib.requests")


def begin(request_id: str | None, **keys: object) -> None:
    """Clear all log keys, and set those of a new request, message or schedule."""
    _logger.thread_safe_clear_keys()
    _logger.thread_safe_append_keys(requestId=request_id, **keys)


def add(**keys: object) -> None:
    """Add log keys for the rest of this request, message or schedule."""
    _logger.thread_safe_append_keys(**keys)


def answered(status: int, milliseconds: float) -> None:
    """Log one line for an answered request."""
    _requests.info("answered", extra={"status": status, "ms": round(milliseconds, 1)})
