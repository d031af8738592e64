"""Tells whether a contact page also says who is behind the website."""

import re
from typing import Final

from chalicelib.domain.page.facts import PageFacts

# "Ada Byron is the author of Tents", not "of these photos".
_THEIRS: Final = (
    r"(?! (?:(?:th[ei]s?e?|our|all|most) )?(?:\w+ )?(?:themes?|templates?|designs?|icons?|photos?|pictures?|forms?)\b)"
)
# "It is produced by a small collective", "We are a family of tent makers". "Theme made by …" has no verb of being.
_SAYS: Final = re.compile(
    r"\b(?:is|are|was|were|been) (?:\w+ly )?(?:produced|developed|created|written|run|maintained|made|published|edited"
    r"|operated) by\b|\bis the (?:work|creation) of\b|\bwe are an? \w"
    r"|\b(?:wird|werden|wurde|ist|sind) (?:von|durch) [^.!?]{2,80} (?:betrieben|entwickelt|herausgegeben|erstellt"
    r"|gepflegt|gemacht|geschrieben)\b|\bwir sind eine? \w"
    r"|\b(?:est|sont|été) (?:développ|cré|édit|produit|réalis|maintenu|gér|écrit)\w{0,3} par\b|\bnous sommes une? \w"
    r"|\b(?:es|está|fue|sido) (?:desarrollad|cread|editad|producid|mantenid|gestionad|escrit)[oa] por\b|\bsomos una? \w"
    r"|(?<!\w)(?:è|stat[oa]) (?:sviluppat|creat|prodott|gestit|curat|scritt|realizzat)[oa] da\w*|\bsiamo una? \w"
    r"|\b(?:wordt|is|werd) (?:gemaakt|ontwikkeld|onderhouden|beheerd|uitgegeven|geschreven) door\b|\bwij zijn een \w"
    r"|(?<!\w)(?:é|foi|está) (?:desenvolvid|criad|produzid|mantid|editad|escrit)[oa] (?:por|pel[oa])\b|\bsomos uma? \w"
    r"|\b(?:jest|został[ao]?) (?:tworz|stworz|prowadz|rozwij|wydaw|napis)\w{2,3} przez\b"
    r"|\b(?:drivs|görs|utvecklas|skapad\w*|utvecklad\w*|skriven) av\b|\b(?:drives|lavet|udviklet|skrevet) af\b"
    r"|\b(?:drives|laget|utviklet|skrevet) av\b|\b(?:vytvořil|vyvíjí|provozuje|spravuje|vydává)a? \w"
    r"|\b(?:is|am|are|was) (?:the|an?) (?:(?:main|original|sole|lead|current|first|principal|primary) )?"
    r"(?:(?:co-?)?(?:authors?|founders?)|creators?|maintainers?|developers?|makers?|owners?|publishers?|editors?"
    r"|webmasters?)(?: (?:and|&) \w+)? of\b"
    + _THEIRS
    + r"|\b(?:ist|bin|sind|war) (?:der|die) (?:haupt)?(?:autor(?:in(?:nen)?|en)?"
    r"|entwickler(?:in(?:nen)?)?|betreuer(?:in(?:nen)?)?|betreiber(?:in(?:nen)?)?|inhaber(?:in(?:nen)?)?"
    r"|herausgeber(?:in(?:nen)?)?|gründer(?:in(?:nen)?)?) (?:von|des|der|dieser)\b"
    r"|\b(?:est|suis) (?:l['’]aut(?:eur|rice)|(?:le|la) (?:créat(?:eur|rice)|développeu(?:r|se)|fondat(?:eur|rice)))"
    r" (?:de|du|des)\b|\b(?:es|soy) (?:el|la) (?:autor|creador|desarrollador|fundador|responsable)a? del?\b"
    r"|(?<!\w)(?:è|sono) (?:l['’]aut(?:ore|rice)|(?:il|la) (?:creat|fondat|svilupp?at)(?:ore|rice)) (?:di|del)"
    r"|\b(?:is|ben) de (?:auteur|maker|ontwikkelaar|oprichter|eigenaar|beheerder) van\b"
    r"|(?<!\w)(?:é|sou) [oa] (?:autor|criador|desenvolvedor|fundador)a? d[eoa]\b"
    r"|\b(?:jest|jestem) (?:autor(?:em|ką)|twórc(?:ą|zynią)|założyciel(?:em|ką)) \w"
    r"|(?<!\w)(?:är|er) (?:författare|upphovsman|skapare|grundare|forfatter(?:en)?|skaber(?:en)?|skaper(?:en)?"
    r"|grundlægger(?:en)?|grunnlegger(?:en)?) (?:till|til|av|af|bak|bag)\b|\bje (?:autor(?:em|kou)?|tvůrcem) \w",
    re.IGNORECASE,
)
_OF_DESIGN: Final = re.compile(
    r"\b(?:theme|template|design|icons?|photos?|form|vorlage|thème|plantilla)\b", re.IGNORECASE
)
_BEFORE: Final = 40  # characters before the sentence, which may name what was made


def says_who(facts: PageFacts) -> bool:
    """Whether the beginning of the page's text says who makes or runs the website."""
    text = facts.text
    return any(
        _OF_DESIGN.search(text[max(0, match.start() - _BEFORE) : match.start()]) is None
        for match in _SAYS.finditer(text)
    )
