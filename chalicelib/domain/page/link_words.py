"""Link texts that say nothing about where the link leads, and such that only work the page, in twelve languages:
English, German, French, Spanish, Italian, Dutch, Portuguese, Polish, Swedish, Danish, Czech and Russian."""

from functools import lru_cache
from typing import Final

_VAGUE: Final = frozenset(
    text.strip()
    for line in """
    click here, click this, click, click for more, here, right here, this, this link, this page, link, go, go here,
    more, more info, more information, more details, details, learn more, read more, see more, find out more, view more,
    show more, discover more, know more, continue, continue reading, read on, see here, view, view details, read article
    hier, hier klicken, klick hier, klicken sie hier, klicke hier, mehr, mehr infos, mehr info, mehr informationen,
    weitere informationen, weitere infos, mehr erfahren, mehr lesen, weiterlesen, weiter lesen, mehr dazu, zum artikel,
    zum beitrag, jetzt lesen, mehr anzeigen, mehr details, dieser link, lesen sie mehr
    ici, cliquez ici, cliquer ici, clique ici, plus, en savoir plus, lire la suite, lire plus, voir plus,
    plus d'infos, plus d'informations, découvrir, suite, la suite, ce lien, savoir plus, plus de détails
    aquí, haz clic aquí, haga clic aquí, clic aquí, pulsa aquí, más, leer más, ver más, saber más, más información,
    seguir leyendo, continuar leyendo, más detalles, este enlace, más info
    qui, clicca qui, cliccare qui, fai clic qui, leggi tutto, leggi di più, scopri di più, continua a leggere, continua,
    maggiori informazioni, più informazioni, per saperne di più, vedi di più, approfondisci, dettagli
    hier klikken, klik hier, lees meer, meer, meer lezen, meer info, meer informatie, lees verder, verder lezen,
    bekijk meer, ontdek meer, deze link
    aqui, clique aqui, clica aqui, saiba mais, leia mais, ler mais, mais, mais informações, ver mais, continue lendo,
    continuar a ler, mais detalhes
    tutaj, kliknij tutaj, kliknij, więcej, czytaj więcej, czytaj dalej, dowiedz się więcej, zobacz więcej,
    więcej informacji, przeczytaj więcej, szczegóły, ten link
    här, klicka här, läs mer, mer, mer info, mer information, läs vidare, visa mer, se mer
    her, klik her, læs mere, mere, mere info, mere information, se mere, læs videre, vis mere
    zde, klikněte zde, klikni zde, více, číst více, číst dál, čtěte více, více informací, zobrazit více, zjistit více,
    tady, celý článek
    здесь, нажмите здесь, кликните здесь, тут, подробнее, читать далее, читать дальше, далее, узнать больше, ещё, еще
    """.splitlines()
    for text in line.split(",")
    if text.strip()
)
# What opens, closes, moves or copies something on the page itself.
_TOGGLES: Final = frozenset(
    text.strip().casefold()
    for line in """
    menu, main menu, open menu, close menu, toggle menu, toggle navigation, navigation, open, close, toggle, expand,
    collapse, expand all, collapse all, show, hide, show all, hide all, show sidebar, hide sidebar, toggle sidebar,
    search, settings, copy, copy item path, print, back, go back, previous, next, prev, all, none, back to top, top,
    share, details
    menü, öffnen, schließen, suche, suchen, drucken, zurück, weiter, einklappen, ausklappen, anzeigen, ausblenden,
    kopieren
    ouvrir, fermer, rechercher, recherche, imprimer, retour, suivant, précédent, afficher, masquer, copier
    menú, abrir, cerrar, buscar, imprimir, volver, siguiente, anterior, mostrar, ocultar, copiar
    apri, chiudi, cerca, stampa, indietro, avanti, successivo, precedente, mostra, nascondi, copia
    openen, sluiten, zoeken, afdrukken, terug, volgende, vorige, tonen, verbergen, kopiëren
    fechar, pesquisar, voltar, seguinte, próximo, esconder
    otwórz, zamknij, szukaj, drukuj, wstecz, dalej, następny, poprzedni, pokaż, ukryj, kopiuj
    meny, öppna, stäng, sök, skriv ut, tillbaka, nästa, föregående, visa, dölj, kopiera
    åbn, luk, søg, tilbage, næste, forrige, vis, skjul, kopiér
    nabídka, otevřít, zavřít, hledat, tisk, zpět, další, předchozí, zobrazit, skrýt, kopírovat
    меню, открыть, закрыть, поиск, найти, печать, назад, вперёд, далее, показать, скрыть, копировать
    """.splitlines()
    for text in line.split(",")
    if text.strip()
)
# Arrows and punctuation around the words, such as "Read more »".
_AROUND: Final = " .…:;!,>»›→⟶➔➜←«‹<+[]()-–—\u00a0"
_LONGEST: Final = max(map(len, _VAGUE)) + 8


@lru_cache(maxsize=8192)  # most links of a website stand on many of its pages
def is_vague(text: str) -> bool:
    """Whether a link's visible text (one space between words) says nothing about its target."""
    if len(text) > _LONGEST:
        return False
    return text.strip(_AROUND).casefold().replace("’", "'") in _VAGUE


def is_toggle(text: str) -> bool:
    """Whether a link's visible text only works the page: signs without a letter, or such words as "Menu"."""
    stripped = text.strip(_AROUND)
    return not any(map(str.isalnum, stripped)) or stripped.casefold() in _TOGGLES
