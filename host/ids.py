"""Makes ids of requests and events, in the form that API Gateway and EventBridge use."""

from uuid import UUID

from chalicelib.randomness import random_bytes


def random_id() -> str:
    """Return a random UUID, as text."""
    return str(UUID(bytes=random_bytes(16), version=4))
