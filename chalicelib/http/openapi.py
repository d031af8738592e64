"""Makes the OpenAPI 3.1 document from the declarations against which requests are checked."""

import inspect
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

import msgspec

from chalicelib.http import openapi_shared
from chalicelib.http.endpoints import Endpoint, Group
from chalicelib.http.errors import CODES, EXTRAS
from chalicelib.http.parameters import declared

TEMPLATE: Final = "#/components/schemas/{name}"
Json = dict[str, Any]
_LINE_BREAK: Final = re.compile(r"(?<!\n)\n(?![\n-])")  # inside a paragraph of a docstring; a list keeps its lines
_PLAIN: Final = frozenset({"string", "integer", "number", "boolean"})


@dataclass(frozen=True, slots=True)
class Webhook:
    """An event in the document. Its body has the ``common`` members and the event's own members."""

    kind: str
    sent_when: str
    common: type[Any]
    members: type[Any]
    example: Mapping[str, Any]


def build(
    groups: Sequence[Group],
    webhooks: Sequence[Webhook],
    *,
    info: Json,
    base_url: str,
    examples: Mapping[str, Json],
    named: Mapping[str, Any],
) -> Json:
    """Build the document. ``examples``: example answers by operation id, and example bodies by ``<operation id>.body``.
    ``named``: types of members that get their own schema."""
    endpoints = [endpoint for group in groups for endpoint in group.endpoints]
    types = {endpoint.answer for endpoint in endpoints} | {endpoint.body for endpoint in endpoints}
    for webhook in webhooks:
        types |= {webhook.common, webhook.members}
    bases = _bases(model for model in types if model is not None)
    types |= {base for base, extended in Counter(bases.values()).items() if extended > 1}
    models = sorted((model for model in types if model is not None), key=lambda model: model.__name__)
    references, schemas = msgspec.json.schema_components(models, ref_template=TEMPLATE)
    for schema in schemas.values():
        if "description" in schema:
            schema["description"] = _LINE_BREAK.sub(" ", schema["description"])
    reference = dict(zip(models, references, strict=True))
    paths: dict[str, Json] = {}
    for endpoint in endpoints:
        operation = _operation(endpoint, reference, examples)
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = operation
    sent = {webhook.kind: {"post": _webhook(webhook, reference)} for webhook in webhooks}
    return {
        "openapi": "3.1.0",
        "info": info,
        "servers": [{"url": base_url}],
        "tags": [{"name": group.name, "description": group.description} for group in groups],
        "security": [{"bearer": []}],
        "paths": paths,
        "webhooks": sent,
        "components": {
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer", "description": "An API key of the service."}
            },
            **openapi_shared.share(paths, sent),
            "headers": _HEADERS,
            "schemas": {**_schemas(schemas, bases, named), "Error": _ERROR},
        },
    }


def _schemas(schemas: Mapping[str, Json], bases: Mapping[type[Any], type[Any]], named: Mapping[str, Any]) -> Json:
    """Return the schemas of the shapes and of the named types. Members of a named type refer to its schema."""
    found, _ = msgspec.json.schema_components(list(named.values()), ref_template=TEMPLATE)
    types = {name: _short(one) for name, one in zip(named, found, strict=True)}
    shapes = {name: _tidy(_short(schema)) for name, schema in schemas.items()}
    extended = {shape.__name__: base.__name__ for shape, base in bases.items()}
    return {**openapi_shared.extend(openapi_shared.name(shapes, types, TEMPLATE), extended, TEMPLATE), **types}


def _bases(models: Iterable[type[Any]]) -> dict[type[Any], type[Any]]:
    """Return the shape that each shape of the models extends, if the extended shape has members."""
    found: dict[type[Any], type[Any]] = {}
    seen: set[type[Any]] = set()
    waiting: list[Any] = list(msgspec.inspect.multi_type_info(models))
    while waiting:
        kind = waiting.pop()
        if isinstance(kind, msgspec.inspect.StructType) and kind.cls not in seen:
            seen.add(kind.cls)
            waiting += [member.type for member in kind.fields]
            base = kind.cls.__base__
            if base is not None and getattr(base, "__struct_fields__", None):
                found[kind.cls] = base
        elif isinstance(kind, msgspec.inspect.Metadata):
            waiting.append(kind.type)
        elif isinstance(kind, msgspec.inspect.CollectionType):
            waiting.append(kind.item_type)
        elif isinstance(kind, msgspec.inspect.DictType):
            waiting.append(kind.value_type)
        elif isinstance(kind, msgspec.inspect.UnionType):
            waiting += kind.types
    return found


