"""Strips a compiled library: keeps only the parts that are needed to load it."""

import struct

_BEGINNING = b"\x7fELF\x02\x01"  # 64 bits, little-endian, like the machines of functions
_PROGRAM_HEADERS, _SECTION_HEADERS = 0x20, 0x28  # positions in the header of the addresses of these tables
_PROGRAM_SIZES, _SECTION_SIZES = 0x36, 0x3A  # positions in the header of the sizes of their entries
_SEGMENT_OFFSET, _SEGMENT_BYTES = 8, 32  # in a program header


def stripped(library: bytes) -> bytes:
    """Return the library up to the end of its last segment, without its section table. A file that is not a library is
    returned unchanged.

    A loader reads only segments. Symbols and debug information come after them.
    """
    if not library.startswith(_BEGINNING):
        return library
    (table,) = struct.unpack_from("<Q", library, _PROGRAM_HEADERS)
    size, count = struct.unpack_from("<HH", library, _PROGRAM_SIZES)
    end = table + size * count
    for header in range(table, end, size):
        (offset,) = struct.unpack_from("<Q", library, header + _SEGMENT_OFFSET)
        (length,) = struct.unpack_from("<Q", library, header + _SEGMENT_BYTES)
        end = max(end, offset + length)
    kept = bytearray(library[:end])
    struct.pack_into("<Q", kept, _SECTION_HEADERS, 0)
    struct.pack_into("<HHH", kept, _SECTION_SIZES, 0, 0, 0)
    return bytes(kept)
