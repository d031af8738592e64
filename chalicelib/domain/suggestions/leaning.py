"""Words that tell a sentence that cannot stand alone: it leans on one before it, or points at something not quoted.

All folded, in English, German, French, Spanish, Italian, Dutch, Portuguese and Polish.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(text.split("|"))


class Leaning(NamedTuple):
    """First words of sentences in one language.

    ``back``: of a sentence about something said before it; ``contrasts``: of one that takes something back, and is no
    end of a description; ``conditions``: of one that says something of a case, and not what the page is about;
    ``demonstratives``: before what was named, or before the page itself; ``also``: among the first words;
    ``negations``: anywhere in one that says what something is not.
    """

    back: frozenset[str]
    contrasts: frozenset[str]
    conditions: frozenset[str]
    demonstratives: frozenset[str]
    also: frozenset[str]
    negations: frozenset[str]


BY_LANGUAGE: Final[Mapping[str, Leaning]] = {
    "en": Leaning(
        _words(
            "it its they their them he she his her both such same and or nor but so yet then than however therefore"
            " thus hence also besides moreover furthermore additionally otherwise instead here there still though"
            " although similarly likewise consequently accordingly finally next lastly another others again indeed"
            " nevertheless nonetheless meanwhile afterwards afterward conversely alternatively former latter secondly"
            " thirdly because which whereas deprecated"
        ),
        _words("but however yet nevertheless nonetheless though although unfortunately or otherwise"),
        _words("if when whenever unless once while until after before depending since as where"),
        _words("this these that those"),
        _words("also too another other there here"),
        _words("not no never cannot doesn't don't isn't aren't won't can't nor incompatible"),
    ),
    "de": Leaning(
        _words(
            "er sie es ihr ihre sein seine obwohl obgleich und oder aber sondern also dann dabei dazu daher"
            " deshalb deswegen dadurch"
            " damit danach darüber darum davon daraus hierbei hierfür hierzu hiermit außerdem zudem ferner jedoch"
            " allerdings dennoch trotzdem andernfalls ansonsten sonst stattdessen hier dort so beide auch schließlich"
            " solche solch letztere erstere ebenso ebenfalls weiterhin weitere denn nun das"
        ),
        _words("aber jedoch allerdings dennoch trotzdem leider sonst oder doch"),
        _words("wenn falls sobald sofern solange bevor nachdem während"),
        _words("dies diese dieser dieses diesem diesen jene jener jenes"),
        _words("auch ebenfalls zudem jedoch aber dort hier andere anderen anderer weitere weiterer"),
        _words("nicht kein keine keinen keiner nie niemals"),
    ),
    "fr": Leaning(
        _words(
            "il elle ils elles c'est cela ceci celui-ci celle-ci ceux-ci celles-ci et ou mais or donc alors ainsi"
            " cependant toutefois néanmoins pourtant quoique ensuite enfin sinon puis aussi ici là celui"
            " celle ceux lui leur"
            " leurs son sa ses"
        ),
        _words("mais cependant toutefois néanmoins pourtant malheureusement sinon or"),
        _words("si s'il quand lorsque lorsqu'un lorsqu'une pendant après avant puisque"),
        _words("ce cet cette ces"),
        _words("aussi également cependant autre autres"),
        _words("pas aucun aucune jamais"),
    ),
    "es": Leaning(
        _words(
            "él ella ello ellos ellas eso esto aunque y e o u pero sino entonces luego después finalmente"
            " además también aquí"
            " allí así dicho dicha dichos dichas ambos ambas sus su"
        ),
        _words("pero sino lamentablemente desafortunadamente"),
        _words("si cuando mientras después antes siempre"),
        _words("este esta estos estas ese esa esos esas aquel aquella"),
        _words("también además otro otra otros otras"),
        _words("no nunca ningún ninguna"),
    ),
    "it": Leaning(
        _words(
            "esso essa essi esse egli ciò sebbene benché e ed o ma però quindi dunque allora poi infine"
            " inoltre anche tuttavia infatti"
            " invece qui lì così tale tali entrambi entrambe"
        ),
        _words("ma però tuttavia purtroppo invece"),
        _words("se quando mentre dopo prima"),
        _words("questo questa questi queste quel quella quello"),
        _words("anche inoltre altro altra altri altre"),
        _words("non mai nessun nessuna"),
    ),
    "nl": Leaning(
        _words(
            "hij zij ze hun en of maar dus dan daarom daardoor daarna daarbij ook hier daar toch echter verder"
            " vervolgens bovendien zulke anders beide"
        ),
        _words("maar echter helaas toch"),
        _words("als wanneer indien zodra terwijl nadat voordat"),
        _words("dit deze dat die"),
        _words("ook echter andere"),
        _words("niet geen nooit"),
    ),
    "pt": Leaning(
        _words(
            "ele ela eles elas isto isso aquilo e ou mas porém contudo todavia entretanto então depois também aqui ali"
            " assim ambos ambas tal tais"
        ),
        _words("mas porém contudo todavia infelizmente"),
        _words("se quando enquanto depois"),
        _words("este esta estes estas esse essa esses essas"),
        _words("também outro outra outros outras"),
        _words("não nunca nenhum nenhuma"),
    ),
    "pl": Leaning(
        _words(
            "on ona ono oni one jego jej ich i oraz ale lecz lub więc wtedy dlatego także również tu tam jednak ponadto"
            " następnie zatem taki taka takie inne"
        ),
        _words("ale jednak lecz niestety"),
        _words("jeśli jeżeli gdy kiedy podczas"),
        _words("ten ta to te tego tej tych"),
        _words("także również też inny inna inne"),
        _words("nie nigdy żaden żadna"),
    ),
}
NO_LANGUAGE: Final = Leaning(*map(frozenset, ((), (), (), (), (), ())))  # of a language that is not listed
# The first words of a sentence: the sentence goes on with a thought.
OPENINGS: Final = _phrases(
    "in other words|in addition|in this case|in that case|in these cases|in short|in fact|in particular|in contrast"
    "|by contrast|for example|for instance|for this reason|for these reasons|for this purpose|as a result|as mentioned"
    "|as noted|as described|as such|as you can see|as above|as before|on the other hand|on the contrary|that is|that's"
    "|to do so|to do this|to this end|if so|if not|if unchecked|if checked|if enabled|if disabled|if this|if that"
    "|when this|when it|once this|once that|the former|the latter|the following|the above|the same|the next"
    "|the previous|the rest|the other|the second|the last|the first version|the two versions|the first of"
    "|some other|some of these|one of these"
    "|all of these|each of these|most of these|many of these|at this point|at that point|after this|after that"
    "|note that|please note|be aware|keep in mind|remember that|in general|see |for more|for details|for further"
    "|because of this|because of that|due to this|with this|with these|with that|by this|by doing so|of course"
    "|siehe |beachten sie|bitte beachten|beachte|denken sie daran|weitere informationen|im allgemeinen"
    "|mit anderen worten|zum beispiel|in diesem fall|in diesen fällen|aus diesem grund|im folgenden|im gegensatz dazu"
    "|auf diese weise|zu diesem zweck|das heißt|darüber hinaus|wie oben|wie bereits|falls dies|wenn dies|ist dies"
    "|voir |voyez |consultez |notez que|veuillez noter|à noter|remarquez|rappelez-vous"
    "|pour plus|pour en savoir|en général"
    "|en d'autres termes|autrement dit|par exemple|dans ce cas|de plus|en outre|en effet|en revanche|par contre"
    "|par ailleurs|par conséquent|pour cela|pour ce faire|c'est pourquoi|de cette façon|de cette manière|de même"
    "|il en est de même|au contraire|d'autre part|d'autres"
    "|ver |vea |véase |consulte |tenga en cuenta|ten en cuenta|nótese|observe que|para más|en general"
    "|por ejemplo|en otras palabras|en este caso|en ese caso|por lo tanto|por tanto|por eso|por ello|sin embargo"
    "|es decir|de esta forma|de esta manera|de este modo|por otro lado|en cambio|no obstante|a continuación|lo mismo"
    "|vedi |vedere |si veda |si noti|notare che|tenere presente|per ulteriori|per maggiori|in generale"
    "|ad esempio|per esempio|in altre parole|in questo caso|in tal caso|per questo|in questo modo|d'altra parte"
    "|al contrario|di conseguenza|oltre a ciò|a questo punto"
    "|let op|zie |merk op|houd er rekening|voor meer|in het algemeen"
    "|met andere woorden|bij voorbeeld|in dit geval|in dat geval|om deze reden|op deze manier|aan de andere kant"
    "|note que|repare que|tenha em|para mais|para obter mais|em geral"
    "|por exemplo|em outras palavras|por outras palavras|neste caso|nesse caso|por isso|dessa forma|desta forma"
    "|desse modo|deste modo|além disso|no entanto|por outro lado|ou seja"
    "|należy pamiętać|pamiętaj|zauważ|więcej informacji|zazwyczaj"
    "|na przykład|innymi słowy|w tym przypadku|w takim przypadku|z tego powodu|w ten sposób|to znaczy|z drugiej strony"
    "|poza tym|oprócz tego"
)
# After "this": the page itself. "This layout" is something that was named before.
SELF_NOUNS: Final = _words(
    "page pages website site article post chapter section document documentation guide manual tutorial book howto faq"
    " module modules class classes package library function functions method command commands program tool utility"
    " option dialog filter plugin plug-in extension interface template type structure group file release version"
    " clause subclause annex notes essay tip app application feature setting script macro widget component api protocol"
    " format standard specification lesson project team company shop store blog story event paper study report category"
    " product service course recipe video appendix part reference introduction overview tour directive list glossary"
    " seite artikel beitrag kapitel abschnitt dokument dokumentation handbuch anleitung tutorium buch modul klasse"
    " paket bibliothek funktion methode befehl programm werkzeug dialog filter option version fassung leitfaden text"
    " produkt dienst kurs rezept anhang teil liste"
    " site article chapitre section document documentation guide manuel tutoriel livre module classe paquet"
    " bibliothèque fonction méthode commande programme outil option boîte filtre greffon version produit service annexe"
    " partie liste texte"
    " página sitio artículo capítulo sección documento documentación guía manual libro módulo clase paquete biblioteca"
    " complemento herramienta plantilla función método comando orden programa herramienta opción diálogo filtro"
    " versión producto servicio apéndice lista"
    " pagina sito articolo capitolo sezione documento documentazione guida manuale libro modulo classe pacchetto"
    " libreria funzione metodo comando programma strumento opzione finestra filtro versione prodotto servizio appendice"
    " artikel hoofdstuk sectie handleiding boek pakket bibliotheek functie opdracht programma optie venster versie"
    " artigo capítulo seção secção documentação guia livro módulo pacote biblioteca função comando ferramenta opção"
    " versão produto serviço"
    " strona artykuł rozdział dokument podręcznik przewodnik książka moduł klasa pakiet biblioteka funkcja metoda"
    " polecenie program narzędzie opcja okno filtr wersja produkt usługa dodatek"
)
# Anywhere in a sentence: it points at another place of the page, or of another.
POINTERS: Final = _words(
    "above below following former latter aforementioned hereafter previously"
    " oben unten obige obigen folgende folgenden folgender folgendes nachfolgend nachfolgende nachfolgenden vorstehend"
    " ci-dessous ci-dessus ci-après suivant suivante suivants suivantes précédent précédente"
    " siguiente siguientes arriba abajo anteriormente seguente seguenti sottostante precedentemente"
    " onderstaande bovenstaande hieronder hierboven volgende seguinte seguintes abaixo acima"
    " poniżej poniższe powyżej powyższe następujące następujący"
)
POINTING: Final = _phrases(
    "in other words|see section|see chapter|see appendix|see also|see the|see figure|see table|see below"
    "|for details see|for details, see"
    "|as follows|wie folgt|comme suit|como sigue|come segue|als volgt"
    "|refer to|as shown in|shown in figure|next section|previous section|this section describes how"
    "|siehe|vgl.|nächsten abschnitt|vorigen abschnitt|vorherigen abschnitt|mit anderen worten"
    "|voir la|voir le|voir les|voir aussi|voir section|voyez|reportez-vous|section suivante|autrement dit"
    "|véase|ver la sección|consulte la|consulte el|en otras palabras|vedere|si veda|in altre parole|zie |zie ook"
    "|met andere woorden|veja a|ver a secção|consulte a|consulte o|em outras palavras|zobacz|patrz|innymi słowy"
    "|bakınız|ayrıntılı bilgi|bkz|подробнее|подробную информацию|см.|詳細は|参照|참고하|참조하|请参阅|参见|參見|请参考"
)
# Anywhere in a sentence: it asks the reader for something.
REQUESTS: Final = _words(
    "please welcome bitte veuillez svp favor prega alstublieft alsjeblieft proszę пожалуйста lütfen vänligen venligst"
)
# The first word of a sentence that speaks only to some of its readers.
IFS: Final = _words("if unless wenn falls si s'il se als indien jeśli jeżeli")
# Before a colon or the like at the beginning: what follows is a remark, and not what the page is about.
LABELS: Final = (
    "summary|executive summary|abstract|overview|zusammenfassung|résumé|resumen|riassunto|resumo"
    "|note|notes|nb|warning|caution|tip|hint|important|attention|remark|todo|fixme|example|question|answer|q|a"
    "|hinweis|anmerkung|achtung|warnung|vorsicht|wichtig|tipp|bemerkung|beispiel|frage|antwort"
    "|remarque|avertissement|astuce|exemple|nota|aviso|advertencia|atención|consejo|importante|ejemplo|avviso"
    "|attenzione|suggerimento|avvertenza|esempio|opmerking|waarschuwing|let op|belangrijk|voorbeeld|atenção|dica"
    "|exemplo|uwaga|ostrzeżenie|wskazówka|przykład|ważne"
)
# Before a number or letter: another place that the sentence points at.
PLACES: Final = (
    r"section|chapter|appendix|figure|table|listing|footnote|abschnitt|kapitel|anhang|abbildung|tabelle|chapitre"
    r"|annexe|tableau|sección|capítulo|apéndice|tabla|figura|sezione|capitolo|appendice|tabella|hoofdstuk|paragraaf"
    r"|bijlage|tabel|secção|seção|tabela|apêndice|rozdział|rozdziale|sekcja|tabeli"
)
CAPTIONS: Final = (
    r"figure|fig\.|table|example|listing|photo|image|abbildung|abb\.|tabelle|beispiel|bild|tableau|exemple|figura|tabla"
    r"|ejemplo|tabella|esempio|afbeelding|tabel|voorbeeld|tabela|exemplo|rysunek|przykład|slika|obrázek|рисунок|таблица"
)
