"""Widths of letters, read from a font with the metrics of Arial: Liberation Sans, as Debian packages it."""

import struct
import unicodedata
from functools import cache
from pathlib import Path

PACKAGE = "fonts-liberation"
FILE = Path("/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf")


def pixels(text: str, size: int) -> float:
    """How wide a text is; a character that is as wide as it is high (Chinese, Japanese, Korean) is one em."""
    widths, missing = _widths()
    total = 0.0
    for letter in text:
        if unicodedata.east_asian_width(letter) in "WF":
            total += 1.0
        elif not unicodedata.combining(letter):
            total += widths.get(ord(letter), missing)
    return total * size


@cache
def _widths() -> tuple[dict[int, float], float]:
    """Width by code point, and of what the font does not have, as parts of the font size."""
    data = FILE.read_bytes()
    count = struct.unpack(">H", data[4:6])[0]
    tables = {}
    for number in range(count):
        tag, _, offset, _ = struct.unpack(">4sIII", data[12 + 16 * number : 28 + 16 * number])
        tables[tag] = offset
    em = struct.unpack(">H", data[tables[b"head"] + 18 : tables[b"head"] + 20])[0]
    long = struct.unpack(">H", data[tables[b"hhea"] + 34 : tables[b"hhea"] + 36])[0]
    advances = [
        struct.unpack(">H", data[at : at + 2])[0] for at in range(tables[b"hmtx"], tables[b"hmtx"] + 4 * long, 4)
    ]
    glyphs = _glyphs(data, tables[b"cmap"])
    return {code: advances[min(glyph, long - 1)] / em for code, glyph in glyphs.items()}, advances[0] / em


def _glyphs(data: bytes, at: int) -> dict[int, int]:
    """The font's glyph for each code point of the basic plane (cmap, format 4)."""
    for number in range(struct.unpack(">H", data[at + 2 : at + 4])[0]):
        platform, encoding, offset = struct.unpack(">HHI", data[at + 4 + 8 * number : at + 12 + 8 * number])
        start = at + offset
        if (platform, encoding) == (3, 1) and struct.unpack(">H", data[start : start + 2])[0] == 4:
            break
    else:
        raise ValueError("the font has no table of the basic plane")
    twice = struct.unpack(">H", data[start + 6 : start + 8])[0]
    segments = twice // 2

    def row(position: int) -> tuple[int, ...]:
        return struct.unpack(f">{segments}H", data[position : position + twice])

    ends, starts = row(start + 14), row(start + 16 + twice)
    deltas, ranges_at = row(start + 16 + 2 * twice), start + 16 + 3 * twice
    ranges = row(ranges_at)
    found = {}
    for segment in range(segments):
        for code in range(starts[segment], ends[segment] + 1):
            glyph = code
            if ranges[segment]:
                place = ranges_at + 2 * segment + ranges[segment] + 2 * (code - starts[segment])
                glyph = struct.unpack(">H", data[place : place + 2])[0] if place + 2 <= len(data) else 0
            if glyph or not ranges[segment]:
                found[code] = (glyph + deltas[segment]) & 0xFFFF
    return found
