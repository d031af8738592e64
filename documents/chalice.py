"""Makes ``.chalice/config.json``: time limit and memory of the functions, as ``infra/functions.py`` declares them."""

import json

from infra.functions import FUNCTIONS


def text() -> str:
    """Return the configuration. ``chalice package`` and ``python -m host`` read it."""
    limits = {
        function.name: {"lambda_timeout": function.timeout, "lambda_memory_size": function.memory_mb}
        for function in FUNCTIONS
        if function.group is None
    }
    config = {
        "version": "2.0",
        "app_name": "website-optimization",
        "api_gateway_endpoint_type": "REGIONAL",
        "minimum_compression_size": 1024,
        "autogen_policy": False,
        "iam_policy_file": "policy-none.json",
        "stages": {"prod": {"api_gateway_stage": "live", "lambda_functions": limits}},
    }
    return json.dumps(config, indent=2) + "\n"
