"""Tables of SEO-AEO-011."""

from chalicelib.domain.page.facts import Contact, Link, PageFacts, Resource
from tests.rules.builders import Case, address, answer, links, page, site_case

REPOSITORY = "https://github.com/camp/tents"
REST = tuple(page(f"/tents/{number}") for number in range(5))
ABOUT, CONTACT = page("/about"), page("/contact")
MAIL = Contact(mail=True)
JAPANESE = [Link(address(f"/p/{number}"), "はじめに テントの使い方") for number in range(5)]


def beside(*pages: PageFacts) -> Case:
    return site_case(*pages, *REST)


FAILS = {
    "a tag that is no language": beside(page("/", lang="english"), CONTACT),
    "a tag of a language whose words are known": beside(page("/", lang="no"), CONTACT),
    "a link about something else, in Polish": beside(
        page("/", lang="pl", links=[Link(address("/p/7"), "O namiotach i plecakach")]), CONTACT
    ),
    "neither": site_case(
        page("/"),
        *REST,
        seen={"missing": ["about", "contact"], "pagesLookedAt": 6},
        says="No about page and no contact",
    ),
    "no about page": site_case(page("/"), CONTACT, *REST, seen={"missing": ["about"]}),
    "no contact page": site_case(page("/"), ABOUT, *REST, seen={"missing": ["contact"]}),
    "a mail link on another page": site_case(
        page("/"), ABOUT, page("/tents/one", contact=Contact(mail=True)), *REST, seen={"missing": ["contact"]}
    ),
    "authors in the middle of a link's text": beside(
        page("/", links=[Link(address("/p/7"), "Authors wanted for our magazine")]), CONTACT
    ),
    "a link in another language, among English ones": site_case(
        page(
            "/", links=[Link(address("/p/1"), "What you find here and how to use it"), Link(address("/ja"), "日本語")]
        ),
        *REST,
        seen={"missing": ["about", "contact"]},
    ),
    "an address without a name": beside(
        page(
            "/", contact=Contact(mail=True, addresses=["Version 5, 2010 i***@***", "Ulmer Weg 5, 89073 Ulm i***@***"])
        ),
    ),
    "the list of a visitor's own contributions to a wiki": beside(
        page("/", links=[Link(address("/wiki/Special:MyContributions"), "Contributions")]), CONTACT
    ),
    "a link to how to contribute": beside(page("/", links=[Link(address("/p/7"), "Contributing tents")]), CONTACT),
    "a copyright line that names nobody": beside(page("/", contact=MAIL, text="Copyright 2007-2020. All rights.")),
    "a copyright line of the website's name": beside(page("/", contact=MAIL, text="© 2007 Camp. Made by Ada Byron.")),
    "a signed copyright line of one word": beside(page("/", contact=MAIL, text="© 2007 by volunteers of the camp.")),
    "a name without a copyright sign": beside(page("/", contact=MAIL, text="A photo of 2007 by Ada Byron.")),
    "a signed copyright line without a mail link": site_case(
        page("/", text="Copyright © 2007-2020 by Ada Byron."), CONTACT, *REST, seen={"missing": ["about"]}
    ),
    "a row of authors far below the beginning, as of an entry": beside(
        page("/", text=f"{'A walk to the sea. ' * 20} Author: Ada Byron."), CONTACT
    ),
    "a row of authors that names nobody": beside(page("/", text="Tents. Authors: see the cover."), CONTACT),
    "a link to what developers need": beside(page("/", links=[Link(address("/p/7"), "Developers guide")]), CONTACT),
    "documents for developers": beside(page("/", links=[Link(address("/p/7"), "Documents for developers")]), CONTACT),
    "a link to an about page that is gone": beside(page("/", links=links("/about")), answer("/about", 404), CONTACT),
}
FAILS["scripts in a folder of that name"] = site_case(
    page("/", resources=[Resource(address("/_static/shop.js"), "script")]), *REST
)
for generator in ("WordPress 6.4", "Hugo 0.120", "Animated Nimbus 3"):
    FAILS[f"made by {generator}"] = site_case(page("/", generator=generator), *REST)
