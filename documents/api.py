"""Makes the tables of docs/api.md: operations, query parameters, members of bodies, limits and error codes."""

from collections.abc import Iterator
from typing import Any

from chalicelib import api
from chalicelib.api.content import MOST_BYTES
from chalicelib.domain.crawl import budget
from chalicelib.http import answers, bodies, cursors, idempotency, parameters
from chalicelib.http.endpoints import Endpoint
from chalicelib.http.errors import CODES
from chalicelib.store import api_keys
from documents import openapi, schemas
from documents.blocks import table


def parts() -> dict[str, str]:
    """Return the generated parts of the page: name -> Markdown."""
    return {
        "operations": _operations(),
        "parameters": _parameters(),
        "members": _members(),
        "limits": _limits(),
        "codes": _codes(),
    }


def _endpoints() -> Iterator[Endpoint]:
    for name in api.GROUPS:
        yield from api.load(name).endpoints


def _name(endpoint: Endpoint) -> str:
    return f"`{endpoint.method} {endpoint.path}`"


def _operations() -> str:
    rows = (
        (_name(endpoint), f"`{endpoint.scope}`" if endpoint.scope else "none, public", endpoint.summary)
        for endpoint in _endpoints()
    )
    return table(("Operation", "Scope", "Does"), rows)


def _parameters() -> str:
    """One row for each query parameter. Operations with the same parameter share its row."""
    operations: dict[tuple[str, ...], list[str]] = {}
    for endpoint in _endpoints():
        for parameter in parameters.declared(endpoint.parameters):
            names = f"`{parameter.name}`" + (f" or `{parameter.also}`" if parameter.also else "")
            row = (names, _accepted(parameter), _default(parameter), parameter.help)
            name = f"`{endpoint.path}`" if endpoint.method == "GET" else _name(endpoint)
            operations.setdefault(row, []).append(name)
    rows = ((", ".join(paths), *row) for row, paths in operations.items())
    return table(("Operation", "Parameter", "Accepts", "Default", "Meaning"), rows)


def _accepted(parameter: parameters.Parameter) -> str:
    if not parameter.exploded:
        return f"comma-separated: {schemas.kind(parameter.schema['items'])}"
    return schemas.kind(parameter.schema)


def _default(parameter: parameters.Parameter) -> str:
    if parameter.required:
        return "required"
    default = parameter.schema.get("default")
    return f"`{default}`" if default is not None else ""


def _members() -> str:
    rows = []
    for endpoint in _endpoints():
        if endpoint.body is None:
            continue
        for member in schemas.members(_body(endpoint)):
            needed = "yes" if member.required else "no"
            rows.append((_name(endpoint), f"`{member.name}`", member.kind, needed, member.about))
    return table(("Operation", "Member", "Accepts", "Required", "Meaning"), rows)


def _body(endpoint: Endpoint) -> dict[str, Any]:
    operation = openapi.document()["paths"][endpoint.path][endpoint.method.lower()]
    schema: dict[str, Any] = operation["requestBody"]["content"]["application/json"]["schema"]
    return schema


def _limits() -> str:
    return table(
        ("What", "At most"),
        (
            ("Requests of a key in a clock hour", f"{api_keys.REQUESTS_PER_HOUR:,}"),
            ("Audits of a website started through the API in 24 hours", budget.API_STARTS_PER_DAY),
            (
                "Minutes of an audit",
                f"{budget.TIME_LIMIT_MINUTES}; with a larger page budget up to {budget.LONGEST_TIME_LIMIT_MINUTES}",
            ),
            (
                "Bytes of a request's body",
                f"{bodies.LARGEST_BODY_BYTES:,}; of `PUT /sites/{{siteId}}/content` {MOST_BYTES:,}",
            ),
            ("Bytes of an answer", f"{answers.LARGEST_BYTES:,}; longer lists end early and say where to continue"),
            ("Characters of a text in the query", f"{parameters.LONGEST_TEXT:,}"),
            ("Characters of a cursor", f"{cursors.LONGEST:,}"),
            ("Hours that an answer is stored for its `Idempotency-Key`", idempotency.KEPT_SECONDS // 3_600),
        ),
    )


def _codes() -> str:
    """One row for each error code. Codes that mean only a wrong parameter share the first row."""
    plain, rows = [], []
    for code, entry in sorted(CODES.items(), key=lambda pair: (pair[1].status, pair[0])):
        if entry.meaning == f"`{code.removeprefix('bad_')}` is invalid":
            plain.append(f"`{code}`")
        else:
            rows.append((entry.status, f"`{code}`", entry.meaning, ", ".join(f"`{name}`" for name in entry.extras)))
    return table(
        ("Status", "Code", "Meaning", "Further members"),
        [(400, ", ".join(plain), "the parameter of that name is invalid", "`param`"), *rows],
    )
