"""The HTTP server of every stand-in."""

import socket
from urllib.parse import urlsplit

from local.serving import Answer, Request, Service

SECONDS = 30


class Echo(Service):
    name = "echo"
    methods = ("PUT",)

    def respond(self, request: Request) -> Answer:
        return Answer(200, request.body)


def test_a_client_that_expects_100_continue_gets_it_before_its_body() -> None:
    service = Echo()
    try:
        address = urlsplit(service.url)
        with socket.create_connection((address.hostname, address.port), timeout=SECONDS) as client:
            client.sendall(b"PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
            assert client.recv(1_000) == b"HTTP/1.1 100 Continue\r\n\r\n"
            client.sendall(b"body")
            answer = client.recv(1_000)
        assert answer.startswith(b"HTTP/1.1 200 OK\r\n") and answer.endswith(b"\r\n\r\nbody")
    finally:
        service.stop()
