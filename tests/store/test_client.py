"""The clients that the service makes of botocore."""

from collections import Counter

import pytest
from botocore.loaders import JSONFileLoader

from chalicelib.store import client

MADE = (client.dynamodb, client.sqs, client.kms, client.s3)


@pytest.mark.usefixtures("embedded_aws")
def test_botocore_data_is_loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: Counter[str] = Counter()
    load = JSONFileLoader.load_file

    def counted(self: JSONFileLoader, path: str) -> object:
        found = load(self, path)
        read[path] += found is not None
        return found

    monkeypatch.setattr(JSONFileLoader, "load_file", counted)
    client._loader.cache_clear()
    for _ in range(2):
        client.reset()
        names = [make().meta.service_model.service_name for make in MADE]
    assert names == ["dynamodb", "sqs", "kms", "s3"]
    assert any(path.endswith("endpoints") for path in read) and set(read.values()) <= {0, 1}, read


@pytest.mark.usefixtures("embedded_aws")
def test_botocore_searches_no_dynamodb_call_for_arns_of_tables() -> None:
    model = client.dynamodb().meta.service_model
    assert not any(model.operation_model(name).operation_context_parameters for name in model.operation_names)
