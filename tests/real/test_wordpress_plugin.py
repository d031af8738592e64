"""The WordPress plugin on a real WordPress: the protocol's checks, live pages, what it tells, and how it leaves."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from chalicelib.connectors.errors import Unavailable
from chalicelib.settings.reading import forget_settings
from tests.connectors import protocol
from tests.real.wordpress import WordPress, started
from tests.real.wordpress_subject import PLUGIN, Subject, stored

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def site() -> Iterator[WordPress]:
    """A WordPress of its own with the plugin: what was stored before it came is ``before``."""
    with started() as found:
        found.seed(8)
        found.rest("POST", "/wp/v2/categories", {"name": "Tents & tarps", "slug": "tents"})
        yield found


@pytest.fixture(scope="module")
def before(site: WordPress) -> list[list[str]]:
    return stored(site)


@pytest.fixture(scope="module")
def plugin(site: WordPress, before: list[list[str]]) -> WordPress:
    site.activate(PLUGIN)
    return site


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    forget_settings()
    yield
    monkeypatch.undo()
    forget_settings()


def items(site: WordPress) -> dict[str, Subject]:
    """A post, a page, a term and the front page that lists posts."""
    (post,) = site.rest("GET", "/wp/v2/posts?slug=widget-guide-1")
    (page,) = site.rest("GET", "/wp/v2/pages?slug=widget-guide-3")
    (term,) = site.rest("GET", "/wp/v2/categories?slug=tents")
    return {
        "post": Subject(site, f"post:{post['id']}", post["link"]),
        "page": Subject(site, f"post:{page['id']}", page["link"]),
        "term": Subject(site, f"term:{term['id']}", term["link"]),
        "home": Subject(site, "home", f"{site.url}/"),
    }


@protocol.each
def test_it_keeps_the_protocol(check: Callable[[protocol.Subject], None], plugin: WordPress) -> None:
    check(items(plugin)["page"])
    assert plugin.complaints() == []


@pytest.mark.parametrize("kind", ["post", "page", "term", "home"])
def test_each_field_of_each_kind_of_item_is_written_seen_and_undone(plugin: WordPress, kind: str) -> None:
    protocol.check_each_field_is_written_seen_and_undone(items(plugin)[kind])
