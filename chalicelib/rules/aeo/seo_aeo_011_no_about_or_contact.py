"""SEO-AEO-011: the website does not say who runs it, or how to contact its owner."""

import re
from typing import Final
from urllib.parse import unquote

from chalicelib.domain.page.facts import Contact, Link, PageFacts
from chalicelib.domain.page.page_kinds import PageKind, detect
from chalicelib.domain.page.text import fold
from chalicelib.rules.context import Site
from chalicelib.rules.languages import LANGUAGES as CODES
from chalicelib.rules.languages import speaks_one_of
from chalicelib.rules.manuals import is_manual
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.wording import listed, spelled
from chalicelib.suggestions.languages import spoken

FEWEST_PAGES: Final = 5  # smaller websites may say everything on one page
# Texts of links to about and contact pages, and of their headings, are known in these languages.
LANGUAGES: Final = ("en", "de", "fr", "es", "it", "nl", "pt", "pl", "sv", "da", "nb", "cs")
_ABOUT: Final = re.compile(
    r"about(?: us| me| the (?:company|authors?|team|project))?|who we are|our (?:story|company|team|mission)|company"
    r"|über (?:uns|mich)|wir über uns|wer wir sind|das team|unternehmen|die firma|à propos(?: de nous)?"
    r"|qui sommes[- ]nous|notre (?:histoire|équipe)|l'entreprise|sobre (?:nosotros|mí|la empresa)"
    r"|quiénes somos|la empresa"
    r"|nosotros"
    r"|chi siamo|su di noi|l'azienda|azienda|over ons|wie zijn wij|ons verhaal|sobre(?: nós)?|quem somos|a empresa"
    r"|o nas|o mnie|o firmie|o autorze|o blogu|o stronie|kim jesteśmy|kim jestem|nasza historia|nasz zespół"
    # For one person.
    r"|who i am|my story|(?:about )?the author|wer ich bin|qui suis-je|à propos de moi|quién soy|sobre el autor"
    r"|chi sono|su di me|l'autore|over mij|wie ben ik|sobre mim|quem sou(?: eu)?"
    r"|om (?:oss|os|mig|meg|företaget|virksomheden|bedriften)|vilka vi är|hvem (?:er vi|vi er)|vår histori[ae]"
    r"|o nás|o mně|o společnosti|o firmě|kdo (?:jsme|jsem)"
    r"|über (?:den autor|die autorin|das projekt)"
    r"|à propos (?:de l['’]aut(?:eur|rice)|du projet)|sobre (?:la autora|el proyecto)"
    r"|acerca de(?: nosotros| mí|l autor| la autora|l proyecto)?|sull['’]autore|over de auteur"
    r"|sobre (?:o autor|a autora|os autores|o projeto)|om (?:författaren|forfatteren|projektet|prosjektet)|o autorovi"
    # For a project. With more words, a link leads to something for these people: "Developers guide".
    r"|(?:(?:our|the|core|project) )?(?:developers|people)|(?:die |unsere )?entwickler(?:innen)?|les développeurs"
    r"|développeurs|desarrolladores|sviluppatori|ontwikkelaars|programadores|deweloperzy|programiści"
)
# "About this program": such a page says whose it is. The names of chapters do not count, such as "About this manual".
_THINGS: Final = re.compile(
    r"about (?:this|the|our) (?:program(?:me)?|project|software|app|application|tool|package|library|game"
    r"|(?:web ?)?site|blog|wiki|initiative)"
    r"|über (?:dieses|das|unser) (?:programm|projekt|tool|paket|spiel|wiki|werkzeug)"
    r"|über (?:diese|die|unsere) (?:software|app|anwendung|bibliothek|website|webseite|seite)"
    r"|über (?:diesen|den|unseren) blog"
    r"|à propos (?:de ce(?:tte)?|du|de notre|de la|de l['’]) ?(?:programme|projet|logiciel|application|outil"
    r"|jeu|site(?: web)?|blog|bibliothèque)"
    r"|(?:sobre|acerca de) (?:est[ea]|el|la|nuestr[oa]) (?:programa|proyecto|software|aplicación|herramienta|juego"
    r"|sitio(?: web)?|web|blog)"
    r"|(?:su|informazioni su) (?:quest[oa]|quest['’]) ?(?:programma|progetto|software|applicazione"
    r"|gioco|sito(?: web)?|blog)|informazioni sul (?:programma|progetto|software|gioco|sito(?: web)?|blog)|il progetto"
    r"|over (?:dit|deze|het|de|ons|onze) (?:programma|project|software|app|spel|website|site|blog)"
    r"|sobre (?:est[ea]|[oa]|noss[oa]) (?:programa|projeto|projecto|software|aplicativo"
    r"|aplicação|jogo|site|sítio|blog(?:ue)?)"
    r"|o (?:tym |naszym )?(?:programie|projekcie|oprogramowaniu|serwisie|blogu|portalu)|o (?:tej |naszej )?(?:aplikacji"
    r"|grze|stronie)"
    r"|om (?:detta|det här|dette|denna|denne|den här|vårt|vores|våra)? ?(?:program(?:met)?|projekt(?:et)?"
    r"|prosjekt(?:et)?"
    r"|programvaran?|programvaren?|software(?:n)?|spillet|spelet|webbplatsen|webbplats|webstedet|websted|nettstedet"
    r"|nettsted|blogg(?:en)?)"
    r"|o (?:tomto |tomhle |našem )?(?:programu|projektu|softwaru|webu|blogu)|o (?:této |naší )?(?:aplikaci|hře|stránce)"
)
# Texts of links to the page in another language: "EN", "Português (Brasil)".
_CODE: Final = re.compile(r"[a-z]{2}(?:[-_][a-z]{2,4})?")
_LANGUAGE_NAMES: Final = frozenset(
    "english deutsch français francais español espanol castellano italiano nederlands português portugues polski"
    " svenska dansk norsk bokmål suomi čeština česky slovenčina magyar română türkçe ελληνικά русский українська"
    " български српски hrvatski slovenščina català galego euskara latviešu lietuvių eesti íslenska gaeilge 日本語 中文"
    " 简体中文 繁體中文 한국어 العربية فارسی עברית हिन्दी ไทย tiếng việt bahasa indonesia german french spanish italian"
    " dutch portuguese polish swedish danish norwegian finnish czech japanese chinese korean russian brasil".split()
)
_FEWEST_CHOICES: Final = 2
_LONGEST_CHOICE: Final = 30  # words of a page that only chooses a language
# Links to a list of contributors. "How to contribute" leads to something for them, and a wiki lists a visitor's own
# contributions at "Special:MyContributions".
_CONTRIBUTIONS: Final = frozenset({"contributions", "contribs"})
# Links to a page about the makers. Their name may also be the last word: "User manual authors and contributors".
_MAKERS: Final = re.compile(
    r"(?:.{1,60}[ ,])?(?:authors?|contributors?|committers?|maintainers?|credits|acknowledge?ments?|team|staff"
    r"|colophon|autor(?:en|in|innen)?|mitwirkende|danksagung(?:en)?|dank|redaktion|herausgeber"
    r"|auteurs?|contributeurs?|remerciements|crédits|équipe|autor(?:es)?|colaboradores|créditos|agradecimientos|equipo"
    r"|autor[ei]|collaboratori|crediti|ringraziamenti|medewerkers|dankwoord|agradecimentos|equip[ea]"
    r"|autorzy|współtwórcy|podziękowania|zespół"
    r"|författare|medarbetare|personal|forfattere?|medarbejdere|medarbeidere|autoři|tým)"
)
# "© 2007-2020 by Ada Byron": names the maker, in the home page's own text.
_SIGNED: Final = re.compile(
    r"(?:©|\([cC]\)|[Cc]opyright)(?:\s*©)?\s*(?:(?:19|20)\d\d[\d\s,–-]{0,20})?(?:by\s|von\s|par\s|por\s|di\s|door\s)"
    r"[^\W\d_a-z]\w+ [^\W\d_a-z]"
)
# "Authors: Ada Byron, Charles Babbage": a row of the block at the beginning of a document.
_AUTHOR_ROW: Final = re.compile(
    r"(?<![^\W_])(?:Authors?|Maintainers?|Autor(?:en|in|es)?|Auteurs?|Autor[ei]|Autorzy)\s?:\s?"
    r"[^\W\d_a-z]\w+ [^\W\d_a-z]"
)
# A mail address in a text, as it is stored, or as written for people: "ada (at) camp.example".
_WRITTEN_MAIL: Final = r"(?:\w\*{3}@|[\w.-]{1,40} ?[(\[<{] ?at ?[)\]>}] ?\w)"
_MAIL: Final = re.compile(_WRITTEN_MAIL)
# "Ada Byron a***@***": the name beside a mail address in the home page's element for the address of its author.
_SIGNED_ADDRESS: Final = re.compile(
    r"(?<![\d,] )(?<![^\W_])[^\W\d_a-z][^\W\d_]+(?: [^\W\d_]+){1,4}[ ,:<(-]{1,3}(?:mailto:)?" + _WRITTEN_MAIL
)
_CONTACT: Final = re.compile(
    r"contact(?: us| form| details| information)?|get in touch|reach us|write to us|support|help(?: (?:centre|center))?"
    r"|(?:report(?:ing)? (?:a )?bugs?|(?:.{1,40} )?mailing lists?)(?: and (?:report(?:ing)? bugs?|bug reports))?"
    r"|(?:.{1,40} )?forums?|feedback"
    r"|customer service|kundenservice|kundendienst|service client|mailinglisten?|listes? de diffusion"
    r"|kontakt(?:formular| aufnehmen|daten| zu uns)?|so erreichen sie uns|schreiben sie uns|impressum|imprint"
    r"|legal notice|contactez[- ]nous|nous contacter|mentions légales|contacto|contáctanos|contactar|aviso legal"
    r"|contatti|contattaci|note legali|neem contact op|contactgegevens|klantenservice|colofon|contato|contactos"
    r"|fale conosco|contacte-nos|kontakt z nami|napisz do nas"
    r"|skontaktuj się z nami|kontakta oss|kontakta mig|kontakt (?:os|oss|mig|meg)|kontakty|kontaktujte nás|napište nám"
)
# The repository of a project, or its list of issues, where its makers can be reached. Pages of the host itself do not
# count.
_REPOSITORY: Final = re.compile(
    r"https?://(?:www\.)?(?:github\.com|gitlab\.com|codeberg\.org|bitbucket\.org)"
    r"/(?!(?:about|apps|collections|explore|features|help|login|marketplace|orgs|sponsors|topics|users)/)"
    r"[\w.-]+/[\w.-]+(?:/.*)?"
    # On a project's own host: "https://git.camp.example/tents". "git.io" is another service.
    r"|https?://(?:anonscm|bzr|cgit|cvs|git|gitea|gitweb|hg|svn|viewcvs|viewvc|websvn)\.[\w-]+\.[\w.-]+(?::\d+)?/.+"
    r"|https?://(?:gitlab\.[\w-]+\.[\w.-]+|salsa\.debian\.org|pagure\.io|(?:git\.)?sr\.ht)/[\w.~-]+/[\w.~-]+(?:/.*)?"
    r"|https?://(?:[\w.-]+\.)?(?:sourceforge\.net|savannah\.(?:non)?gnu\.org)/(?:projects|p|git|cvs|svn)/.+"
)
# Programs that show a repository in the browser, by their names in an address: "/cgi-bin/cvsweb.cgi/tents", "/websvn/".
_REPOSITORY_VIEWER: Final = re.compile(
    r"https?://[^/?#]+/(?:[^?#]*/)?(?:cvsweb|viewcvs|viewvc|gitweb|cgit|websvn|hgweb)(?:\.(?:cgi|pl|py|php|fcgi))?"
    r"(?:[/?#].*)?"
)
_DOCUMENT_BEGINS: Final = 300  # characters at the beginning; names after them belong to the entries of a list
_MOST_LINKS: Final = 100  # links of the home page that show its language
_SECTION: Final = re.compile(r"(?:\d{1,3}|[a-z])(?:\.\d{1,3}){0,4}[.:)]? +")  # the number before a chapter's name
_ABOUT_SLUG: Final = re.compile(
    r"(?:^|[-_/])(?:about|ueber|uber|über|sobre|chi-siamo|over-ons|o-nas|o-mnie|o-firmie|o-mne|om-os|om-oss|om-mig|om-meg|over-mij|chi-sono|qui-sommes|team|company"
    r"|authors|colophon|contribs|contributors|contributions|committers|credits|maintainers|acknowledge?ments?)(?:[-_/.]|$)"
)
_CONTACT_SLUG: Final = re.compile(
    r"(?:^|[-_/])(?:contact|kontakt|contacto|contatti|contato|impressum|imprint|support"
    r"|mail(?:ing)?-?lists?)"
)


