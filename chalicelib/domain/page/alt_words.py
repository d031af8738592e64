"""Alternative texts that do not say what the image shows."""

import re
import unicodedata
from typing import Final

from chalicelib.domain.page.text import fold

_FILE_NAME: Final = re.compile(
    r"\S[^\n]*\.(?:jpe?g|png|webp|gif|avif|svg)|(?:IMG|DSC|DSCN|DSCF|PXL|MVIMG|WP|P)_?\d{4,}\S*", re.IGNORECASE
)
# Placeholder texts of people and content systems, in twelve languages. A number may follow.
_EMPTY_TEXTS: Final = """
    image | images | img | picture | pictures | pic | photo | photos | photograph | alt | alt text | alternative text |
    alt tag | untitled | unnamed | placeholder | placeholder image | image placeholder | default image | thumbnail |
    thumb | spacer | null | undefined | no alt | no image | bild | bilder | foto | fotos | abbildung | platzhalter |
    imagen | imágenes | fotografía | immagine | immagini | fotografia | imagem | imagens | afbeelding | plaatje |
    obraz | obrazek | zdjęcie | billede | kuva | obrázek | obrázok | фото | изображение | картинка | фотография |
    зображення | 画像 | 写真 | 图片 | 照片 | 圖片 | 이미지 | 사진 | תמונה | صورة | تصویر
"""
_EMPTY: Final = re.compile(
    rf"(?:{'|'.join(re.escape(text.strip()) for text in _EMPTY_TEXTS.split('|'))})[\s_#-]*\(?\d{{0,6}}\)?"
)
# Faces typed with punctuation alone: ":-)", ";(", "(-:", "-_-", "(*_*)". Others have letters or symbols: ":D", "^^".
_SMILEY: Final = re.compile(
    r"[:;%][’']?[-~*]?[()\[\]{}*/\\@#&]+|[()\[\]{}]+[-~*]?[’']?[:;%]|\(? ?([-*@;'.・])_{1,3}\1 ?\)?"
)
_NAMED_SIGNS: Final = frozenset("&@#%§¶†‡/\\")  # signs that are read aloud by their name


def says_nothing(alt: str) -> bool:
    """Whether an alternative text consists only of a word for pictures, or only of marks such as dots and dashes."""
    folded = fold(alt)
    if folded and all(unicodedata.category(character)[0] in "PZ" and character not in "?!" for character in folded):
        # A smiley or a sign in running text is all that its image says.
        return folded not in _NAMED_SIGNS and any(_SMILEY.fullmatch(part) is None for part in folded.split())
    return _EMPTY.fullmatch(folded) is not None


def is_file_name(alt: str) -> bool:
    """Whether an alternative text names a file, or is a number that a camera assigned."""
    return _FILE_NAME.fullmatch(alt.strip()) is not None
