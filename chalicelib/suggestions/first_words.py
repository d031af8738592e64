"""First words that make a sentence depend on another sentence, and nouns with which a page names itself. All words are
normalized by ``fold``.

They are words of English, German, French, Spanish, Italian, Dutch, Portuguese, Polish, Russian and Korean. Japanese and
Chinese have no spaces, so the first characters of a sentence are compared.
"""

from typing import Final

# The sentence continues a thought, restricts it to a case, or tells the reader to look elsewhere.
LEANING: Final = frozenset(
    (
        "and or but so then next thus however therefore also otherwise instead if when because which here here's"
        " there there's note see such both while unless until once after before most many some often usually first"
        " firstly second secondly third finally lastly erstens zweitens zunächst d'abord ensuite primero segundo"
        " primeiro dapprima eerst najpierw сначала первый первая первое второй вторая второе und oder aber dann daher"
        " deshalb jedoch wenn falls obwohl siehe hier et mais donc alors cependant si quand voir ici y pero entonces"
        " además cuando véase ma quindi inoltre se quando en maar dus als zie mas então ale więc jeśli gdy и но а"
        " однако если когда 그러나 또한 하지만"
    ).split()
)
# The subject is what the sentence before named. As a second sentence it continues with the same subject.
PRONOUNS: Final = frozenset(
    (
        "it its they them their he she his her er sie es ihr il elle ils elles él ella ellos ellas esso essa essi esse"
        " hij zij ze ele ela eles elas on ona ono oni он она оно они"
    ).split()
)
# The sentence can be quoted alone only if the page's own noun or a word of its title follows.
DEMONSTRATIVES: Final = frozenset(
    (
        "this these dies diese dieser dieses diesem ce cet cette ces ceci cela este esta esto estos estas"
        " questo questa questi queste dit deze dat isto esse essa ten ta to te этот эта это эти 이 그"
    ).split()
)
# Anywhere in a question: it refers to text before it. "to", "ten" and "te" are common words of other languages.
REFERRING: Final = DEMONSTRATIVES - frozenset("to ten te ta".split()) | frozenset(
    "such solche solchen solcher solches".split()
)
# At the start of a question: it continues another question.
JOINING: Final = frozenset(
    "and or so then und oder also et ou alors donc y entonces e allora dus então więc и или".split()
)
# What the sentence is about was named before, whatever noun follows.
DISTANT: Final = frozenset("that those ese esa esos esas aquel aquella quel quella quello quelle aquele aquela".split())
# The sentence begins with a purpose; its subject follows the comma.
PURPOSES: Final = frozenset("to um pour para per om aby żeby чтобы".split())
# Near the start: the sentence adds to one that is not quoted.
ADDING: Final = frozenset(
    (
        "also likewise moreover furthermore auch ebenfalls ebenso zudem außerdem aussi également también asimismo"
        " además anche inoltre ook eveneens bovendien também igualmente również także też ponadto также тоже"
    ).split()
)
# The sentence restricts or completes the one before, which must not be quoted without it.
CONTRASTS: Final = tuple(
    (
        "in addition|additionally|moreover|furthermore|außerdem|darüber hinaus|de plus|además|inoltre|bovendien"
        "|além disso|ponadto|кроме того"
        "|but|however|nevertheless|nonetheless|on the other hand|in contrast|instead|aber|jedoch|allerdings|dennoch"
        "|trotzdem|hingegen|stattdessen|mais|cependant|toutefois|pourtant|néanmoins|en revanche|par contre|pero"
        "|sin embargo|no obstante|en cambio|ma|però|tuttavia|maar|echter|toch|mas|porém|contudo|todavia|entretanto"
        "|no entanto|ale|jednak|jednakże|natomiast|но|однако|зато|mutta|kuitenkin|men|그러나|하지만"
    ).split("|")
)
CONTRAST_SIGNS: Final = tuple("しかし ただし 但 然而 不过 不過".split())
# In a sentence about the page itself: it says what the page does not contain.
NEGATIONS: Final = frozenset(
    (
        "not no never cannot doesn't isn't don't won't can't"
        " nicht kein keine keinen nie ne pas aucun aucune jamais no nunca ningún non mai nessun"
        " niet geen nooit não nunca nenhum nie brak не нет"
    ).split()
)
LEANING_SIGNS: Final = tuple("この これ その それ しかし ただし また なお 这 這 該 该 但 因此 此外 另外 所以".split())
PAGE_NOUNS: Final = frozenset(
    (
        "page site website article post chapter section document documentation guide manual tutorial book module class"
        " package library function method command program tool plugin extension interface template type structure file"
        " release version application component api format standard lesson project reference introduction overview list"
        " seite artikel kapitel abschnitt dokument handbuch anleitung modul klasse paket bibliothek funktion befehl"
        " programm werkzeug chapitre guide manuel paquet bibliothèque fonction commande programme outil página artículo"
        " capítulo documento guía módulo clase biblioteca función comando programa herramienta pagina articolo capitolo"
        " guida manuale modulo libreria funzione strumento hoofdstuk handleiding artigo guia função ferramenta strona"
        " rozdział podręcznik страница глава раздел документ модуль команда"
    ).split()
)
# Words for the writer and the reader, and first words that make a sentence one of several: a sentence with them says
# something on the topic, but not what the page is about.
WRITER_AND_READER: Final = frozenset(
    (
        "i we you me my our your ich wir sie man mich uns je nous vous yo nosotros usted ustedes noi voi ik wij nós"
        " você vocês ja wy я мы вы"
    ).split()
)
ONE_OF_MANY: Final = frozenset(
    (
        "one another any anyone anybody including whether unlike sometimes normally ein eine manchmal normalerweise"
        " un une parfois normalement uno una normalmente talvolta soms normaal um uma czasami иногда"
    ).split()
)
# Nouns for a single thing that a page shows: "This example …" at the start of its text means that thing.
SHOWN_NOUNS: Final = frozenset(
    (
        "example exercise sample demo driver dialog dialogue window screen menu option"
        " beispiel übung treiber dialog fenster menü exemple exercice pilote fenêtre menu ejemplo ejercicio controlador"
        " ventana menú esempio esercizio finestra voorbeeld oefening venster exemplo exercício janela przykład"
        " ćwiczenie okno пример упражнение окно драйвер"
    ).split()
)
# Nouns for the page as a document: "This guide …" names its topic only with a word of the title, or is about the
# document.
DOCUMENT_NOUNS: Final = frozenset(
    (
        "page website article chapter section appendix document guide manual tutorial book faq reference introduction"
        " seite artikel abschnitt anhang annexe sección apéndice sezione appendice sectie bijlage seção apêndice"
        " dodatek kapitel dokument handbuch anleitung chapitre manuel página artículo capítulo documento guía pagina"
        " articolo capitolo guida manuale hoofdstuk handleiding artigo guia strona rozdział podręcznik страница глава"
        " документ руководство"
    ).split()
)
# Nouns for what the whole page is about: "This module …" at the start of its text says what it is for.
OWN_NOUNS: Final = (
    DOCUMENT_NOUNS
    | SHOWN_NOUNS
    | frozenset(
        (
            "module library package file plugin plug-in program class utility tool command function template extension"
            " script method structure interface api modul bibliothek paket programm klasse werkzeug befehl funktion"
            " vorlage bibliothèque paquet programme classe outil commande fonction modèle módulo biblioteca paquete"
            " programa clase herramienta comando función plantilla modulo libreria pacchetto programma strumento"
            " funzione klas opdracht functie pacote ferramenta função classe pakiet klasa program narzędzie polecenie"
            " funkcja модуль программа класс команда функция"
        ).split()
    )
)
# Documents of which a page is only a part: "This book …" on it says nothing about the page.
WHOLE_DOCUMENTS: Final = frozenset(
    "website guide manual book faq handbuch manuel guía manuale guida handleiding guia podręcznik руководство".split()
)
# What a page as a document does with its topic: "This chapter explains …".
DESCRIBES: Final = frozenset(
    (
        "describes explains shows covers discusses introduces presents provides lists defines teaches deals gives"
        " documents contains beschreibt erklärt erläutert zeigt behandelt enthält décrit explique présente montre"
        " contient traite describe explica muestra presenta contiene trata descrive spiega mostra beschrijft legt toont"
        " behandelt bevat descreve apresenta contém opisuje wyjaśnia przedstawia zawiera omawia описывает объясняет"
        " содержит"
    ).split()
)
# At the end of a sentence's part: the rest is what it announces.
ANNOUNCING: Final = frozenset(
    "say called named namely these this following follows genannt nämlich dies folgende appelé savoir ceci llamado"
    " saber chiamato cioè genoemd namelijk chamado nazwany mianowicie".split()
)
PAST: Final = frozenset("was were wurde war était fut fue era foi werd był była был была".split())
IS: Final = frozenset("is ist est es è is é to это".split())
# Nouns in "This is a list of …", "This is the index of …": the page is what the sentence names.
LISTS: Final = frozenset(
    (
        "list index directory glossary overview roadmap catalogue catalog collection liste verzeichnis übersicht"
        " glossar répertoire aperçu lista índice directorio glosario elenco indice glossario lijst overzicht"
        " lista spis список"
    ).split()
)
# Things that hold others: on a page about one of them, "This class …" is about something inside.
CONTAINERS: Final = frozenset(
    "package packages namespace module library paket paquet paquete pacchetto pakiet пакет".split()
)
# First words of the short sentences of references, whose subject is what the page is about: "Reads a file and …".
ACTS: Final = frozenset(
    (
        "provides represents describes returns defines contains holds adds creates converts reads writes implements"
        " specifies manages handles performs generates computes calculates draws displays shows sets gets opens closes"
        " loads saves checks presents enables allows lets starts stops sends receives parses validates extends wraps"
        " encapsulates stores updates removes deletes retrieves initializes initialises applies builds runs executes"
        " erzeugt liefert berechnet zeigt stellt renvoie retourne crée fournit convertit permet affiche calcule"
        " devuelve proporciona restituisce fornisce tekent berekent retorna fornece zwraca tworzy definiuje dostarcza"
        " возвращает создает создаёт"
    ).split()
)