def has_data(site: Site) -> bool:
    """Whether the home page was read."""
    home = site.addresses.get(site.home_url)
    return home is not None and home.readable


def check(site: Site) -> PageVerdict:
    pages = list(site.readable())
    if len(pages) < FEWEST_PAGES:
        return NOT_APPLICABLE
    assert site.home is not None
    if not _can_be_told(site.home) or is_manual(site.home) or _only_chooses_language(site.home):
        return NOT_APPLICABLE
    # A page counts if it was read, or if the home page links it and it is not known to be broken.
    home_contact = site.home.contact or Contact()
    about = home_contact.author or any(_MAKERS.fullmatch(_folded(text)) for _, text in site.home.headings)
    about = about or any(address.kind.kind == "about" or _ABOUT_SLUG.search(_path(address.url)) for address in pages)
    about = about or any(address.says_who for address in pages)
    about = about or (home_contact.mail and _SIGNED.search(site.home.text) is not None)
    about = about or _AUTHOR_ROW.search(site.home.text[:_DOCUMENT_BEGINS]) is not None
    about = about or any(map(_SIGNED_ADDRESS.search, home_contact.addresses))
    contact = any(_is_contact(address.kind) or _CONTACT_SLUG.search(_path(address.url)) for address in pages)
    contact = contact or any(address.identity.telephones or address.identity.site_telephones for address in pages)
    contact = contact or home_contact.mail or any(map(_MAIL.search, home_contact.addresses))
    contact = contact or any(_REPOSITORY.fullmatch(link.url) for link in site.home.external_links)
    contact = contact or any(
        _REPOSITORY_VIEWER.fullmatch(link.url) for link in (*site.home.external_links, *site.home.links)
    )
    for link in (*site.home.links, *site.home.external_links):
        address = site.addresses.get(link.url)
        if address is not None and address.broken:
            continue
        about = about or _leads_to(link, "about", _ABOUT)
        contact = contact or _leads_to(link, "contact", _CONTACT)
    missing = [name for name, there in (("about", about), ("contact", contact)) if not there]
    if not missing:
        return None
    if site.home.frames:
        return NOT_APPLICABLE  # its links are in the frames
    return Finding(
        f"No {listed([f'{name} page' for name in missing]).replace(' and ', ' and no ')} can be found from the home "
        "page. Publish one that says who is behind the website and how to reach them, and link the page in the "
        "navigation or the footer.",
        {"missing": missing, "pagesLookedAt": len(pages)},
    )


