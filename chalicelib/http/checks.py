"""Checks a call of an endpoint, whether it comes over HTTP or from this process, and converts the view's result into an
answer."""

from collections.abc import Mapping, Sequence
from typing import Any

from chalicelib.http import answers, authentication, bodies, logs, parameters, parts
from chalicelib.http.answers import Answer
from chalicelib.http.endpoints import Call, Endpoint
from chalicelib.http.errors import ApiError
from chalicelib.settings.core import core_settings


def check_switches(endpoint: Endpoint) -> None:
    """Raise 503 ``switched_off`` if the operator switched off the endpoint's group."""
    off = core_settings().switched_off_groups
    if "api" in off or endpoint.group in off:
        raise ApiError("switched_off", "The API or this part of it is switched off at present.")


def prepare(endpoint: Endpoint, call: Call[Any], sent: Mapping[str, Sequence[str]]) -> None:
    """Check the scope, and put the view's input into ``call``: the website, then the objects that the path names, then
    the parameters.

    ``call.auth`` is set if the endpoint has a scope. A website that the call already has is not loaded again. Raises
    ``ApiError``.
    """
    if endpoint.scope is not None:
        authentication.check_scope(call.auth, endpoint.scope)
    if endpoint.of_website:
        _read_website(endpoint, call)
        logs.add(siteId=call.website.id)
    if endpoint.find is not None:
        call.found = endpoint.find(call)
    call.parameters = parameters.read(endpoint.parameters, sent)
    call.spelled = parameters.spellings(endpoint.parameters, sent)


def _read_website(endpoint: Endpoint, call: Call[Any]) -> None:
    site_id = call.path["siteId"]
    if endpoint.with_workspace:
        if not hasattr(call, "workspace"):
            call.website, call.workspace = authentication.website_and_workspace_of(call.auth, site_id)
    elif not hasattr(call, "website"):
        call.website = authentication.website_of(call.auth, site_id)


def read_body(endpoint: Endpoint, call: Call[Any], raw: bytes, headers: Mapping[str, str]) -> None:
    """Read the request's body into the call. Raises ``ApiError``."""
    bodies.check_size(raw, endpoint.largest_body)
    if endpoint.body is not None:
        call.body = bodies.read(endpoint.body, raw, headers, required=endpoint.body_required)


def answer_of(endpoint: Endpoint, call: Call[Any], result: object) -> Answer:
    """Make the answer from a view's result. Its lists are cut if it is too large. Raises ``RuntimeError`` if it is
    still too large."""
    found = answers.of(result, endpoint.status, lambda shape: parts.encoded(shape, endpoint.parts, call))
    if not answers.fits(found.body):  # the gateway would replace the answer by an error in another shape
        raise RuntimeError(f"the answer of {endpoint.operation_id} has {len(found.body)} characters")
    return found
