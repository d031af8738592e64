"""Data about the current request, available anywhere in the code that answers it."""

from contextvars import ContextVar

# The X-Request-Id of the request being answered, or of the one that started the job being run.
request_id: ContextVar[str | None] = ContextVar("request_id", default=None)

# The app's address for the caller; None if there is no caller, or only the path is known.
app_address: ContextVar[str | None] = ContextVar("app_address", default=None)
