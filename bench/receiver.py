"""A webhook receiver over TLS in a separate process, so that its CPU is not counted.

``python -m bench.receiver FOLDER`` prints one line of JSON, ``{"port", "caFile"}``: its port on loopback, and the file
of its certificate authority in the folder. It serves until its standard input is closed. The certificate is valid for
``HOST`` and for the loopback address.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

HOST = "hook.test"
ADDRESS = "127.0.0.1"


class Listening(NamedTuple):
    """The receiver's port, and the file of the certificate authority to trust."""

    port: int
    ca_file: str

    @property
    def url(self) -> str:
        return f"https://{HOST}:{self.port}/hook"


@contextmanager
def served() -> Iterator[Listening]:
    """Run a receiver during the ``with`` block."""
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [sys.executable, "-m", "bench.receiver", folder],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert process.stdout is not None and process.stdin is not None
        try:
            told = json.loads(process.stdout.readline())
            yield Listening(told["port"], told["caFile"])
        finally:
            process.stdin.close()
            process.wait(timeout=30)
            process.stdout.close()


def main() -> None:
    from tests.servers.authority import Authority
    from tests.servers.receiver import Receiver

    authority = Authority(Path(sys.argv[1]))
    with Receiver(tls=authority.server_context(HOST, ADDRESS)) as receiver:
        print(json.dumps({"port": receiver.port, "caFile": authority.ca_file}), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