def _is_contact(kind: PageKind) -> bool:
    """Whether the page is a contact page, or an imprint, which must state address and telephone by law."""
    return kind.kind == "contact" or (kind.kind == "legal" and kind.legal_kind == "imprint")


def _can_be_told(home: PageFacts) -> bool:
    """Whether about and contact pages can be recognized, because the home page's links are in one of ``LANGUAGES``.

    If the language of the links cannot be detected, the declared language counts.
    """
    links = " ".join([link.text for link in home.links[:_MOST_LINKS]])
    language = spoken(links) or spoken(home.text)
    return language in LANGUAGES if language is not None else speaks_one_of(LANGUAGES, home.lang)


def _only_chooses_language(home: PageFacts) -> bool:
    """Whether the home page has only links to its languages, so that all else is on the pages behind them."""
    if home.words > _LONGEST_CHOICE or len(home.links) < _FEWEST_CHOICES:
        return False
    return all(_names_language(fold(link.text)) for link in home.links)


def _names_language(text: str) -> bool:
    words = text.replace("(", " ").replace(")", " ").split()
    return bool(words) and (
        all(word in _LANGUAGE_NAMES for word in words)
        or (len(words) == 1 and _CODE.fullmatch(text) is not None and text[:2] in CODES)
    )


def _leads_to(link: Link, kind: str, texts: re.Pattern[str]) -> bool:
    text = _folded(link.text)
    # "O nas" begins with a word of one letter, which could also be the number of a chapter.
    if texts.fullmatch(text) or texts.fullmatch(_without_marks(link.text)):
        return True
    if kind == "about" and (
        _MAKERS.fullmatch(text)
        or _THINGS.fullmatch(text)
        or _THINGS.fullmatch(_without_marks(link.text))
        or (text in _CONTRIBUTIONS and ":" not in unquote(_path(link.url)))
    ):
        return True
    found = detect(link.url, body_class="", text="", headings=())
    return found.kind == kind or (kind == "contact" and _is_contact(found))


