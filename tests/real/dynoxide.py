"""Dynoxide, a second implementation of DynamoDB, from npm: one binary on SQLite."""

import os
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.soak_processes import free_port
from tests.real import parts

PACKAGE = "@dynoxide/linux-x64@1.2.1"
START_SECONDS = 60.0


@contextmanager
def running(file: Path) -> Iterator[str]:
    """A server of its own that keeps its tables in a file; gives its address. Skips the test where the binary cannot be
    had."""
    binary = parts.npm(PACKAGE, name="dynoxide") / "@dynoxide" / "linux-x64" / "dynoxide"
    binary.chmod(0o755)
    port = free_port()
    command = [str(binary), "serve", "--port", str(port), "--db-path", str(file)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ))
    url = f"http://127.0.0.1:{port}"
    try:
        _wait(url, process)
        yield url
    finally:
        process.terminate()
        process.wait(START_SECONDS)


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    give_up = time.monotonic() + START_SECONDS
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while True:
        try:
            direct.open(url, timeout=START_SECONDS).close()
        except urllib.error.HTTPError:
            return
        except OSError as error:
            if process.poll() is not None or time.monotonic() > give_up:
                raise RuntimeError(f"dynoxide does not answer (status {process.poll()})") from error
            time.sleep(0.05)
        else:
            return
