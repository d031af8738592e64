"""The page `/docs`, on which people read about the API and try it out. It needs no key.

The page and its files come from this origin; the page's content security policy allows no other origin. The browser
loads the served OpenAPI document, and the page shows it.
"""

from functools import lru_cache
from pathlib import Path
from typing import Final

from chalice.app import Request, Response

from chalicelib.http import answers, edge
from chalicelib.http.answers import Answer
from chalicelib.http.edge import Room
from chalicelib.http.endpoints import BASE_PATH
from chalicelib.http.errors import ApiError
from chalicelib.settings.core import core_settings

NAME: Final = "docs"
PATH: Final = "/docs"
GROUP: Final = "public"  # the group whose function serves this page, and whose switch turns it off
VERSION: Final = "5.35.0"  # of swagger-ui-dist
FOLDER: Final = Path(__file__).resolve().parent.parent / "data" / "swagger-ui"
BUNDLE, STYLE, START = "swagger-ui-bundle.js", "swagger-ui.css", "start.js"
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_TYPES: Final = {BUNDLE: "text/javascript", STYLE: "text/css", START: "text/javascript"}
_KEPT_SECONDS: Final = 31_536_000  # for files, whose addresses name the version
_PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API – Website Optimization Service</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{root}/docs/swagger-ui.css?{version}">
</head>
<body>
<main id="page" data-document="{root}{base}/openapi.json"></main>
<noscript>This page needs JavaScript. The description of the API: <a href="{root}{base}/openapi.json">openapi.json</a>.
</noscript>
<script src="{root}/docs/swagger-ui-bundle.js?{version}"></script>
<script src="{root}/docs/start.js?{version}"></script>
</body>
</html>
"""
# Answers are not coloured, since colouring an answer of a megabyte would block the browser for minutes.
_START: Final = """SwaggerUIBundle({
  url: document.getElementById("page").dataset.document,
  dom_id: "#page",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  docExpansion: "list",
  filter: true,
  syntaxHighlight: {activated: false},
  tryItOutEnabled: true,
  validatorUrl: null,
});
"""
_ALLOW: Final = {"Allow": "GET, HEAD"}


def answer(request: Request) -> Response:
    """Answer a request for the page or one of its files."""
    off = core_settings().switched_off_groups
    if "api" in off or GROUP in off:
        return _response(request, answers.of_error(ApiError("switched_off", "This page is switched off at present.")))
    if request.method not in ("GET", "HEAD"):
        return refuse(request, 405)
    _, _, name = request.context.get("path", "").strip("/").partition(PATH.strip("/"))
    name = name.strip("/")
    if not name:
        return _response(request, _page(edge.prefix(request)))
    if name not in _TYPES:
        return refuse(request, 404)
    headers = {"Content-Type": f"{_TYPES[name]}; charset=utf-8"}
    headers["Cache-Control"] = f"public, max-age={_KEPT_SECONDS}, immutable"
    return _response(request, Answer(200, _START if name == START else _file(name), headers))


def refuse(request: Request, status: int) -> Response:
    """Make the error answer for this HTTP status. This calls no other system, so that the error answer cannot fail
    itself."""
    known = {
        404: ApiError("not_found", "There is no such path."),
        405: ApiError("method_not_allowed", "Only GET and HEAD are allowed here.", headers=_ALLOW),
    }
    failed = ApiError("internal", "The service failed to answer.")
    return _response(request, answers.of_error(known.get(status, failed)))


def _response(request: Request, found: Answer) -> Response:
    if request.method == "HEAD":
        found = answers.without_body(found)
    return Response(found.body, dict(found.headers), found.status)


def _page(root: str) -> Answer:
    headers = {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": POLICY,
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-cache",
    }
    return Answer(200, _PAGE.format(root=root, base=BASE_PATH, version=VERSION), headers)


@lru_cache(maxsize=2)
def _file(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")


ROOM: Final = Room(NAME, PATH, answer, refuse)
