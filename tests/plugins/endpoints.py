"""Works out the address of DynamoDB and SQS once for each client and operation.

botocore does so in every call, by the service's rules and the call's arguments, which took a tenth of a call. The
address of these two depends on arguments only where a table is named by its ARN.
"""

from typing import Any, Final

import pytest
from botocore.regions import EndpointRulesetResolver

_SAME: Final = frozenset({"dynamodb", "sqs"})


@pytest.hookimpl(tryfirst=True)
def pytest_configure() -> None:
    """Keeps the addresses with the client's resolver."""
    original = EndpointRulesetResolver.construct_endpoint

    def construct_endpoint(self: Any, operation_model: Any, call_args: Any, request_context: Any) -> Any:
        service = operation_model.service_model.service_name
        if service not in _SAME or str((call_args or {}).get("TableName", "")).startswith("arn:"):
            return original(self, operation_model, call_args, request_context)
        known = self.__dict__.setdefault("_known_endpoints", {})
        if operation_model.name not in known:
            known[operation_model.name] = original(self, operation_model, call_args, request_context)
        return known[operation_model.name]

    EndpointRulesetResolver.construct_endpoint = construct_endpoint
