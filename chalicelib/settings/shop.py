"""Settings of the Admin API of shops."""

from dataclasses import dataclass

from chalicelib.settings.reading import read, setting


@dataclass(frozen=True, slots=True)
class ShopSettings:
    """The settings, as the unchanged text of their environment variables."""

    api_version: str = setting("SHOP_API_VERSION", "2026-04", "the version of Shopify's Admin GraphQL API")
    admin_url: str = setting(
        "SHOP_ADMIN_URL",
        "",
        "the address of the Admin API for all shops, instead of the shop's own (local service, tests)",
    )


def shop_settings() -> ShopSettings:
    """Return the settings of the Admin API of shops."""
    return read(ShopSettings)
