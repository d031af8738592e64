"""A mail server for tests: as much of SMTP as a client of ours needs, over TLS or not, and ways of failing."""

import base64
import socket
import socketserver
import ssl
import threading
from typing import Any, Final, NamedTuple

import trustme

NO_FAULT: Final = "none"
USER, PASSWORD = "user@acme.example", "p:a/ss@word"


class Taken(NamedTuple):
    """A mail that was taken: the envelope's sender and recipients, its text, and whether it came over TLS."""

    sender: str
    recipients: list[str]
    data: str
    encrypted: bool


class MailServer(socketserver.ThreadingTCPServer):
    """On a free port, from its making to ``stop``. ``tls``: None, ``starttls`` or ``at_once``. Faults: ``silent`` (says
    nothing), ``closed`` (ends at once), ``unwelcome`` (554 at once), ``garbage``, ``endless`` (a line that never ends),
    ``drip`` (lines of a greeting that never ends), ``drop`` (its letters), ``full`` (452 for the recipient), ``sender``
    (550 for the sender), ``unknown`` and ``detailed`` (550 for the recipient), ``unwanted`` and ``foreign`` (550 for
    our address), ``spam`` and ``unread`` (554 and 550 for the mail), ``away`` (421 for the mail)."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, tls: str | None = None, login: bool = False, fault: str = NO_FAULT) -> None:
        self.tls, self.login, self.fault = tls, login, fault
        self.taken: list[Taken] = []
        self.passwords: list[str] = []  # that came without TLS
        self.stopping = threading.Event()
        self.authority = trustme.CA()
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.authority.issue_cert("127.0.0.1", "localhost").configure_cert(self.context)
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.port = self.server_address[1]
        threading.Thread(target=self.serve_forever, args=(0.05,), name="mail server", daemon=True).start()

    def stop(self) -> None:
        self.stopping.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Pass over clients that go away."""


class _Conversation(socketserver.BaseRequestHandler):
    server: MailServer

    def handle(self) -> None:
        self.encrypted = False
        if self.server.tls == "at_once":
            self._encrypt()
        match self.server.fault:
            case "silent":
                self.server.stopping.wait(60)
                return
            case "closed":
                return
            case "unwelcome":
                self.request.sendall(b"554 no service here\r\n")
                return
            case "garbage":
                self.request.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                return
            case "drip" | "drop":
                while not self.server.stopping.wait(0.02):
                    self.request.sendall(b"220-x\r\n" if self.server.fault == "drip" else b"2")
                return
            case "endless":
                while not self.server.stopping.is_set():
                    self.request.sendall(b"220-" + b"x" * 60_000)
                return
        self._read()
        self._say("220 ready")
        sender, recipients = "", list[str]()
        while line := self.lines.readline().decode().rstrip("\r\n"):
            verb, _, rest = line.partition(" ")
            match verb.upper():
                case "EHLO":
                    features = ["STARTTLS"] if self.server.tls == "starttls" and not self.encrypted else []
                    features += ["AUTH PLAIN"] if self.server.login else []
                    parts = ["acme.example", *features, "8BITMIME"]
                    for part in parts[:-1]:
                        self._say(f"250-{part}")
                    self._say(f"250 {parts[-1]}")
                case "STARTTLS":
                    self._say("220 go ahead")
                    self._encrypt()
                    self._read()
                case "AUTH":
                    _, user, password = base64.b64decode(rest.partition(" ")[2]).decode().split("\0")
                    if not self.encrypted:
                        self.server.passwords.append(password)
                    self._say("235 welcome" if (user, password) == (USER, PASSWORD) else "535 no")
                case "MAIL":
                    sender = rest.partition("<")[2].partition(">")[0]
                    self._say("550 not yours" if self.server.fault == "sender" else "250 ok")
                case "RCPT":
                    recipients.append(rest.partition("<")[2].partition(">")[0])
                    refused = {
                        "full": "452 later",
                        "unknown": "550 nobody",
                        "detailed": "550 5.1.1 nobody",
                        "unwanted": "550 5.7.1 not from you",
                        "foreign": "550 5.1.8 Sender address rejected: Domain not found",
                    }
                    self._say(refused.get(self.server.fault, "250 ok"))
                case "DATA":
                    self._say("354 go on")
                    data = []
                    while (one := self.lines.readline().decode()) not in (".\r\n", ""):
                        data.append(one.removeprefix("."))
                    refused = {"spam": "554 spam", "unread": "550 no", "away": "421 later"}
                    if self.server.fault not in refused:
                        self.server.taken.append(Taken(sender, recipients, "".join(data), self.encrypted))
                    self._say(refused.get(self.server.fault, "250 taken"))
                case "QUIT":
                    self._say("221 bye")
                    return
                case _:
                    self._say("250 ok")

    def _say(self, line: str) -> None:
        self.request.sendall(line.encode() + b"\r\n")

    def _read(self) -> None:
        self.lines = self.request.makefile("rb")

    def _encrypt(self) -> None:
        plain: socket.socket = self.request
        self.request = self.server.context.wrap_socket(plain, server_side=True)
        self.encrypted = True
