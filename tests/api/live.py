"""A website with files of its own and a cache in front of it, for what reads files while somebody waits."""

from typing import Any

from chalicelib.store.websites import Website
from tests.api.client import Client
from tests.api.conftest import House
from tests.servers.wire import Connection

HOUR = 3_600.0
TEXT = b"# Acme\n\n> All we sell.\n\n- [Start](https://acme.example/): where to begin\n"
OLD = b"# Acme\n\n- [Start](https://acme.example/old): where it was\n"


class Files:
    """A website with files, and a cache in front of it that answers plain addresses by what it keeps, as CDNs do."""

    def __init__(self, pages: dict[str, Any] | None = None, kept: dict[str, bytes] | None = None) -> None:
        self.pages = pages or {}
        self.kept = kept or {}

    def __call__(self, connection: Connection) -> None:
        path, mark, _ = connection.path.partition("?")
        if not mark and path in self.kept:
            kept = self.kept[path]
            connection.answer(kept, content_type="text/plain", age="812", cf_cache_status="HIT", etag='"old"')
            return
        found = self.pages.get(path)
        if found is None:
            connection.answer(b"<html><h1>No such page", "404 Not Found", content_type="text/html")
        elif callable(found):
            found(connection)
        else:
            connection.answer(found, content_type="text/plain; charset=utf-8", cf_cache_status="MISS")


def llms(house: House, site: Website) -> Any:
    return Client(house.key).get(f"/sites/{site.id}/geo/llms-txt").json


def crawlers(house: House, site: Website) -> Any:
    return Client(house.key).get(f"/sites/{site.id}/geo/ai-crawlers").json


def by_bot(answer: Any) -> dict[str, Any]:
    return {one["bot"]: one for one in answer["crawlers"]}
