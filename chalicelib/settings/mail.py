"""Settings of mail: its sender, and the server that sends it."""

from dataclasses import dataclass

from chalicelib.settings.reading import read, secret, setting


@dataclass(frozen=True, slots=True)
class MailSettings:
    """The settings, as the unchanged text of their environment variables."""

    sender: str = setting(
        "MAIL_FROM", "", "the e-mail address that mail comes from, which SES must have verified; empty: no mail is sent"
    )
    url: str = secret(
        "MAIL_URL",
        "the mail server, smtp:// or smtps:// and USER:PASSWORD@HOST:PORT (secret); empty: Amazon SES sends mail",
    )


def mail_settings() -> MailSettings:
    """Return the settings of mail."""
    return read(MailSettings)
