"""Phrases in twelve languages with which pages say that they do not exist.

The languages are English, German, French, Spanish, Italian, Dutch, Portuguese, Polish, Swedish, Danish, Czech and
Russian. A title or heading counts only if it says nothing but that. "Page not found | Shop" counts. "Page not found:
how to fix it" does not, because it is an article on the subject.
"""

import re
from typing import Final

from chalicelib.domain.page.text import fold

_LONGEST: Final = 140
# Each phrase below contains one of these. A text without any is not examined further.
_HINTS: Final = (
    "404 found find exist locate missing longer such gefunden existiert gibt vorhanden nicht trouv existe existante"
    " encontr existente esiste trovat gevonden niet znalezion istnieje hitta finns ikke inte nalezen neexist найден"
    " существует".split()
)
_SEPARATORS: Final = re.compile(r"\s[-–—|·•»«›/~]+\s|\s*[|»«•]\s*|::")
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
# Numbers and exclamations that may surround the sentence.
_FILLERS: Final = frozenset(
    "404 410 error errors http code status oops ooops ops uups ups whoops uh oh oooops hoppla hups sorry hmm ooh ouch"
    " fehler fehlerseite leider entschuldigung erreur désolé oups errore erro fout foutmelding helaas błąd przepraszamy"
    " fel tyvärr ursäkta fejl desværre beklager chyba jejda omlouváme ошибка извините lo siento perdón scusa"
    " peccato".split()
)
_SUBJECT: Final = {
    "en": r"(?:web ?page|page|file|url|site|article|post|product|document|content|item|resource|address|location|"
    r"category|entry|page or file)",
    "de": r"(?:seite|webseite|internetseite|datei|artikel|beitrag|produkt|inhalt|dokument|adresse|url|kategorie)",
    "fr": r"(?:page|fichier|article|produit|contenu|document|adresse|url|ressource)",
    "es": r"(?:página|pagina|archivo|artículo|producto|contenido|documento|dirección|url|recurso)",
    "it": r"(?:pagina|file|articolo|prodotto|contenuto|documento|indirizzo|url|risorsa)",
    "nl": r"(?:pagina|webpagina|bestand|artikel|product|inhoud|document|adres|url)",
    "pt": r"(?:página|pagina|arquivo|ficheiro|artigo|produto|conteúdo|documento|endereço|url)",
    "pl": r"(?:strona|strony|podstrona|plik|artykuł|produkt|dokument|treść|adres)",
    "sv": r"(?:sidan|sida|filen|artikeln|produkten|dokumentet|innehållet|adressen)",
    "da": r"(?:siden|side|filen|artiklen|produktet|dokumentet|indholdet|adressen)",
    "cs": r"(?:stránka|stránku|strana|soubor|článek|produkt|dokument|obsah)",
    "ru": r"(?:страница|страницу|файл|статья|товар|документ)",
}
_NEGATED: Final = r"(?=.*\b(?:not|can't|cannot|couldn't|doesn't|wasn't|isn't|no longer|missing|gone)\b)"
_PHRASES: Final = (
    # English
    r"not found",
    rf"{_NEGATED}(?:(?:the|this|that|your|requested|web|any) )*{_SUBJECT['en']}(?: (?:that )?"
    r"(?:you(?:'re| are| were|'ve| have)?|was|is)? ?(?:requested|looking for|trying to reach|trying to access|"
    r"tried to reach|searching for|wanted))?"
    r" (?:(?:was|is|has|could|can|cannot|can't|couldn't|wasn't|isn't|not|been|be|does|doesn't|no longer|seems to) )*"
    r"(?:not found|be found|found|not exist|doesn't exist|exist|exists|be located|missing|gone)",
    rf"(?:we|i) (?:can't|cannot|can not|couldn't|could not|didn't|did not) (?:seem to )?(?:find|locate) "
    rf"(?:(?:the|this|that|your|requested) )*{_SUBJECT['en']}(?: you(?:'re| are| were|'ve)? (?:requested|looking for|"
    r"searching for))?",
    rf"no such {_SUBJECT['en']}",
    # German
    r"nicht gefunden",
    rf"(?:(?:die|das|der|diese|dieses|dieser|angeforderte|gewünschte|gesuchte|aufgerufene) )*{_SUBJECT['de']} "
    r"(?:(?:wurde|konnte|kann|ist|leider) )*(?:nicht|nicht mehr) (?:gefunden|vorhanden|verfügbar|existent)(?: werden)?",
    rf"(?:(?:die|das|diese|dieses) )*{_SUBJECT['de']} (?:existiert|gibt es) (?:leider )?nicht(?: mehr)?",
    rf"keine {_SUBJECT['de']} gefunden",
    # French
    rf"(?:(?:la|cette|le|ce|l'|votre) )?(?:l')?{_SUBJECT['fr']}(?: (?:demandée?|recherchée?|que vous "
    r"(?:cherchez|recherchez|demandez)))? (?:introuvable|non trouvée?|inexistante?|n'existe pas|n'existe plus|"
    r"est introuvable|n'a pas été "
    r"trouvée?|n'a pas pu être trouvée?|n'est pas disponible)",
    # Spanish
    rf"(?:(?:la|esta|el|este) )?{_SUBJECT['es']}(?: (?:solicitad[ao]|que buscas?))? (?:no encontrad[ao]|no existe|"
    r"inexistente|no se encuentra|no se ha encontrado|no se encontró|no fue encontrad[ao]|no ha sido encontrad[ao])",
    rf"no (?:se )?(?:encontramos|hemos encontrado|se encontró|se ha encontrado|encuentra|se encuentra) (?:la|esa|esta) "
    rf"{_SUBJECT['es']}",
    # Italian
    rf"(?:(?:la|questa|il|questo) )?{_SUBJECT['it']}(?: (?:richiest[ao]|che cerchi|cercat[ao]))? (?:non trovat[ao]|"
    r"non esiste|inesistente|non è stat[ao] trovat[ao]|non è disponibile)",
    # Dutch
    rf"(?:(?:de|deze|het|dit|opgevraagde|gevraagde) )*{_SUBJECT['nl']}(?: die (?:u|je) zoekt)? "
    r"(?:bestaat niet(?: meer)?|(?:(?:is|kan|kon|werd) )?niet (?:meer )?(?:gevonden|worden gevonden|"
    r"gevonden worden|beschikbaar))",
    # Portuguese
    rf"(?:(?:a|esta|essa|o|este) )?{_SUBJECT['pt']}(?: (?:solicitad[ao]|que procuras?))? "
    r"(?:não encontrad[ao]|não existe|inexistente|não foi encontrad[ao]|não pôde ser encontrad[ao])",
    # Polish
    r"nie znaleziono(?: strony| podstrony| pliku| produktu| artykułu)?",
    rf"(?:(?:ta|ten|szukana|żądana|podana) )?{_SUBJECT['pl']} nie "
    r"(?:została znaleziona|istnieje|znaleziona|znaleziono)",
    # Swedish, Danish
    rf"(?:(?:den|det|begärda) )?{_SUBJECT['sv']}(?: du söker)? (?:(?:kunde|kan) (?:inte|ej) hittas|"
    r"(?:finns|hittades|hittas) (?:inte|ej)(?: längre)?)",
    rf"(?:(?:den|det) )?{_SUBJECT['da']}(?: du leder efter)? (?:(?:kunne|kan|blev|er) )?"
    r"(?:ikke (?:fundet|findes|blive fundet)|(?:findes|eksisterer) ikke)",
    # Czech, Russian
    rf"(?:(?:tato|požadovaná|hledaná) )?{_SUBJECT['cs']} "
    r"(?:nenalezena|nenalezen|nebyla nalezena|nebyl nalezen|neexistuje)",
    rf"(?:(?:эта|запрошенная|запрашиваемая|такая) )?{_SUBJECT['ru']} (?:не найдена?|не найдено|не существует)",
)
_SAYS: Final = re.compile("|".join(f"(?:{phrase})" for phrase in _PHRASES))


def says_not_found(text: str) -> bool:
    """Whether a title or main heading says that the page does not exist."""
    if not text or len(text) > _LONGEST:
        return False
    lower = text.lower()
    if not any(hint in lower for hint in _HINTS):
        return False
    return any(_is_notice(part) for part in _SEPARATORS.split(text) if part)


def says_only_number(text: str) -> bool:
    """Whether a text for which ``says_not_found`` is true says so only by the number: "Error 404"."""
    return not any(_is_notice(part) and _words(part) for part in _SEPARATORS.split(text) if part)


def _is_notice(part: str) -> bool:
    words = _words(part)
    if not words:
        return "404" in fold(part)
    return _SAYS.fullmatch(" ".join(words)) is not None


def _words(part: str) -> list[str]:
    """Return the words without numbers and exclamations around them."""
    words = [word.replace("’", "'") for word in _WORD.findall(fold(part))]
    while words and words[0] in _FILLERS:
        del words[0]
    while words and words[-1] in _FILLERS:
        words.pop()
    return words
