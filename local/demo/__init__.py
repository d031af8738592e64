"""A demo website with declared faults, and the same website without faults (its clean twin). Both are served on
loopback."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from local.demo.serve import PARTNER_HOST, PROFILES_HOST, Server
from local.demo.serve import start as start_server
from local.demo.variants import CLEAN, FAULTY

if TYPE_CHECKING:
    import trustme

DEMO_HOST: Final = "demo.website.test"
CLEAN_HOST: Final = "clean.website.test"
# For the setting EXTRA_HOSTS: names that only the local service resolves.
EXTRA_HOSTS: Final = ",".join(f"{name}=127.0.0.1" for name in (DEMO_HOST, CLEAN_HOST, PARTNER_HOST, PROFILES_HOST))


@dataclass(frozen=True, slots=True)
class DemoSites:
    """The faulty demo website and its clean twin while they are served. ``extra_hosts``: the value for EXTRA_HOSTS."""

    faulty: Server
    clean: Server
    extra_hosts: str = EXTRA_HOSTS

    def stop(self) -> None:
        self.faulty.stop()
        self.clean.stop()


def start(ca: "trustme.CA", *, faulty_port: int = 0, clean_port: int = 0) -> DemoSites:
    """Serve both websites over TLS with certificates of ``ca``. Port 0 takes a free port."""
    faulty = start_server(FAULTY, tls=ca, host=DEMO_HOST, port=faulty_port)
    try:
        return DemoSites(faulty, start_server(CLEAN, tls=ca, host=CLEAN_HOST, port=clean_port))
    except OSError:
        faulty.stop()
        raise
