"""Typed settings, read once from the environment. Every setting has its line in docs/operating.md."""

import os
from dataclasses import dataclass, field, fields
from functools import lru_cache


def _setting(name: str, default: str, help_text: str) -> str:
    return field(default=default, metadata={"env": name, "help": help_text})


def _secret(name: str, help_text: str) -> str:
    """A setting that no ``repr`` shows, so that it stands in no log and no traceback."""
    return field(default="", repr=False, metadata={"env": name, "help": help_text})


@dataclass(frozen=True, slots=True)
class Settings:
    """All values are text as given; the properties below are what the code uses."""

    table_prefix: str = _setting("TABLE_PREFIX", "wos-", "what the names of the tables begin with")
    queue_prefix: str = _setting("QUEUE_PREFIX", "wos-", "what the names of the queues begin with")
    app_url: str = _setting("APP_URL", "https://app.example.com", "the app's address: what every link begins with")
    base_url: str = _setting(
        "BASE_URL",
        "",
        "the API's own address, in links and the description; empty: the domain that API Gateway names",
    )
    endpoint_groups: str = _setting("ENDPOINT_GROUPS", "all", "comma-separated endpoint groups that app.py registers")
    switched_off: str = _setting("SWITCHED_OFF", "", "comma-separated endpoint groups that answer 503, or api for all")
    cursor_secret: str = _secret("CURSOR_SECRET", "secret that signs cursors; made at deployment")
    secrets_key: str = _setting("SECRETS_KEY", "alias/wos-secrets", "the KMS key that encrypts stored secrets")
    allow_addresses: str = _setting(
        "ALLOW_ADDRESSES", "", "address ranges the network guard lets through although not public"
    )
    extra_ca_file: str = _setting("EXTRA_CA_FILE", "", "one more trusted certificate authority (PEM)")
    extra_hosts: str = _setting("EXTRA_HOSTS", "", "name=address pairs that are not looked up (local service, tests)")
    crawl_concurrency: str = _setting("CRAWL_CONCURRENCY", "8", "requests at once to one host")
    crawl_user_agent: str = _setting(
        "CRAWL_USER_AGENT",
        "Mozilla/5.0 (compatible; WebsiteOptimizationBot/1.0; +https://app.example.com/bot)",
        "the crawler's user agent; its robots.txt token is CRAWL_TOKEN",
    )
    crawl_token: str = _setting("CRAWL_TOKEN", "WebsiteOptimizationBot", "the crawler's name in robots.txt")
    slice_seconds: str = _setting("SLICE_SECONDS", "780", "how long one slice of a crawl runs before it hands over")
    assistant: str = _setting(
        "ASSISTANT", "", "who drafts explanations: openai, anthropic, gemini or perplexity; empty: nobody"
    )
    assistant_model: str = _setting(
        "ASSISTANT_MODEL", "", "the model that drafts; empty: the usual one of its provider"
    )
    openai_api_key: str = _secret("OPENAI_API_KEY", "OpenAI's API key (secret)")
    openai_base_url: str = _setting("OPENAI_BASE_URL", "https://api.openai.com", "where OpenAI's API is")
    anthropic_api_key: str = _secret("ANTHROPIC_API_KEY", "Anthropic's API key (secret)")
    anthropic_base_url: str = _setting("ANTHROPIC_BASE_URL", "https://api.anthropic.com", "where Anthropic's API is")
    gemini_api_key: str = _secret("GEMINI_API_KEY", "Gemini's API key (secret)")
    gemini_base_url: str = _setting(
        "GEMINI_BASE_URL", "https://generativelanguage.googleapis.com", "where Gemini's API is"
    )
    perplexity_api_key: str = _secret("PERPLEXITY_API_KEY", "Perplexity's API key (secret)")
    perplexity_base_url: str = _setting("PERPLEXITY_BASE_URL", "https://api.perplexity.ai", "where Perplexity's API is")
    log_level: str = _setting("LOG_LEVEL", "INFO", "level of the logs")

    @property
    def switched_off_groups(self) -> frozenset[str]:
        return frozenset(part.strip() for part in self.switched_off.split(",") if part.strip())


@lru_cache(maxsize=1)
def get_settings() -> Settings:
    """The settings of this process. ``get_settings.cache_clear()`` makes the next call read them again (tests)."""
    values = {}
    for item in fields(Settings):
        raw = os.environ.get(item.metadata["env"])
        if raw is not None:
            values[item.name] = raw
    return Settings(**values)
