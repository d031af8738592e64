"""Settings of writing changes to websites."""

from dataclasses import dataclass

from chalicelib.settings.reading import read, setting


@dataclass(frozen=True, slots=True)
class WriteSettings:
    """The settings, as the unchanged text of their environment variables."""

    live_reader_function: str = setting(
        "LIVE_READER_FUNCTION",
        "",
        "the function (AWS Lambda) that reads live pages after a write; empty: the writer reads them itself",
    )


def write_settings() -> WriteSettings:
    """Return the settings of writing changes to websites."""
    return read(WriteSettings)