OTHERS = (
    *("https://github.com/camp", "https://code.example/camp/tents", "https://github.com/camp?a=1"),
    *("https://github.com/sponsors/camp", "https://gitlab.com/users/sign_in", "https://git.io/tents"),
    *("https://git.camp.example/", "https://sourceforge.net/", "https://camp.example/cvs-and-resumes/"),
)
for other in OTHERS:
    FAILS[f"no repository: {other}"] = beside(page("/", external_links=[Link(other, "Code")]), ABOUT)
PASSES = {
    "a page about one person, in Polish": beside(
        page("/", lang="pl", links=[Link(address("/p/7"), "O mnie"), Link(address("/p/8"), "Kontakt")])
    ),
    "a page about one person, in Danish": beside(
        page("/", lang="da", links=[Link(address("/p/7"), "Om mig"), Link(address("/p/8"), "Kontakt os")])
    ),
    "a page about the company, in Czech": beside(
        page("/", lang="cs", links=[Link(address("/p/7"), "O společnosti"), Link(address("/p/8"), "Kontakty")])
    ),
    "both": beside(page("/"), ABOUT, CONTACT),
    "in another language": beside(page("/"), page("/ueber-uns/"), page("/kontakt/")),
    "an imprint": beside(page("/"), ABOUT, page("/impressum")),
    "linked by name, and not read": beside(
        page("/", links=[Link(address("/p/7"), "Über uns"), Link(address("/p/8"), "Kontakt")])
    ),
    "on another website": beside(
        page("/", external_links=[Link("https://group.example/us", "About us"), Link("https://h.example/", "Contact")])
    ),
    "a telephone number in the footer": beside(page("/", contact=Contact(site_telephones=["01632 960144"])), ABOUT),
    "a mail link on the home page": beside(page("/", contact=Contact(mail=True)), ABOUT),
    "a colophon": beside(page("/"), page("/colophon.html"), CONTACT),
    "a page of credits": beside(page("/"), page("/project/acknowledgements.html"), CONTACT),
    "authors behind the number of a chapter": beside(
        page("/", links=[Link(address("/preface"), "1.1. User Manual Authors and Contributors")]), CONTACT
    ),
    "a row of the block that the document begins with": beside(
        page("/", text="The tent manual Authors: Ada Byron, Charles Babbage Version: 1.6"), CONTACT
    ),
    "such a row in another language": beside(page("/", text="Zelte Autor: Ada Byron Version: 1.6"), CONTACT),
    "a chapter of the home page on its authors": beside(page("/", headings=[(1, "Tents"), (2, "Authors")]), CONTACT),
    "authors named on the home page beside a mail link": beside(
        page("/", contact=Contact(mail=True, author=True)),
    ),
    "a signed copyright line beside a mail link": beside(
        page("/", contact=MAIL, text="Tents. Copyright © 2007-2020 by Ada Byron."),
    ),
    "signed in another language": beside(page("/", contact=MAIL, text="Zelte. (c) 2007, 2009 von Ada Ångström.")),
    "signed without a year": beside(page("/", contact=MAIL, text="© by Ada Byron")),
    "the mailing list of a project": beside(
        page("/", external_links=[Link("https://lists.example/", "Tent questions mailing list")]), ABOUT
    ),
    "a mailing list": beside(page("/", links=[Link(address("/p/9"), "Mailing lists and bug reports")]), ABOUT),
    "a page on the mailing list": beside(page("/"), page("/manual/maillist.htm"), ABOUT),
    "deeper in the website": beside(page("/"), page("/company/about-the-team/"), page("/company/contact-sales/")),
}
for name in ("Ada Byron a***@***", "Versão 5, 2010 Ada da Silva mailto:a***@***", "Last changed: Åsa Öst <a***@***>"):
    PASSES[f"signed: {name}"] = beside(page("/", contact=Contact(mail=True, addresses=[name])))
for name in ("Ada Byron, a***@***", "Ada Byron, ada (at) camp.example", "Ada Byron <ada [at] camp.example>"):
    PASSES[f"signed, without a mail link: {name}"] = beside(page("/", contact=Contact(addresses=[name])))
