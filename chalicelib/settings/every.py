"""Lists all modules of settings, in the order of docs/operating.md. Only the generated documents and their tests need
all modules."""

from typing import Final

from chalicelib.settings.analytics import AnalyticsSettings
from chalicelib.settings.assistants import AssistantSettings
from chalicelib.settings.core import CoreSettings
from chalicelib.settings.crawl import CrawlSettings
from chalicelib.settings.google import GoogleSettings
from chalicelib.settings.index_now import IndexNowSettings
from chalicelib.settings.mail import MailSettings
from chalicelib.settings.network import NetworkSettings
from chalicelib.settings.search_console import SearchConsoleSettings
from chalicelib.settings.shop import ShopSettings
from chalicelib.settings.speed import SpeedSettings
from chalicelib.settings.writes import WriteSettings

SUBJECTS: Final = (
    CoreSettings,
    NetworkSettings,
    CrawlSettings,
    AssistantSettings,
    ShopSettings,
    GoogleSettings,
    SearchConsoleSettings,
    AnalyticsSettings,
    SpeedSettings,
    WriteSettings,
    IndexNowSettings,
    MailSettings,
)
