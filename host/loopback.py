"""HTTP servers in threads, without delays, and without a look-up of the machine's name."""

import socket
import socketserver
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

POLL_SECONDS = 0.1  # how long a stop takes at most


class LoopbackServer(ThreadingHTTPServer):
    """Serves one handler class on a port of the loopback address (0: a free one), from ``start`` to ``stop``; on
    another address only where one is named."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, handler: type[BaseHTTPRequestHandler], port: int = 0, address: str = "127.0.0.1") -> None:
        """Raises ``OSError`` when the port is taken, or the address is none of this machine's."""
        if ":" in address:
            self.address_family = socket.AF_INET6
        super().__init__((address, port), handler)

    def server_bind(self) -> None:
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "localhost", self.server_address[1]

    def start(self, name: str) -> None:
        """Serves in a thread of that name."""
        threading.Thread(target=self.serve_forever, args=(POLL_SECONDS,), name=name, daemon=True).start()

    def stop(self) -> None:
        """Takes no more requests; connections that are open are left to end."""
        self.shutdown()
        self.server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away in the middle is no error of the server."""