PASSES["a viewer of a repository on the website itself"] = beside(
    page("/", links=[Link(address("/cgi-bin/cvsweb.cgi/tents"), "Code")]), ABOUT
)
FAILS["an address of a mail address alone"] = site_case(
    page("/", contact=Contact(addresses=["Mail: a***@***"])), *REST, seen={"missing": ["about"]}
)
FAILS["a postal address"] = site_case(
    page("/", contact=Contact(addresses=["Ada Byron, Ulmer Weg 5, 89073 Ulm"])),
    *REST,
    seen={"missing": ["about", "contact"]},
)
for makers in (
    "Contributions",
    "32.3 Sobre o Autor",
    "Über den Autor",
    "Acerca de",
    "Over de auteur",
    "Om författaren",
):
    language = {"32": "pt", "Üb": "de", "Ac": "es", "Ov": "nl", "Om": "sv"}.get(makers[:2], "en")
    PASSES[f"a page named {makers}"] = beside(page("/", lang=language, links=[Link(address("/p/7"), makers)]), CONTACT)
PASSES["an address of that name"] = beside(page("/"), page("/contribs.html"), CONTACT)
for makers in ("Developers", "Our team", "Maintainers", "Committers", "People", "Entwickler", "Desarrolladores"):
    PASSES[f"a link named {makers}"] = beside(page("/", links=[Link(address("/p/7"), makers)]), CONTACT)
for repository in (
    REPOSITORY,
    f"{REPOSITORY}/issues",
    "https://gitlab.com/camp/tents",
    "https://codeberg.org/camp/tents/",
    "http://cvs.camp.example/cgi-bin/cvsweb.cgi/tents/report",
    "https://svn.camp.example/tents/trunk",
    "https://git.camp.example/tents.git",
    "https://camp.example/cgit/tents",
    "https://camp.example/gitweb/?p=tents.git",
    "https://camp.example/cgi-bin/viewvc.cgi/",
    "https://gitlab.camp.example/camp/tents",
    "https://sourceforge.net/projects/tents/",
    "https://savannah.nongnu.org/projects/tents",
):
    PASSES[f"a repository: {repository}"] = beside(page("/", external_links=[Link(repository, "Code")]), ABOUT)
NOT_APPLICABLE = {
    "a small website": site_case(page("/"), *REST[:3]),
    "links in a language whose words are not known": site_case(
        page("/", text="Permission is granted to copy the document under the terms of the license.", links=JAPANESE),
        *REST,
    ),
    "a text in such a language": site_case(
        page("/", text="Это руководство рассказывает о палатках и рюкзаках."), *REST
    ),
    "nothing to tell the language by but the tag": site_case(page("/", lang="fi"), *REST),
    "a tag of a language that nothing is known of": site_case(page("/", lang="lt"), *REST),
    "the home page cannot be read": site_case(answer("/", 500), *REST),
}
for name in ("documentation_options.js?v=1", "doctools.js"):
    NOT_APPLICABLE[f"a manual made by Sphinx, with {name}"] = site_case(
        page("/", resources=[Resource(address(f"/_static/{name}"), "script")]), *REST
    )
NOT_APPLICABLE["a frameset"] = site_case(page("/", frames=[address("/menu"), address("/start")]), *REST)
for generator in (
    "QDoc",
    "DebianDoc-SGML",
    "Hyperlatex v 2.6 (c) Otfried Cheong",
    "Texinfo",
    "DocBook XSL Stylesheets V1.79",
    "Docutils 0.19: https://docutils.sourceforge.io/",
    "makeinfo",
    "rustdoc",
    "Nim.",
):
    NOT_APPLICABLE[f"a manual made by {generator}"] = site_case(page("/", generator=generator), *REST)
