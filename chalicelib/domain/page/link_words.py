"""Link texts that say nothing about the target, and texts of controls of the page itself, in twelve languages: English,
German, French, Spanish, Italian, Dutch, Portuguese, Polish, Swedish, Danish, Czech and Russian."""

import re
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
# Controls that open, close, search or copy something on the page itself: they have no target.
_CONTROLS: Final = frozenset(
    text.strip().casefold()
    for line in """
    menu, main menu, open menu, close menu, toggle menu, toggle navigation, navigation, open, close, toggle, expand,
    collapse, expand all, collapse all, contract all, open all, close all, fold, unfold, show, hide, show all, hide all,
    show menu, hide menu, show sidebar, hide sidebar, show source, hide source, show code, hide code, toggle sidebar,
    table of contents, toc, on this page, search, settings, copy, copy item path, print, back to top, top,
    scroll to top, go to top, share
    menü, öffnen, schließen, suche, suchen, drucken, einklappen, ausklappen, alle einklappen, alle ausklappen, anzeigen,
    ausblenden, kopieren, inhaltsverzeichnis, nach oben, teilen
    ouvrir, fermer, tout ouvrir, tout fermer, rechercher, recherche, imprimer, afficher, masquer, copier,
    table des matières, sommaire, haut de page, partager
    menú, abrir, cerrar, buscar, imprimir, mostrar, ocultar, copiar, tabla de contenidos, arriba, compartir
    apri, chiudi, cerca, stampa, mostra, nascondi, copia, sommario, torna su, condividi
    openen, sluiten, zoeken, afdrukken, tonen, verbergen, kopiëren, inhoudsopgave, naar boven, delen
    fechar, pesquisar, esconder, sumário, ao topo, compartilhar, partilhar
    otwórz, zamknij, szukaj, drukuj, pokaż, ukryj, kopiuj, spis treści, do góry, udostępnij
    meny, öppna, stäng, sök, skriv ut, visa, dölj, kopiera, innehållsförteckning
    åbn, luk, søg, vis, skjul, kopiér, indholdsfortegnelse
    nabídka, otevřít, zavřít, hledat, tisk, zobrazit, skrýt, kopírovat, obsah stránky
    меню, открыть, закрыть, поиск, найти, печать, показать, скрыть, копировать, содержание, оглавление, наверх
    目次, 検索, メニュー, 目录, 搜索, 菜单, 목차, 검색, 메뉴
    """.splitlines()
    for text in line.split(",")
    if text.strip()
)
# Words for another page of a series, or for details. They name no page, but may be the only link to one.
_STEPS: Final = frozenset(
    text.strip().casefold()
    for line in """
    back, go back, previous, next, prev, all, none, details
    zurück, weiter, retour, suivant, précédent, volver, siguiente, anterior, indietro, avanti, successivo, precedente
    terug, volgende, vorige, voltar, seguinte, próximo, wstecz, dalej, następny, poprzedni, tillbaka, nästa, föregående
    tilbage, næste, forrige, zpět, další, předchozí, назад, вперёд, далее
    """.splitlines()
    for text in line.split(",")
    if text.strip()
)
# Verbs of controls with their objects: "Toggle dark mode", the label of an icon.
_WORKING: Final = re.compile(
    r"(?:toggle|expand|collapse|contract|unfold|close|copy|scroll to) [^.]{1,40}", re.IGNORECASE
)
# Signs of boxes that open and close, of menus, and of closing. Arrows to the side lead to other pages.
_WORKING_SIGNS: Final = frozenset("►▶▸▼▾▽▲△▴◀◂◄❱⌄⌃☰≡✕✖✗✘×+-−±[]()⋮⚙🔍¶#§↑⇧⬆ \ufe0f\ufe0e")
_OPENING_SIGNS: Final = frozenset("►▶▸▼▾▽▲△▴")  # before the title of a part that opens and closes
# Arrows and punctuation around the words, such as "Read more »".
_AROUND: Final = " .…:;!,>»›→⟶➔➜←«‹<+[]()-–—\u00a0"
_LONGEST: Final = max(map(len, _VAGUE)) + 8


@lru_cache(maxsize=8192)  # most links of a website are on many of its pages
def is_vague(text: str) -> bool:
    """Whether a link's visible text says nothing about its target. The words must be separated by one space."""
    if len(text) > _LONGEST:
        return False
    return text.strip(_AROUND).casefold().replace("’", "'") in _VAGUE


def is_control(text: str) -> bool:
    """Whether a link's visible text or label names a control of the page. Controls, such as "Menu", "► Table of
    contents", "Expand all" or "☰", lead to no other page."""
    stripped = _without_signs(text)
    if not stripped:
        return bool(text) and _WORKING_SIGNS.issuperset(text)
    if text[0] in _OPENING_SIGNS:
        return True
    return stripped.casefold() in _CONTROLS or _WORKING.fullmatch(stripped) is not None


def moves_on(text: str) -> bool:
    """Whether a link's visible text names no page, because it has only signs without letters, or is a word such as
    "Next"."""
    stripped = _without_signs(text)
    return not stripped or stripped.casefold() in _STEPS


def _without_signs(text: str) -> str:
    """Return the text from its first letter or number to its last."""
    letters = [at for at, sign in enumerate(text) if sign.isalnum()]
    return text[letters[0] : letters[-1] + 1] if letters else ""
