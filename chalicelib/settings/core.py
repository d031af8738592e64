"""Settings of the service itself: the names of its AWS resources, its addresses, its own keys."""

from dataclasses import dataclass
from typing import Final

from chalicelib.settings.reading import read, secret, setting

APP_PATH: Final = "/app"  # the path of the app, next to the API's


@dataclass(frozen=True, slots=True)
class CoreSettings:
    """The settings, as the unchanged text of their environment variables.

    The code uses ``switched_off_groups`` instead of ``switched_off``.
    """

    table_prefix: str = setting("TABLE_PREFIX", "wos-", "the prefix of all table names")
    queue_prefix: str = setting("QUEUE_PREFIX", "wos-", "the prefix of all queue names")
    stack_id: str = setting(
        "STACK_ID",
        "",
        "this deployment's name; if the tables have another name, the workers do nothing; empty: TABLE_PREFIX",
    )
    app_url: str = setting(
        "APP_URL",
        "",
        "the app's address, used in every link; empty: /app at the requested host",
    )
    base_url: str = setting(
        "BASE_URL",
        "",
        "the API's own address, in links and openapi.json; empty: the domain that API Gateway names",
    )
    trusted_proxies: str = setting(
        "TRUSTED_PROXIES",
        "",
        "without Lambda: address ranges of proxies whose X-Forwarded-For, -Proto and -Host are trusted; empty: none",
    )
    endpoint_groups: str = setting(
        "ENDPOINT_GROUPS", "all", "comma-separated endpoint groups that this process serves; none: no endpoint"
    )
    switched_off: str = setting("SWITCHED_OFF", "", "comma-separated endpoint groups that answer 503, or api for all")
    cursor_secret: str = secret("CURSOR_SECRET", "secret that signs cursors; made at deployment")
    secrets_key: str = setting(
        "SECRETS_KEY",
        "alias/wos-secrets",
        "the KMS key that encrypts stored secrets, or file: and the path of a file of keys",
    )
    exports_bucket: str = setting(
        "EXPORTS_BUCKET", "wos-exports", "the bucket for large CSV files, which it deletes after a day"
    )
    alarm_topic: str = setting(
        "ALARM_TOPIC", "", "for manage.py doctor: the ARN of the template's AlarmTopic; empty: not checked"
    )
    workspace_slots: str = setting(
        "WORKSPACE_SLOTS",
        "3",
        "how many jobs of one workspace run at once in each queue; must be less than the queue's workers",
    )
    log_level: str = setting("LOG_LEVEL", "INFO", "level of the logs")
    metrics: str = setting("METRICS", "", "on: metrics are written to the log outside of Lambda too")

    @property
    def app_root(self) -> str:
        """Return the beginning of links that are made outside a request. It is the app's address, or only the app's
        path if the address is not set."""
        return self.app_url.rstrip("/") or APP_PATH

    @property
    def switched_off_groups(self) -> frozenset[str]:
        return frozenset(part.strip() for part in self.switched_off.split(",") if part.strip())


def core_settings() -> CoreSettings:
    """Return the settings of the service itself."""
    return read(CoreSettings)