def _folded(text: str) -> str:
    """Return a link's text for comparison: without marks around it, and without the number of a chapter."""
    text = _without_marks(text)
    number = _SECTION.match(text)
    return text[number.end() :] if number is not None else text


def _without_marks(text: str) -> str:
    return fold(text).strip(" .:→›»>¶#")


def _path(url: str) -> str:
    return url.partition("://")[2].partition("/")[2].lower()


RULE = Rule(
    id="SEO-AEO-011",
    title="No about page / no contact page",
    category="AEO",
    severity="low",
    confidence="likely",
    scope="site",
    population="site",
    weight=10,
    effort="low",
    writable_field=None,
    what="The audit found no page that says who runs the website, or no page with its contact data. It looks at "
    f"addresses and at the text of links on the home page, in {spelled(len(LANGUAGES))} languages.",
    why="Visitors, assistants and the people who rate websites for search engines look for these pages before they "
    "trust a website. A website without them seems to have no owner.",
    fix="Publish an about page and a contact page, and link both in the navigation or footer of every page.",
    not_when="The following pages and websites are accepted or not judged:\n"
    "- The home page has an imprint, a telephone number, a mail link, a mail address in an address element, or "
    "a link to the project's repository (Git, Subversion, CVS and others): no contact page is needed.\n"
    "- A page on another website counts if the home page links it with a text such as “About us” or “Contact”.\n"
    "- Pages about authors, developers, contributors or credits count as about pages. So do pages that the home page "
    "links as “About this program” or with similar words (project, software, website).\n"
    "- A contact page that says who makes or runs the website counts as an about page too.\n"
    "- A home page that names its authors counts as an about page. It may name them in a heading, in a row "
    '"Authors:", in an element of the class author, in an address element beside a mail address, or after a copyright '
    "sign if it also has a mail link.\n"
    "- Manuals are not judged. Their title says so (Reference Manual, User’s Guide, Documentation Index). Or the home "
    "page names a documentation tool as its generator, in a comment or in the title, or has the tool's typical "
    "markup.\n"
    "- Home pages that only let the visitor choose a language are not judged.\n"
    "- Framesets, and home pages in a language that the rule does not know, are not judged.\n"
    f"- Websites of fewer than {spelled(FEWEST_PAGES)} pages are not judged, because they may have everything on one "
    "page.",
    source="Search quality guidelines: who is responsible for the website, and how to contact them.",
    site_check=check,
    whole_website=True,
    has_data=has_data,
)