for language, text in (
    *(("en", "About this program"), ("en", "About the software"), ("en", "2. About this website")),
    *(("de", "Über dieses Programm"), ("de", "Über die Software"), ("de", "Über diese Seite")),
    *(("fr", "À propos de ce logiciel"), ("fr", "À propos du projet"), ("fr", "À propos de l’application")),
    *(("es", "Sobre este programa"), ("es", "Acerca de este proyecto"), ("it", "Informazioni sul programma")),
    *(("it", "Su questo progetto"), ("nl", "Over dit programma"), ("nl", "Over deze website")),
    *(("pt", "Sobre este projeto"), ("pt", "Sobre o programa"), ("pl", "O projekcie"), ("pl", "O tym programie")),
    *(("sv", "Om programmet"), ("sv", "Om det här projektet"), ("da", "Om dette program"), ("nb", "Om prosjektet")),
    *(("cs", "O projektu"), ("cs", "O tomto programu")),
):
    PASSES[f"a link named {text}"] = beside(page("/", lang=language, links=[Link(address("/p/7"), text)]), CONTACT)
for text in ("About this manual", "About the weather", "About this program's options"):
    FAILS[f"a link named {text}"] = beside(page("/", links=[Link(address("/p/7"), text)]), CONTACT)
for texts in (("EN", "FR", "JA"), ("English", "Deutsch"), ("pt-br", "en"), ("Português (Brasil)", "日本語")):
    choices = [Link(address(f"/{number}/"), text) for number, text in enumerate(texts)]
    NOT_APPLICABLE[f"only a choice of {texts}"] = site_case(page("/", words=8, links=choices), *REST)
    FAILS[f"a text beside {texts}"] = site_case(page("/", words=90, links=choices), *REST)
    more = [*choices, Link(address("/tents/1"), "Tents")]
    FAILS[f"another link beside {texts}"] = site_case(page("/", words=8, links=more), *REST)
FAILS["a choice of one language"] = site_case(page("/", words=8, links=[Link(address("/en/"), "EN")]), *REST)
for language, text in (
    *(("en", "It is produced by a small collective of people."), ("en", "We are a family of tent makers.")),
    *(("de", "Die Website wird von drei Freunden betrieben."), ("fr", "Ce site est réalisé par trois amis.")),
    *(("es", "Esta web fue creada por tres amigos."), ("it", "Il sito è curato da tre amici.")),
    *(("nl", "De website wordt onderhouden door drie vrienden."), ("pt", "O site é mantido por três amigos.")),
    *(("pl", "Strona jest prowadzona przez trzech przyjaciół."), ("sv", "Webbplatsen drivs av tre vänner.")),
    *(("en", "Ada Byron a***@*** is the author of Tents."), ("en", "I am the original creator and owner of Camp.")),
    *(("de", "Ada Byron ist die Autorin von Zelte."), ("fr", "Ada Byron est l’autrice de Tentes.")),
    *(("es", "Ada Byron es la autora de Tiendas."), ("it", "Ada Byron è l'autrice di Tende.")),
    *(("nl", "Ada Byron is de maker van Tenten."), ("pt", "Ada Byron é a autora de Tendas.")),
    *(("pl", "Ada Byron jest autorką Namiotów."), ("sv", "Ada Byron är författare till Tält.")),
    *(("da", "Ada Byron er forfatter til Telte."), ("cs", "Ada Byron je autorkou Stanů.")),
    *(("da", "Siden drives af tre venner."), ("nb", "Siden drives av tre venner."), ("cs", "Web provozuje Ada.")),
):
    PASSES[f"a contact page that says: {text}"] = beside(page("/", lang=language), page("/contact.html", text=text))
    FAILS[f"another page that says: {text}"] = beside(page("/", lang=language), page("/x.html", text=text), CONTACT)
OF_PARTS = (
    "Ada Byron is the author of the photos.",
    "Ada Byron is the creator of this website theme.",
    "Ask the author of Tents.",
)
for text in ("Call us from nine to five.", "This theme is made by Ada Byron.", "We are closed on Sundays.", *OF_PARTS):
    FAILS[f"a contact page that says: {text}"] = beside(page("/"), page("/contact.html", text=text))
TABLES = {"SEO-AEO-011": (FAILS, PASSES, NOT_APPLICABLE)}
