"""Settings of connections to other machines: crawls, receivers of webhooks, outside services."""

from dataclasses import dataclass

from chalicelib.settings.reading import read, setting


@dataclass(frozen=True, slots=True)
class NetworkSettings:
    """The settings, as the unchanged text of their environment variables."""

    allow_addresses: str = setting(
        "ALLOW_ADDRESSES", "", "address ranges that the network guard allows although they are not public"
    )
    extra_ca_file: str = setting("EXTRA_CA_FILE", "", "one more trusted certificate authority (PEM)")
    extra_hosts: str = setting("EXTRA_HOSTS", "", "name=address pairs used instead of DNS (local service, tests)")


def network_settings() -> NetworkSettings:
    """Return the settings of connections to other machines."""
    return read(NetworkSettings)