def _tidy(schema: Json) -> Json:
    """Convert docstrings, which are written for readers of the code, to descriptions: without markup and repeated
    names."""
    schema.pop("title", None)  # the component's name
    if "description" in schema:
        schema["description"] = " ".join(schema["description"].replace("``", "`").split())
    return schema


def _short(schema: Any) -> Any:
    """Return the schema with ``type: [x, null]`` in place of an ``anyOf`` of a plain type x and null, to save bytes."""
    if isinstance(schema, list):
        return [_short(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    match schema.get("anyOf"):
        case [{"type": kind, **rest}, {"type": "null"}] if (
            kind in _PLAIN and "enum" not in rest and "const" not in rest
        ):
            others = {name: value for name, value in schema.items() if name != "anyOf"}
            return _short({"type": [kind, "null"], **rest, **others})
    return {name: _short(value) for name, value in schema.items()}


def _operation(endpoint: Endpoint, reference: Mapping[type[Any], Json], examples: Mapping[str, Json]) -> Json:
    operation: Json = {
        "operationId": endpoint.operation_id,
        "tags": [endpoint.group],
        "summary": endpoint.summary,
        "description": _description(endpoint),
        "parameters": _parameters(endpoint),
        "responses": _responses(endpoint, reference, examples),
    }
    if endpoint.scope is None:
        operation["security"] = []
    if endpoint.body is not None:
        content: Json = {"schema": reference[endpoint.body]}
        example = examples.get(f"{endpoint.operation_id}.body")
        if example is not None:
            content["example"] = example
        operation["requestBody"] = {"required": endpoint.body_required, "content": {"application/json": content}}
    return operation


def _description(endpoint: Endpoint) -> str:
    text = _LINE_BREAK.sub(" ", inspect.getdoc(endpoint.view) or "")
    return text if endpoint.scope is None else f"{text}\n\nScope: `{endpoint.scope}`."


def _parameters(endpoint: Endpoint) -> list[Json]:
    found: list[Json] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in endpoint.names
    ]
    for parameter in declared(endpoint.parameters):
        item: Json = {
            "name": parameter.name,
            "in": "query",
            **({"required": True} if parameter.required else {}),
            "description": parameter.help,
            "schema": parameter.schema,
        }
        if not parameter.exploded:
            item["explode"] = False
        found.append(item)
        if parameter.also is not None:
            # Leave out the default: generated clients send every default, and would send both spellings.
            schema = {name: value for name, value in parameter.schema.items() if name != "default"}
            about = f"Another spelling of `{parameter.name}`."
            found.append(item | {"name": parameter.also, "description": about, "schema": schema})
    if endpoint.stored:
        about = "The ETag of an earlier answer. If it is still current, the answer is 304 without a body."
        found.append(_header_parameter("If-None-Match", about, {"type": "string"}))
    if endpoint.method == "POST":
        about = "Makes retries safe: for 24 hours, a repeated request gets the same answer and has no further effect."
        schema = {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"}
        found.append(_header_parameter("Idempotency-Key", about, schema))
    return found


def _header_parameter(name: str, about: str, schema: Json) -> Json:
    return {"name": name, "in": "header", "description": about, "schema": schema}


def _responses(endpoint: Endpoint, reference: Mapping[type[Any], Json], examples: Mapping[str, Json]) -> Json:
    example = examples.get(endpoint.operation_id)
    content: Json = {"schema": {"type": "string"}}
    if endpoint.media_type == "application/json":
        content = {"schema": reference[endpoint.answer] if endpoint.answer is not None else {"type": "object"}}
    if example is not None:
        content["example"] = example
    contents: Json = {endpoint.media_type: content}
    for form in endpoint.forms:
        kind = "object" if form.media_type.endswith("+json") else "string"
        contents[form.media_type] = {"schema": {"type": kind}}
    responses: Json = {
        str(endpoint.status): {
            "description": HTTPStatus(endpoint.status).phrase,
            **_headers(_success_headers(endpoint)),
            "content": contents,
        }
    }
    if endpoint.files:
        responses["303"] = {
            "description": "The file is too large for an answer. Get it at `Location` within ten minutes.",
            **_headers([*(["Vary"] if endpoint.stored else []), "Location"]),
        }
    if endpoint.stored:
        names = ["ETag", "Vary", *_cross_origin(endpoint)]
        responses["304"] = {"description": "The answer with this ETag is still current.", **_headers(names)}
    by_status: dict[int, list[str]] = {}
    for code in endpoint.codes():
        by_status.setdefault(CODES[code].status, []).append(code)
    for status, codes in sorted(by_status.items()):
        responses[str(status)] = _error_response(endpoint, status, codes)
    return responses


def _error_response(endpoint: Endpoint, status: int, codes: Sequence[str]) -> Json:
    names = _cross_origin(endpoint)
    if status == 401:
        names.append("WWW-Authenticate")
    if status == 429 or not WAITING.isdisjoint(codes):
        names.append("Retry-After")
    narrowed = {"properties": {"error": {"properties": {"code": {"enum": list(codes)}}}}}
    return {
        "description": _meanings(code for code in codes if not _is_told_once(code)) or HTTPStatus(status).phrase,
        **_headers(names),
        "content": {"application/json": {"schema": {"allOf": [{"$ref": "#/components/schemas/Error"}, narrowed]}}},
    }


def _meanings(codes: Iterable[str]) -> str:
    return "\n".join(f"- `{code}`: {CODES[code].meaning}" for code in codes)


def _is_told_once(code: str) -> bool:
    """Whether ``ERRORS_TEXT`` explains the code, for all operations at once."""
    return code in OF_MANY or CODES[code].is_of_parameter


def _success_headers(endpoint: Endpoint) -> list[str]:
    names = _cross_origin(endpoint)
    if endpoint.stored:
        names += ["ETag", "Vary"]
    if endpoint.files:
        names.append("Content-Disposition")
    if _names_poll(endpoint):
        names.append("Location")
    if endpoint.retry_after is not None:
        names.append("Retry-After")
    if endpoint.method == "POST":
        names.append("Idempotency-Replayed")
    return names


def _names_poll(endpoint: Endpoint) -> bool:
    return endpoint.method == "POST" and "poll" in getattr(endpoint.answer, "__struct_fields__", ())


def _cross_origin(endpoint: Endpoint) -> list[str]:
    return list(CROSS_ORIGIN_HEADERS) if endpoint.scope is None else []


def _headers(names: Iterable[str]) -> Json:
    """Return the ``headers`` of a response; empty if ``HEADERS_TEXT`` describes all of them."""
    found = {name: {"$ref": f"#/components/headers/{name}"} for name in names}
    return {"headers": found} if found else {}


def _webhook(webhook: Webhook, reference: Mapping[type[Any], Json]) -> Json:
    event = {"properties": {"event": {"const": webhook.kind}}}
    body = {"allOf": [reference[webhook.common], reference[webhook.members], event]}
    return {
        "operationId": "on_" + webhook.kind.replace(".", "_"),
        "description": webhook.sent_when,
        "security": [],
        "parameters": [
            {"name": name, "in": "header", "required": True, "description": about, "schema": schema}
            for name, about, schema in (
                ("User-Agent", "Who sends.", {"type": "string", "const": "Service-Webhooks/1"}),
                ("X-Service-Event", "The event's kind.", {"type": "string", "const": webhook.kind}),
                (
                    "X-Service-Delivery",
                    "The delivery's id. Ignore a delivery whose id you have already seen.",
                    {"type": "string"},
                ),
                ("X-Service-Signature", _SIGNATURE, {"type": "string", "pattern": "^sha256=[0-9a-f]{64}$"}),
            )
        ],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": body, "example": dict(webhook.example)}},
        },
        "responses": {"2XX": {"description": "Any 2xx status within 20 seconds counts as delivered."}},
    }


_SIGNATURE: Final = (
    "`sha256=` and the lowercase hexadecimal HMAC-SHA256 of the raw body, keyed with the endpoint's secret. "
    "Compare it in constant time, with the body exactly as received."
)
CROSS_ORIGIN_HEADERS: Final = ("Access-Control-Allow-Origin", "Access-Control-Expose-Headers")
WAITING: Final = frozenset({"busy", "idempotency_in_progress"})  # errors other than 429 that say how long to wait
LIMIT_HEADERS: Final = (
    "RateLimit-Policy",
    "RateLimit",
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
)
# Sent with every answer, or with every answer to a key except 401 and 503. Listed at each response they would be a
# sixth of the document.
EVERYWHERE: Final = ("X-Request-Id", "X-Service-Version", "X-Content-Type-Options", "Cache-Control")
HEADERS_TEXT: Final = (
    f"**Headers.** Every answer has {', '.join(f'`{name}`' for name in EVERYWHERE)}. Every answer to a request with "
    f"a key, except 401 and 503, also has {', '.join(f'`{name}`' for name in LIMIT_HEADERS)}. They are described in "
    "`components.headers`; responses list only other headers.\n"
    "\n"
)

# Codes of many operations. Repeating their meanings at each would take a thirtieth of the document.
OF_MANY: Final = (
    *("bad_parameter", "bad_cursor", "too_many_rows", "bad_json", "bad_body"),
    *("bad_idempotency_key", "idempotency_in_progress", "busy", "rate_limited"),
)
ERRORS_TEXT: Final = (
    "Most codes are explained at their operations. These are explained only here:\n"
    f"{_meanings(OF_MANY)}\n"
    "- `bad_` and the name of a parameter or member: it is missing or invalid\n"
    "\n"
)


def _header(about: str, schema: Json) -> Json:
    return {"description": about, "schema": schema}


_COUNT: Final = {"type": "integer", "minimum": 0}
_HEADERS: Final[Json] = {
    "X-Request-Id": _header("Identifies this answer in the service's logs.", {"type": "string"}),
    "X-Service-Version": _header("The version of the service that answered.", {"type": "string"}),
    "RateLimit-Policy": _header('The key\'s limit: `"hourly";q=1200;w=3600`.', {"type": "string"}),
    "RateLimit": _header("Requests left and seconds until the next clock hour.", {"type": "string"}),
    "X-RateLimit-Limit": _header("Requests of a clock hour.", _COUNT),
    "X-RateLimit-Remaining": _header("Requests left in this hour.", _COUNT),
    "X-RateLimit-Reset": _header("When the next hour begins (epoch seconds).", _COUNT),
    "ETag": _header("Identifies this version of the answer; send it back as If-None-Match.", {"type": "string"}),
    "Cache-Control": _header("Which caches may store the answer, and for how long.", {"type": "string"}),
    "Vary": _header("The request headers that the answer depends on.", {"type": "string"}),
    "Access-Control-Allow-Origin": _header(
        "Pages of any website may read the answer.", {"type": "string", "const": "*"}
    ),
    "Access-Control-Expose-Headers": _header("The headers that pages of other websites may read.", {"type": "string"}),
    "Location": _header(
        "The address to follow the started work (the answer's `poll`), or the address of a file.", {"type": "string"}
    ),
    "Content-Disposition": _header("The name of a file; answers in JSON have none.", {"type": "string"}),
    "Retry-After": _header("Seconds after which another request makes sense.", _COUNT),
    "X-Content-Type-Options": _header(
        "Tells browsers not to guess another content type.", {"type": "string", "const": "nosniff"}
    ),
    "WWW-Authenticate": _header("How to authenticate.", {"type": "string", "const": "Bearer"}),
    "Idempotency-Replayed": _header(
        "`true` if this is the stored answer for this Idempotency-Key.", {"type": "string", "const": "true"}
    ),
}
_ERROR: Final[Json] = {
    "type": "object",
    "description": "Every error has this shape.",
    "required": ["error"],
    "additionalProperties": False,
    "properties": {
        "error": {
            "type": "object",
            "description": "What went wrong.",
            "required": ["code", "message"],
            "additionalProperties": False,
            "properties": {
                "code": {"type": "string", "description": "What went wrong, for programs."},
                "message": {"type": "string", "description": "What went wrong, for people."},
                **{name: dict(schema) for name, schema in EXTRAS.items()},
            },
        }
    },
}
