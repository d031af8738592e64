"""Calls every GET through a client that openapi-python-client made; run with the folder that holds the client.

Prints a JSON object: of each operation the status, and the members that do not come back as they were sent. An
operation that the client cannot read has its error.
"""

import importlib
import json
import sys
from datetime import date
from typing import Any


def main() -> None:
    folder, base_url, key, known = sys.argv[1:5]
    sys.path.insert(0, folder)
    client = importlib.import_module("made.client").AuthenticatedClient(base_url=base_url, token=key)
    found = {operation: _outcome(client, tag, operation, values) for tag, operation, values in json.loads(known)}
    sys.stdout.write(json.dumps(found))


def _outcome(client: Any, tag: str, operation: str, values: dict[str, Any]) -> dict[str, Any]:
    view = importlib.import_module(f"made.api.{tag}.{operation}")
    values = {name: date.fromisoformat(value) if name in ("from_", "to") else value for name, value in values.items()}
    try:
        received = view.sync_detailed(client=client, **values)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:300]}
    outcome: dict[str, Any] = {"status": int(received.status_code)}
    if hasattr(received.parsed, "to_dict"):
        outcome["differs"] = _different(received.parsed.to_dict(), json.loads(received.content), "")[:20]
    else:
        outcome["differs"] = [] if received.parsed else ["not read"]
    return outcome


def _different(read: Any, sent: Any, path: str) -> list[str]:
    """The members that are not the same, by their path."""
    if isinstance(read, dict) and isinstance(sent, dict):
        names = {*read, *sent}
        return [one for name in sorted(names) for one in _different(read.get(name), sent.get(name), f"{path}.{name}")]
    if isinstance(read, list) and isinstance(sent, list) and len(read) == len(sent):
        return [one for pair in zip(read, sent, strict=True) for one in _different(*pair, f"{path}[]")]
    same = read == sent or (isinstance(read, str) and isinstance(sent, str) and _instant(read) == _instant(sent))
    return [] if same else [path]


def _instant(text: str) -> str:
    """Times come back with an offset in place of ``Z``."""
    return text.replace("+00:00", "Z")


if __name__ == "__main__":
    main()
