"""Words that tell a sentence that cannot stand alone: it leans on one before it, or points at something not quoted.

All folded, in English, German, French, Spanish, Italian, Dutch, Portuguese and Polish.
"""

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(text.split("|"))


# The first word of a sentence about something said before it.
FIRST_WORDS: Final = _words(
    "it its they their them he she his her both such same and or nor but so yet then than however therefore thus hence"
    " also besides moreover furthermore additionally otherwise instead here there still though although similarly"
    " likewise consequently accordingly finally next lastly another others again indeed nevertheless nonetheless"
    " meanwhile afterwards afterward conversely alternatively former latter secondly thirdly because which whereas"
    " er sie es ihr ihre sein seine und oder aber sondern also dann dabei dazu daher deshalb deswegen dadurch damit"
    " danach darüber darum davon daraus hierbei hierfür hierzu hiermit außerdem zudem ferner jedoch allerdings dennoch"
    " trotzdem andernfalls ansonsten sonst stattdessen hier dort so beide auch schließlich solche solch letztere"
    " erstere ebenso ebenfalls weiterhin weitere denn nun"
    " il elle ils elles ce c'est cela ceci celui-ci celle-ci ceux-ci celles-ci et ou mais or donc alors ainsi"
    " cependant toutefois néanmoins pourtant ensuite enfin sinon puis aussi ici là celui celle ceux lui leur leurs son"
    " sa ses"
    " él ella ello ellos ellas eso esto y e o u pero sino entonces luego después finalmente además también aquí allí"
    " así dicho dicha dichos dichas ambos ambas sus su"
    " esso essa essi esse egli ciò e ed o ma però quindi dunque allora poi infine inoltre anche tuttavia infatti invece"
    " qui lì così tale tali entrambi entrambe"
    " het hij zij ze hun en of maar dus dan daarom daardoor daarna daarbij ook hier daar toch echter verder vervolgens"
    " bovendien zulke anders beide"
    " ele ela eles elas isto isso aquilo mas porém contudo todavia entretanto então depois também aqui ali assim ambos"
    " ambas tal tais"
    " on ona ono oni one jego jej ich i oraz ale lecz lub więc wtedy dlatego także również tu tam jednak ponadto"
    " następnie zatem taki taka takie inne"
)
# The first words of a sentence: the sentence goes on with a thought.
OPENINGS: Final = _phrases(
    "in other words|in addition|in this case|in that case|in these cases|in short|in fact|in particular|in contrast"
    "|by contrast|for example|for instance|for this reason|for these reasons|for this purpose|as a result|as mentioned"
    "|as noted|as described|as such|as you can see|as above|as before|on the other hand|on the contrary|that is|that's"
    "|to do so|to do this|to this end|if so|if not|if unchecked|if checked|if enabled|if disabled|if this|if that"
    "|when this|when it|once this|once that|the former|the latter|the following|the above|the same|the next"
    "|the previous|the rest|the other|the second|the last|the first of|some other|some of these|one of these"
    "|all of these|each of these|most of these|many of these|at this point|at that point|after this|after that"
    "|note that|please note|be aware|keep in mind|remember that|in general|see |for more|for details|for further"
    "|because of this|because of that|due to this|with this|with these|with that|by this|by doing so|of course"
    "|beachten sie|bitte beachten|beachte|denken sie daran|weitere informationen|im allgemeinen"
    "|mit anderen worten|zum beispiel|in diesem fall|in diesen fällen|aus diesem grund|im folgenden|im gegensatz dazu"
    "|auf diese weise|zu diesem zweck|das heißt|darüber hinaus|wie oben|wie bereits|falls dies|wenn dies|ist dies"
    "|notez que|veuillez noter|à noter|remarquez|rappelez-vous|pour plus|pour en savoir|en général"
    "|en d'autres termes|autrement dit|par exemple|dans ce cas|de plus|en outre|en effet|en revanche|par contre"
    "|par ailleurs|par conséquent|pour cela|pour ce faire|c'est pourquoi|de cette façon|de cette manière|de même"
    "|il en est de même|au contraire|d'autre part|d'autres"
    "|tenga en cuenta|ten en cuenta|nótese|observe que|para más|en general"
    "|por ejemplo|en otras palabras|en este caso|en ese caso|por lo tanto|por tanto|por eso|por ello|sin embargo"
    "|es decir|de esta forma|de esta manera|de este modo|por otro lado|en cambio|no obstante|a continuación|lo mismo"
    "|si noti|notare che|tenere presente|per ulteriori|per maggiori|in generale"
    "|ad esempio|per esempio|in altre parole|in questo caso|in tal caso|per questo|in questo modo|d'altra parte"
    "|al contrario|di conseguenza|oltre a ciò|a questo punto"
    "|let op|merk op|houd er rekening|voor meer|in het algemeen"
    "|met andere woorden|bij voorbeeld|in dit geval|in dat geval|om deze reden|op deze manier|aan de andere kant"
    "|note que|repare que|tenha em|para mais|para obter mais|em geral"
    "|por exemplo|em outras palavras|por outras palavras|neste caso|nesse caso|por isso|dessa forma|desta forma"
    "|desse modo|deste modo|além disso|no entanto|por outro lado|ou seja"
    "|należy pamiętać|pamiętaj|zauważ|więcej informacji|zazwyczaj"
    "|na przykład|innymi słowy|w tym przypadku|w takim przypadku|z tego powodu|w ten sposób|to znaczy|z drugiej strony"
    "|poza tym|oprócz tego"
)
# The first words of a sentence further down that says something of a case, and not what the page is about.
CONDITIONS: Final = _words(
    "if when whenever unless once while until after before depending since as where"
    " wenn falls sobald sofern solange bevor nachdem während"
    " si quand lorsque lorsqu'un lorsqu'une pendant après avant puisque"
    " cuando mientras después antes siempre se quando mentre dopo prima als wanneer indien zodra terwijl nadat voordat"
    " enquanto depois jeśli jeżeli gdy kiedy podczas"
)
# The first word of a sentence that takes something back: it is no end of a description.
CONTRASTS: Final = _words(
    "but however yet nevertheless nonetheless though although unfortunately or otherwise"
    " aber jedoch allerdings dennoch trotzdem leider sonst oder doch"
    " mais cependant toutefois néanmoins pourtant malheureusement sinon or"
    " pero sino lamentablemente desafortunadamente ma però tuttavia purtroppo invece maar echter helaas toch"
    " mas porém contudo todavia infelizmente ale jednak lecz niestety"
)
# "This module" is the page itself; "this layout" is something that was named before.
DEMONSTRATIVES: Final = _words(
    "this these that those dies diese dieser dieses diesem diesen jene jener ce cet cette ces este esta estos estas ese"
    " esa esos esas aquel aquella questo questa questi queste quest' quel quella dit deze dat die esse essa esses essas"
    " ten ta te to tego tej tych"
)
SELF_NOUNS: Final = _words(
    "page pages website site article post chapter section document documentation guide manual tutorial book howto faq"
    " module modules class classes package library function functions method command commands program tool utility"
    " option dialog filter plugin plug-in extension interface template type structure group file release version"
    " product service course recipe video appendix part reference introduction overview tour directive list glossary"
    " seite artikel beitrag kapitel abschnitt dokument dokumentation handbuch anleitung tutorium buch modul klasse"
    " paket bibliothek funktion methode befehl programm werkzeug dialog filter option version fassung leitfaden text"
    " produkt dienst kurs rezept anhang teil liste"
    " site article chapitre section document documentation guide manuel tutoriel livre module classe paquet"
    " bibliothèque fonction méthode commande programme outil option boîte filtre greffon version produit service annexe"
    " partie liste texte"
    " página sitio artículo capítulo sección documento documentación guía manual libro módulo clase paquete biblioteca"
    " función método comando orden programa herramienta opción diálogo filtro versión producto servicio apéndice lista"
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
    "|refer to|as shown in|shown in figure|next section|previous section|this section describes how"
    "|siehe|vgl.|nächsten abschnitt|vorigen abschnitt|vorherigen abschnitt|mit anderen worten"
    "|voir la|voir le|voir les|voir aussi|voir section|voyez|reportez-vous|section suivante|autrement dit"
    "|véase|ver la sección|consulte la|consulte el|en otras palabras|vedere|si veda|in altre parole|zie |zie ook"
    "|met andere woorden|veja a|ver a secção|consulte a|consulte o|em outras palavras|zobacz|patrz|innymi słowy"
)
# Before a colon or the like at the beginning: what follows is a remark, and not what the page is about.
LABELS: Final = (
    "summary|executive summary|abstract|overview|zusammenfassung|résumé|resumen|riassunto|resumo"
    "|note|notes|nb|warning|caution|tip|hint|important|attention|remark|todo|fixme|deprecated|example|question|answer|q|a"
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
