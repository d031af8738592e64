"""Runs Chromium as a subprocess, to open pages that the service does not trust.

All requests of Chromium, even to loopback, go through the service's proxy (``net.proxy``). QUIC is off and WebRTC must
use the proxy, so Chromium has no other way into the network. Chromium gets none of the service's environment variables,
and has its own folder. A process supervisor (``connectors.supervisor``) cleans up after Chromium, even if this process
is killed.

Commands are sent over a pipe. Lighthouse needs a port for commands; this port is on the loopback address, which no page
can reach through the proxy.
"""

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self

from chalicelib import clock
from chalicelib.connectors import supervisor
from chalicelib.connectors.answers import in_one_line
from chalicelib.connectors.errors import NotConnected, Unavailable
from chalicelib.net.calls import certificate
from chalicelib.net.proxy import Proxy
from chalicelib.settings.network import network_settings
from chalicelib.settings.speed import speed_settings

START_SECONDS: Final = 20.0
CERTIFICATE_SECONDS: Final = 10.0
_END_SECONDS: Final = 5.0
_WORDS: Final = 4_000  # bytes of a program's last output that are read
_OF_THE_SCRIPT: Final = re.compile(r"\S+: \d+: \[: ")
_LOGGED: Final = re.compile(r"\[(\d+:)*\d+/[\d.]+:(ERROR|WARNING|INFO)")
_POLL_SECONDS: Final = 0.02
# Hosts that Chromium contacts on its own, unless a switch prevents it.
CALLS_HOME: Final = (
    "accounts.google.com",
    "android.clients.google.com",
    "clients1.google.com",
    "clients2.google.com",
    "clients2.googleusercontent.com",
    "clientservices.googleapis.com",
    "content-autofill.googleapis.com",
    "edgedl.me.gvt1.com",
    "mtalk.google.com",
    "optimizationguide-pa.googleapis.com",
    "redirector.gvt1.com",
    "safebrowsing.googleapis.com",
    "update.googleapis.com",
)
_SWITCHES: Final = (
    "--headless=new",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-startup-window",  # our code opens its own tabs
    "--no-pings",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-sync",
    "--dns-prefetch-disable",
    "--metrics-recording-only",
    "--mute-audio",
    "--password-store=basic",
    "--use-mock-keychain",
    # The last four features contact www.google.com, whose name cannot be refused, because pages use it too.
    "--disable-features=AutofillServerCommunication,DialMediaRouteProvider,MediaRouter,OptimizationHints,Translate,"
    "AimServerEligibilityEnabled,AimServerRequestOnStartupEnabled,PreconnectFromKeyedService,PreconnectToSearch",
    "--disk-cache-size=33554432",
    # Otherwise WebRTC would bypass the proxy.
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--proxy-bypass-list=<-loopback>",  # loopback addresses use the proxy too
)


@dataclass(frozen=True, slots=True)
class Engine:
    """The browser's path and its options. ``features``: the features of the browser that are switched on. They change
    the results of tests."""

    chrome: str
    features: tuple[str, ...]
    sandbox: bool

    @classmethod
    def connected(cls) -> "Engine":
        """Make the engine for the browser of the setting CHROME_PATH. Raises ``NotConnected``."""
        settings = speed_settings()
        chrome = executable("CHROME_PATH", settings.chrome_path)
        features = tuple(part.strip() for part in settings.chrome_features.split(",") if part.strip())
        if not all(feature.isalnum() for feature in features):
            raise NotConnected("CHROME_FEATURES must be names of features, with commas between them.")
        return cls(chrome, features, settings.chrome_sandbox.strip().lower() != "off")


def executable(name: str, path: str) -> str:
    """Return the full path of a program. ``path``: the value of the setting ``name``. Raises ``NotConnected``."""
    if not path.strip():
        raise NotConnected(f"{name} is not set.")
    found = shutil.which(path.strip())
    if found is None:
        raise NotConnected(f"{name} is {path[:100]!r}, but there is no program at this path.")
    return found


