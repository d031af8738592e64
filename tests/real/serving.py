"""A static web server of folders, in a process of its own, so that it answers at once while the tests compute.

``python -m tests.real.serving FOLDER`` prints its port and serves until it is ended.
"""

import gzip
import http.server
import mimetypes
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent.parent
SMALLEST_COMPRESSED = 1_000  # bytes
COMPRESSED = ("text/", "application/xhtml+xml", "application/javascript", "application/json", "image/svg+xml")
TYPES = {".xhtml": "application/xhtml+xml", ".woff2": "font/woff2"}


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a website that serves ``folder``, without a slash at its end."""
    command = [sys.executable, "-m", "tests.real.serving", str(folder)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.terminate()


class _Files(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # an answer leaves in one piece: head and body apart wait for each other's acknowledgement
    disable_nagle_algorithm = True

    def __init__(self, folder: Path, *arguments: object) -> None:
        self.folder = folder
        super().__init__(*arguments)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        file = self.folder / path.lstrip("/")
        if ".." in path.split("/"):
            self._answer(404, "text/plain", b"not found")
        elif file.is_dir() and not path.endswith("/"):
            self._answer(301, "text/plain", b"", location=self.path.partition("?")[0] + "/")
        elif path.endswith("/"):
            self._file(file / "index.html")
        else:
            self._file(file)

    def do_HEAD(self) -> None:
        self.do_GET()

    def _file(self, file: Path) -> None:
        try:
            content = file.read_bytes() if file.is_file() else None
        except OSError:  # a name longer than file systems have
            content = None
        if content is None:
            self._answer(404, "text/plain", b"not found")
        else:
            named = TYPES.get(file.suffix) or mimetypes.guess_type(file.name)[0]
            self._answer(200, named or "application/octet-stream", content)

    def _answer(self, status: int, kind: str, content: bytes, location: str | None = None) -> None:
        packed = len(content) >= SMALLEST_COMPRESSED and kind.startswith(COMPRESSED)
        if packed and "gzip" in self.headers.get("Accept-Encoding", ""):
            content = gzip.compress(content, 1)
        else:
            packed = False
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        if packed:
            self.send_header("Content-Encoding", "gzip")
        if location is not None:
            self.send_header("Location", location)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)
        self.wfile.flush()

    def log_message(self, *_: object) -> None:
        return


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def main(folder: str) -> None:
    with _Server(("127.0.0.1", 0), partial(_Files, Path(folder).resolve())) as server:
        sys.stdout.write(f"{server.server_port}\n")
        sys.stdout.flush()
        server.serve_forever()


if __name__ == "__main__":
    main(sys.argv[1])
