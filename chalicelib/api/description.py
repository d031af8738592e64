"""Makes the OpenAPI document of this API. It describes all webhook events and all endpoint groups, even groups that
this process does not serve."""

import json
from pathlib import Path
from typing import Any, Final

from chalicelib import api
from chalicelib.api import docs
from chalicelib.api.shapes.named import NAMED
from chalicelib.domain.webhooks import kinds
from chalicelib.http import answers, openapi
from chalicelib.http.endpoints import BASE_PATH
from chalicelib.version import VERSION

EXAMPLES_FILE: Final = Path(__file__).resolve().parent.parent / "data" / "examples.json"
INFO: Final[dict[str, Any]] = {
    "title": "Website Optimization Service",
    "version": VERSION,
    "description": (
        "Audits websites and reports on their search health and readiness for AI assistants.\n"
        "\n"
        "**Keys.** Send `Authorization: Bearer <API key>` everywhere but on the endpoints of the group `public`. A "
        "key acts as the person who created it; each operation names the scope that it needs. Each key has 1,200 "
        "requests per clock hour (UTC); 304 answers count too.\n"
        "\n"
        "**Errors.** The body is always `{ error: { code, message } }`, and some operations add members beside "
        "`code`. Programs read `code`; the message is for people and may change. "
        f"{openapi.ERRORS_TEXT}{openapi.HEADERS_TEXT}**Unknown is null.** A value that is not known yet is `null`, "
        "never a made-up zero.\n"
        "\n"
        "**Parameters are strict.** Unknown and repeated query parameters are refused.\n"
        "\n"
        "**Files.** With `format=csv`, the answer of a list is a file (RFC 4180, UTF-8, names in the first line). It "
        "has all rows, from the position that the request names. For a file of more than 5 MB, the answer is a 303 "
        "with an address that works for ten "
        "minutes. Columns are named like JSON members, or `object.member`. Lists, and objects without fixed members, "
        "are JSON text. Unknown values are empty. A text that begins with `=`, `+`, `-`, `@`, a tab or a return gets "
        "an apostrophe in front, so that spreadsheets do not run it. A text with apostrophes before such a character "
        "gets one more.\n"
        "\n"
        "**Every path** also answers HEAD (where there is GET) and OPTIONS; other methods get 405 with `Allow`.\n"
        "\n"
        "**Compatibility.** Within `/api/v1`, fields, events and enum tokens may be added: ignore what you do not "
        "know. None is removed, renamed or given another type. A deprecated operation answers with `Deprecation` and "
        "`Sunset` headers for at least 12 months and is named in the release notes."
    ),
}


def document(base_url: str) -> dict[str, Any]:
    """Return the OpenAPI document of the API whose root is ``base_url``."""
    webhooks = [
        openapi.Webhook(event.name, event.sent_when, kinds.CommonMembers, event.members, event.example_body())
        for event in kinds.BY_NAME.values()
    ]
    groups = [api.load(name) for name in api.GROUPS]
    examples = json.loads(EXAMPLES_FILE.read_text("utf-8"))
    found = openapi.build(groups, webhooks, info=INFO, base_url=base_url, examples=examples, named=NAMED)
    if base_url.endswith(BASE_PATH):  # the page's address is known only below this path
        page = base_url.removesuffix(BASE_PATH) + docs.PATH
        found["externalDocs"] = {
            "description": "This document as an interactive page for trying operations.",
            "url": page,
        }
    return found


def as_text(base_url: str) -> str:
    return answers.encode(document(base_url))
