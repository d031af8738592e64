"""Addresses that end like a file that is no page: images, documents, archives, media, feeds."""

from typing import Final

# Files of which no website makes pages of these names. They are asked whether they are there, never read, and take no
# page budget.
_FILES: Final = tuple(
    (
        ".jpg .jpeg .jpe .jfif .png .apng .gif .webp .avif .heic .jxl .svg .svgz .ico .cur .bmp .tif .tiff .psd"
        " .xml .rss .atom .rdf .xsl .xsd .dtd .txt .csv .tsv .json .webmanifest .wasm .yaml .yml"
        " .pdf .ps .djvu .doc .docx .docm .rtf .odt .xls .xlsx .xlsm .ods .ppt .pptx .pps .ppsx .odp .odg .epub .mobi"
        " .zip .gz .tgz .bz2 .tbz .xz .txz .zst .lzma .7z .rar .tar .jar .war .iso .exe .msi .dmg .pkg .deb .rpm .apk"
        " .ipa .whl .xpi"
        " .mp3 .m4a .aac .flac .oga .ogg .opus .wav .wma .mid .midi .mp4 .m4v .webm .ogv .avi .mov .mkv .mpg .mpeg .wmv"
        " .flv .swf .m3u .m3u8 .srt .vtt"
        " .woff .woff2 .ttf .otf .eot .ics .vcf .kml .kmz .gpx .sha256 .torrent"
    ).split()
)
# Scripts and styles are no pages either, but pages about them are called so (/wiki/Node.js).
_SOURCES: Final = (".js", ".mjs", ".css", ".map")


def is_file(url: str) -> bool:
    """Whether an address is never read as a page, by how it ends."""
    return url.partition("?")[0].lower().endswith(_FILES)


def is_asset(url: str) -> bool:
    """Whether an address that holds no HTML names a file, and no page that is missing."""
    return is_file(url) or url.partition("?")[0].lower().endswith(_SOURCES)
