"""What a request hands on to the jobs that it starts."""

from contextvars import ContextVar

# The X-Request-Id of the request being answered, or of the one that started the job being run.
request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
