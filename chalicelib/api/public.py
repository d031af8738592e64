"""Endpoints that need no key: the description of the API, plans and prices, release notes."""

from functools import lru_cache
from pathlib import Path
from typing import Final

from chalicelib.domain import plans
from chalicelib.http.answers import JSON, Answer, Text
from chalicelib.http.endpoints import Call, Group
from chalicelib.http.errors import ApiError
from chalicelib.http.parameters import NoParameters

group = Group("public", "Endpoints that need no key.")

_CHANGELOG: Final = Path(__file__).resolve().parent.parent / "data" / "changelog.md"


@group.get("/openapi.json", scope=None, answer=None, summary="Read the OpenAPI 3.1 description")
def read_openapi(call: Call[NoParameters]) -> Answer:
    """Every endpoint and every webhook event of this API."""
    return Answer(200, _description(call.base_url), {"Content-Type": JSON})


@lru_cache(maxsize=4)
def _description(base_url: str) -> str:
    """Return the OpenAPI document as JSON. Cached: with one domain it is made once per process."""
    from chalicelib.api import description

    return description.as_text(base_url)


@group.get("/plans", scope=None, answer=plans.Catalogue, summary="Read plans and prices")
def read_plans(call: Call[NoParameters]) -> plans.Catalogue:
    """The prices and limits of each plan."""
    return plans.catalogue()


@group.get(
    "/changelog",
    scope=None,
    answer=None,
    media_type="text/markdown",
    errors=("not_found",),
    summary="Read the release notes",
)
def read_changelog(call: Call[NoParameters]) -> Text:
    """Release notes as Markdown."""
    notes = _changelog()
    if notes is None:
        raise ApiError("not_found", "This server has no release notes.")
    return Text(notes, "text/markdown")


@lru_cache(maxsize=1)
def _changelog() -> str | None:
    return _CHANGELOG.read_text("utf-8") if _CHANGELOG.is_file() else None
