"""What the gateway answers in the service's stead has the shape and the codes of every other error."""

import json
from typing import Any

import pytest
import yaml

from chalicelib.http import edge
from chalicelib.http.errors import CODES
from documents.files import ROOT


class _Loader(yaml.SafeLoader):
    """Reads a template; what its tags (``!Ref`` …) stand for does not matter here."""


_Loader.add_multi_constructor("!", lambda loader, suffix, node: suffix)


def _answers() -> dict[str, dict[str, Any]]:
    template = yaml.load((ROOT / "infra" / "template.yaml").read_text("utf-8"), _Loader)
    properties = template["Resources"]["RestAPI"]["Properties"]
    found: dict[str, dict[str, Any]] = properties["DefinitionBody"]["x-amazon-apigateway-gateway-responses"]
    return found


@pytest.mark.parametrize("kind", sorted(_answers()))
def test_gateway_errors_have_the_error_format_and_a_request_id(kind: str) -> None:
    answer = _answers()[kind]
    error = json.loads(answer["responseTemplates"]["application/json"])["error"]
    assert error["code"] in CODES
    assert error["message"]
    assert error.keys() - {"code", "message"} <= set(CODES[error["code"]].extras)
    if "statusCode" in answer:
        assert int(answer["statusCode"]) == CODES[error["code"]].status
    headers = answer["responseParameters"]
    assert headers["gatewayresponse.header.X-Request-Id"] == "context.requestId"
    assert headers["gatewayresponse.header.X-Content-Type-Options"] == "'nosniff'"
    assert ("gatewayresponse.header.Retry-After" in headers) == (CODES[error["code"]].status == 429)


def test_the_gateway_and_the_local_service_answer_unknown_paths_equally() -> None:
    answer = _answers()["MISSING_AUTHENTICATION_TOKEN"]
    status, _, body = edge.unknown_path("req_1")
    assert answer["statusCode"] == str(status)
    assert json.loads(answer["responseTemplates"]["application/json"]) == json.loads(body)
