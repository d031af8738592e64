"""Addresses whose end shows that they are files and not pages: images, documents, archives, media, feeds."""

from typing import Final

# Endings that pages never have. The crawler checks that these files exist, never reads them, and does not count them in
# the page budget.
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
# Scripts and styles are not pages either, but pages about them have such names (/wiki/Node.js).
_SOURCES: Final = (".js", ".mjs", ".css", ".map")


def is_file(url: str) -> bool:
    """Whether an address ends like a file, such as ``.zip``, so that the crawler never reads it as a page."""
    return url.partition("?")[0].lower().endswith(_FILES)


def is_asset(url: str) -> bool:
    """Whether an address ends like a file, a script or a style sheet. Such an address need not serve HTML."""
    return is_file(url) or url.partition("?")[0].lower().endswith(_SOURCES)
