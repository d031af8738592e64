"""Settings of every connection to a machine that is not ours: crawls, receivers of webhooks, outside services."""

from dataclasses import dataclass

from chalicelib.settings.reading import read, setting


@dataclass(frozen=True, slots=True)
class NetworkSettings:
    """All values are text as given."""

    allow_addresses: str = setting(
        "ALLOW_ADDRESSES", "", "address ranges that the network guard allows although they are not public"
    )
    extra_ca_file: str = setting("EXTRA_CA_FILE", "", "one more trusted certificate authority (PEM)")
    extra_hosts: str = setting("EXTRA_HOSTS", "", "name=address pairs used instead of DNS (local service, tests)")


def network_settings() -> NetworkSettings:
    """The settings of connections to other machines."""
    return read(NetworkSettings)