class Kept:
    """A program that runs under the supervisor and works in ``folder``. ``stop`` ends the program with all its
    processes. ``name``: the name of its output file in the folder. ``pipes``: passed to the program as file descriptors
    3 and 4."""

    def __init__(self, command: Sequence[str], folder: Path, name: str, pipes: tuple[int, int] | None = None) -> None:
        given = ("-", "-") if pipes is None else tuple(map(str, pipes))
        self._said = folder / f"{name}.errors"
        with self._said.open("wb") as errors:
            self.process: subprocess.Popen[bytes] = subprocess.Popen(
                [sys.executable, "-I", "-S", str(Path(supervisor.__file__)), *given, *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                # This process's own environment contains keys and secrets.
                env={"PATH": os.environ.get("PATH", os.defpath), "HOME": str(folder), "TMPDIR": str(folder)},
                cwd=folder,
                pass_fds=pipes or (),
                start_new_session=True,
            )

    def wait(self, until: float) -> int | None:
        """Wait for the program's end, and return its exit status. Returns None if it has not ended by ``until``
        (``clock.monotonic``)."""
        try:
            return self.process.wait(max(0.0, until - clock.monotonic()))
        except subprocess.TimeoutExpired:
            return None

    def last_words(self) -> str:
        """Return the program's last output, for a message. Chromium's log comes after the other output, because it
        consists mostly of remarks about the machine. Output of Debian's start script is left out."""
        text = self._said.read_bytes()[-_WORDS:].decode("utf-8", "replace")
        lines = [line for line in text.splitlines() if line.strip() and not _OF_THE_SCRIPT.match(line)]
        told = [line for line in lines if not _LOGGED.match(line)] or lines
        return ": " + in_one_line(told[-1], ()).rstrip(".") if told else ""

    def stop(self) -> None:
        """End the program and all its descendants."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Browser:
    """Chromium as a context manager, for the page of ``url``. ``proxy``: the proxy that records its requests.

    ``to_browser`` and ``from_browser``: the pipe for commands (DevTools protocol, each message ended by a zero byte).
    Raises ``Unavailable`` if Chromium does not start.
    """

    def __init__(self, engine: Engine, url: str, *, port: bool = False, switches: Sequence[str] = ()) -> None:
        network = network_settings()
        self._engine = engine
        self._port = port
        self._more = switches
        self._url = url
        self._ca_file = network.extra_ca_file
        self.proxy = Proxy(
            allow_addresses=network.allow_addresses,
            extra_hosts=network.extra_hosts,
            own_sites=[url],
            refused_hosts=CALLS_HOME,
        )
        self._closing: list[Callable[[], None]] = []
        self.folder = Path()
        self.to_browser: IO[bytes]
        self.from_browser: IO[bytes]

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def _start(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="browser-"))
        self._closing.append(lambda: shutil.rmtree(self.folder, ignore_errors=True))
        self.proxy.start()
        self._closing.append(self.proxy.stop)
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        self.to_browser, self.from_browser = os.fdopen(ours_out, "wb", 0), os.fdopen(ours_in, "rb", 0)
        self._closing += [self.from_browser.close, self.to_browser.close]
        try:
            kept = Kept(
                [self._engine.chrome, *self._switches()],
                self.folder,
                "chromium",
                (theirs_in, theirs_out),
            )
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
        self._closing.append(kept.stop)
        self._kept = kept

    def _switches(self) -> list[str]:
        switches = [
            *_SWITCHES,
            *self._more,
            f"--user-data-dir={self.folder / 'profile'}",
            f"--proxy-server=http://127.0.0.1:{self.proxy.port}",
            "--remote-debugging-pipe",
        ]
        if self._port:
            switches.append("--remote-debugging-port=0")
        if self._engine.features:
            switches.append(f"--enable-features={','.join(self._engine.features)}")
        if not self._engine.sandbox:
            switches.append("--no-sandbox")
        trusted = self._trusted_key()
        if trusted:
            switches.append(f"--ignore-certificate-errors-spki-list={trusted}")
        return switches

    def _trusted_key(self) -> str | None:
        """Return a hash of the key of the page's server, if our additional authority (EXTRA_CA_FILE) vouches for the
        server. Chromium itself only trusts the system's authorities."""
        if not self._ca_file or not self._url.lower().startswith("https:"):
            return None
        network = network_settings()
        found = certificate(
            self._url,
            seconds=CERTIFICATE_SECONDS,
            allow_addresses=network.allow_addresses,
            extra_hosts=network.extra_hosts,
            ca_file=self._ca_file,
        )
        return None if found is None else _key_hash(found)

    def debugging_port(self) -> int:
        """Return the port on which Chromium also accepts commands. Raises ``Unavailable``."""
        until = clock.monotonic() + START_SECONDS
        written = self.folder / "profile" / "DevToolsActivePort"
        while clock.monotonic() < until:
            if written.exists() and (lines := written.read_text(encoding="ascii").splitlines()):
                return int(lines[0])
            if self._kept.process.poll() is not None:
                break
            clock.sleep(_POLL_SECONDS)
        raise Unavailable(f"The browser did not start{self.last_words()}.")

    def last_words(self) -> str:
        """Return the last lines of Chromium's output, for a message."""
        return self._kept.last_words()

    def _close(self) -> None:
        for close in reversed(self._closing):
            close()
        self._closing.clear()


def _key_hash(certificate: bytes) -> str:
    """Return the hash by which Chromium identifies a server's public key."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
    from cryptography.x509 import load_der_x509_certificate

    key = load_der_x509_certificate(certificate).public_key()
    digest = hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).digest()
    return base64.b64encode(digest).decode("ascii")
