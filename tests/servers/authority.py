"""A certificate authority of the tests' own, and the certificates a server can show."""

import ssl
from datetime import datetime
from pathlib import Path

import trustme


class Authority:
    """Issues certificates; ``ca_file`` is what a client needs to trust them."""

    def __init__(self, folder: Path) -> None:
        self._ca = trustme.CA()
        self.ca_file = str(folder / "ca.pem")
        self._ca.cert_pem.write_to_path(self.ca_file)

    def server_context(self, *names: str, not_after: datetime | None = None) -> ssl.SSLContext:
        """What a server for these names wraps its connections with."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._ca.issue_cert(*names, not_after=not_after).configure_cert(context)
        return context
