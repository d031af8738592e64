"""What is known of the request that is answered, wherever in its course."""

from contextvars import ContextVar

# The X-Request-Id of the request being answered, or of the one that started the job being run.
request_id: ContextVar[str | None] = ContextVar("request_id", default=None)

# The app's address as whoever asks reaches it; None: nobody asks, or only its path is known.
app_address: ContextVar[str | None] = ContextVar("app_address", default=None)
