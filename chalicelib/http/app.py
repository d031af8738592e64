"""A thread-safe Chalice app."""

import threading
from typing import Any

from chalice.app import Chalice, Request


class ThreadedApp(Chalice):
    """A Chalice app that stores the current request per thread.

    A Lambda function answers one request at a time. The local service and the tests answer several at once, in threads.
    """

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        self._of_thread = threading.local()
        super().__init__(*arguments, **settings)

    @property
    def current_request(self) -> Request | None:
        """Return the request that this thread answers."""
        return getattr(self._of_thread, "request", None)

    @current_request.setter
    def current_request(self, request: Request | None) -> None:
        self._of_thread.request = request
