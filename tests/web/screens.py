"""What tests about all screens know of them: which operations each asks, and where it stands on a given website."""

import inspect
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest

from chalicelib import api
from chalicelib.http.endpoints import Endpoint
from chalicelib.http.inside import Asker
from chalicelib.web import routing
from chalicelib.web.routing import Route

SHOWN = [route for route in routing.ROUTES if hasattr(route.module, "show") and not route.anyone]


def operations_of(route: Route) -> set[str]:
    """The operations that the module of a screen names."""
    return set(re.findall(r'"(\w+)"', inspect.getsource(route.module))) & api.operations().keys()


_NAMES = {"issues": "issueId", "pages": "pageId", "audits": "auditId", "changes": "batchId", "runs": "jobId"}


def names_in(path: str) -> dict[str, str]:
    """What a path of the API names, as the routes call it."""
    parts = path.partition("?")[0].strip("/").split("/")
    named = {"sites": "siteId", **_NAMES}
    return {named[kind]: given for kind, given in zip(parts[::2], parts[1::2], strict=False) if kind in named}


class Asked(NamedTuple):
    """A question that a screen asked the API, and what it was given."""

    endpoint: Endpoint
    path: Mapping[str, str]
    sent: Mapping[str, str]
    answer: Any


@contextmanager
def asked_of_the_api() -> Iterator[list[Asked]]:
    """Every question that screens ask while the block runs."""
    asked: list[Asked] = []
    inner = Asker.ask

    def ask(
        self: Asker, endpoint: Endpoint, path: Mapping[str, str], sent: Mapping[str, str], body: object = None
    ) -> Any:
        answer = inner(self, endpoint, path, sent, body)
        asked.append(Asked(endpoint, dict(path), dict(sent), answer))
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Asker, "ask", ask)
        yield asked
