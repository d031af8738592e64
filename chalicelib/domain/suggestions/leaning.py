"""Words that tell a sentence that cannot stand alone: it leans on one before it, or points at something not quoted.

All folded, in English, German, French, Spanish, Italian, Dutch, Portuguese, Polish and Russian; for Japanese, Chinese
and Korean, whose sentences do not begin with a word of their own, as patterns.
"""

import re
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
    ``negations``: anywhere in one that says what something is not; ``start``: of one that leans, as a pattern.
    """

    back: frozenset[str]
    contrasts: frozenset[str]
    conditions: frozenset[str]
    demonstratives: frozenset[str]
    also: frozenset[str]
    negations: frozenset[str]
    start: re.Pattern[str] | None = None


_NO_WORDS: Final[frozenset[str]] = frozenset()
NO_LANGUAGE: Final = Leaning(_NO_WORDS, _NO_WORDS, _NO_WORDS, _NO_WORDS, _NO_WORDS, _NO_WORDS)  # not listed


def _of_pattern(pattern: str) -> Leaning:
    return NO_LANGUAGE._replace(start=re.compile(pattern))


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
        _words("not no never cannot doesn't don't isn't aren't won't can't nor incompatible requires require assumes"),
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
        _words("pas aucun aucune jamais nécessite nécessitent requiert requièrent"),
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
    "ru": Leaning(
        _words(
            "он она оно они его её ее их и а но или однако затем тогда поэтому также тоже здесь там так такой такая"
            " такие кроме например итак впрочем другой другие следующий следующие"
        ),
        _words("но однако впрочем"),
        _words("если когда пока после"),
        _words("этот эта это эти тот та те"),
        _words("также тоже другой другие"),
        _words("не нет никогда"),
    ),
    # "This command" is the page itself, "this" alone is something that was named before; "then", "but", "for example",
    # "in this case", "below", "if"; a question, and what was said already.
    "ja": _of_pattern(
        "この(?!コマンド|ダイアログ|ツール|フィルタ|プラグイン|章|節|頁|ページ|文書|ドキュメント|マニュアル|本|機能|モジュール|関数"
        "|クラス|スクリプト|プログラム|ライブラリ|ガイド|記事|メニュー|オプション|パッケージ)"
        "|これ(?!から)|その|それ|そこ|そう|そして|ここ|こう|こちら|では|だが|ですが|でも|しかし|ただし|ただ、|また|まず|次に|次の"
        "|さらに|更に|すると|つまり|なお|ちなみに|例えば|たとえば|あるいは|および|または|もっとも|もし|ところ|従って|したがって"
        "|なぜなら|よって|以下|以上|上記|下記|上の|下の|前の|前述|最初|最後|一方|反対|逆に|同様|同じ|両方|どちら|他の|他に|ほか|注意"
        "|参照|どうして|なぜ|どの|何|[^。]*(?:か|でしょう|ましょう|ません|ください|下さい)[。？?]|[^。]*(?:つの[^。]*|いくつか)あります。|ここからは"
    ),
    "zh": _of_pattern(
        "这(?!个(?:命令|章|页|模块|函数|类|程序|工具|库|插件)|一章|篇|本)|這(?!個(?:命令|章|頁|模組|函式|程式|工具)|一章|篇|本)|那|其|它|他|她|该|該|此"
        "|但|不过|不過|然而|而|因此|所以|于是|於是|因为|因為|此外|另外|另一|同时|同時|同样|同樣|例如|比如|如果|若|当|當|首先|然后|然後|接着|最后|最後"
        "|上述|以上|以下|下面|上面|下列|如下|请|請|注意|还有|還有|也|并且|並且|或者|否则|否則|总之|總之|换句话说|換句話說|为什么|為什麼|.*[吗呢嗎]?[？?]$"
    ),
    "ko": _of_pattern(
        "이(?:것|는|를|러한|런|와|에|때|후)|그(?:것|는|를|러나|리고|래서|런|러면|때|후)|하지만|또한|또는|따라서|그|저|여기|거기|만약|만일|예를"
        "|다음|위의|위에|아래|먼저|마지막|반면|한편|다른|같은|왜|즉|주의|참고|.*까\\?$"
    ),
}
# The first words of a sentence: the sentence goes on with a thought.
OPENINGS: Final = _phrases(
    "the two|les deux|die beiden|los dos|las dos|le due|i due"
    "|in other words|in addition|in this case|in that case|in these cases|in short|in fact|in particular|in contrast"
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
# The first words of a sentence that sets the scene, or speaks of what is usual: what the page is about comes later.
SCENES: Final = _phrases(
    "defined in|declared in|as with|during|having|starting|before|after|while|without|instead|rather|in most|in many"
    "|in some|in the past|in"
    " recent|in practice|in theory|in earlier|in older|in this|in these|in those"
    "|in general|in order|most|many|some|several|few|often|sometimes|usually|typically|generally|normally|commonly"
    "|currently|traditionally|historically|originally|recently|today|nowadays|now|at present|at the moment|as of"
    "|over the|for many|for a long|prior to|suppose|consider|imagine|assume|let's|let us|we've|we're|we have|we saw"
    "|you've|you have|you already|you may|you might|you should|you must|you need|so far|perhaps|maybe|one way"
    "|one of|there|everyone|everybody|people|users|programmers|developers|administrators|it's|what|who|which|why|how"
    "|how|to see|to get|to find|to obtain|to insert|to remove|to look|to create|to use|to do|to be|by default"
    "|even|only|no|not|none|never|nothing|nobody|all|any|both|each|every|either|neither|just|like|unlike|with"
    "|in den meisten|in vielen|in der vergangenheit|in der regel|früher|heute|heutzutage|oft|häufig|meist|meistens"
    "|manchmal|normalerweise|üblicherweise|gewöhnlich|viele|einige|manche|mehrere|die meisten|nehmen wir|angenommen"
    "|natürlich|traditionell|ursprünglich|wir haben|nur|kein|keine|nicht|jeder|jede|jedes|alle|selbst|bei|trotz|mit"
    "|es|einer|eines|zur zeit|derzeit|seit|nach|vor|um|auch wenn|da|je"
    "|pour fonctionner|pour pouvoir|pour utiliser|dans la plupart|dans de nombreux|souvent|parfois|généralement"
    "|habituellement|normalement|traditionnellement"
    "|aujourd'hui|de nos jours|actuellement|beaucoup|certains|certaines|plusieurs|quelques|la plupart|supposons"
    "|imaginons|bien sûr|bien que|même|malgré|depuis|pour obtenir|pour voir|il|on|nous avons|vous avez|vous devez"
    "|vous pouvez|maintenant"
    "|en la mayoría|en muchos|a menudo|a veces|normalmente|generalmente|habitualmente|tradicionalmente|hoy|actualmente"
    "|muchos|muchas|algunos|algunas|varios|varias|la mayoría|supongamos|por supuesto|incluso|a pesar|desde"
    "|nella maggior|in molti|spesso|talvolta|normalmente|generalmente|solitamente|tradizionalmente|oggi|attualmente"
    "|molti|molte|alcuni|alcune|diversi|la maggior|supponiamo|naturalmente|anche se|nonostante|dal"
    "|in de meeste|vaak|soms|meestal|normaal|gewoonlijk|traditioneel|vandaag|tegenwoordig|veel|sommige|enkele|de meeste"
    "|stel dat|natuurlijk|ondanks|sinds"
    "|na maioria|em muitos|muitas vezes|às vezes|normalmente|geralmente|tradicionalmente|hoje|atualmente|muitos|muitas"
    "|alguns|algumas|vários|a maioria|suponha|naturalmente|apesar|desde"
    "|w większości|często|czasami|zwykle|zazwyczaj|tradycyjnie|dziś|dzisiaj|obecnie|wiele|niektóre|większość|oczywiście"
)
# The first word of a sentence that goes on with the subject of the one before it.
PRONOUNS: Final = _words(
    "it they er sie es il elle ils elles él ella ellos ellas esso essa essi esse hij zij ze ele ela eles elas on ona"
    " ono oni one он она оно они"
)
# Among the first words: of several things that are counted up.
ORDINALS: Final = _words(
    "first second third fourth fifth last erste ersten zweite zweiten dritte dritten letzte premier première deuxième"
    " troisième dernier dernière primer primera segundo segunda tercero último última primo prima secondo seconda terzo"
    " ultimo ultima eerste tweede derde laatste primeiro primeira terceiro pierwszy drugi trzeci"
)
# Before "this": what the page is to be found in.
WITHIN: Final = _words("in im dans en nel nella em w within")
# Before "this" in a sentence's subject: what the subject is about was named before.
CONCERNING: Final = _words(
    "regarding concerning about behind with bezüglich hinter mit bei concernant derrière avec sur sobre con tras"
    " riguardo dietro su met achter com sobre"
)
# After "the", at the beginning of the page's text: what the page is about.
THINGS: Final = _words(
    "command program tool utility module class function method script dialog filter plugin"
    " befehl programm werkzeug modul klasse funktion methode dialog filter"
    " commande programme outil module classe fonction méthode filtre"
    " comando orden programa herramienta módulo clase función método diálogo filtro"
    " programma strumento modulo classe funzione metodo"
    " opdracht functie polecenie narzędzie klasa funkcja"
)
# Among the first words of a sentence that draws something from the one before it, or that says what is to be done.
CONNECTIVES: Final = _words(
    "therefore however thus hence moreover furthermore nevertheless should must only daher deshalb jedoch allerdings"
    " außerdem"
    " somit folglich hingegen dagegen donc cependant toutefois néanmoins doit doivent tanto embargo además debe deben"
    " quindi tuttavia inoltre deve devono echter daarom moet portanto contudo dlatego jednak поэтому однако"
)
ALSO: Final = _words("also too auch ebenfalls aussi également también anche ook também także również też")
# What says of something what it is or does: verbs, forms of "to be", and what follows those in a definition ("is a").
STATEMENTS: Final[Mapping[str, tuple[frozenset[str], frozenset[str], frozenset[str]]]] = {
    "en": (
        _words(
            "provides provide offers offer allows allow lets let enables enable describes describe documents explains"
            " explain shows show lists contains contain holds includes include covers supports support implements"
            " implement defines define represents represent performs converts manages manage handles handle specifies"
            " specify determines stores store creates create returns displays display prints reads read writes write"
            " runs sets gets adds removes makes make uses use controls control generates generate produces takes gives"
            " give consists means refers introduces discusses presents summarizes summarises outlines gathers collects"
            " helps help acts serves serve works tests checks computes encapsulates models maintains sends receives"
            " connects configures configure installs starts stops processes transforms translates encodes decodes"
            " parses fixes corrects exposes wraps extends adds changes replaces applies identifies indicates expects"
            " requires has have"
        ),
        _words("is are can may be"),
        _words(
            "a an the one used intended designed meant part made responsible based similar able called set available"
            " written built stored defined implemented provided represented useful how what where two three several"
            " any"
        ),
    ),
    "de": (
        _words(
            "bietet bieten ermöglicht ermöglichen erlaubt erlauben beschreibt beschreiben behandelt behandeln enthält"
            " enthalten zeigt zeigen erklärt erklären erläutert dient dienen stellt stellen definiert liefert verwaltet"
            " steuert speichert erzeugt erstellt installiert gibt führt umfasst unterstützt verwendet bestimmt wandelt"
            " sorgt lässt besteht bestehen fasst listet vergleicht erweitert gliedert"
        ),
        _words("ist sind"),
        _words("ein eine einer der die das für dafür teil dazu"),
    ),
    "fr": (
        _words(
            "permet permettent fournit fournissent offre offrent décrit décrivent contient contiennent sert servent"
            " présente présentent explique expliquent définit définissent implémente gère crée affiche liste regroupe"
            " contrôle spécifie indique détermine génère traite montre propose autorise active donne recense constitue"
            " rassemble détaille documente couvre référencées"
        ),
        _words("est sont"),
        _words("un une le la les l des conçu conçue utilisé utilisée utilisés destiné destinée basé"),
    ),
    "es": (
        _words(
            "permite permiten proporciona proporcionan ofrece ofrecen describe describen contiene contienen sirve"
            " presenta explica define implementa gestiona crea muestra controla especifica indica determina genera"
            " trata"
            " incluye reúne detalla documenta cubre ayuda"
        ),
        _words("es son"),
        _words("un una el la los las diseñado diseñada utilizado usado parte"),
    ),
    "it": (
        _words(
            "permette permettono fornisce forniscono offre descrive contiene serve presenta spiega definisce implementa"
            " gestisce crea mostra controlla specifica indica determina genera tratta include consente elenca"
        ),
        _words("è sono"),
        _words("un una il lo la i gli le progettato usato parte"),
    ),
}
# After "a", at the beginning of the page's text: the page itself.
GUIDES: Final = _words(
    "guide introduction tutorial overview reference manual walkthrough howto primer einführung anleitung überblick"
    " übersicht leitfaden handbuch guide introduction tutoriel aperçu guía introducción tutorial resumen guida"
    " introduzione panoramica handleiding inleiding overzicht guia introdução przewodnik wprowadzenie"
)
BEINGS: Final = _words("is are ist sind est sont es son è sono zijn são jest są")
INDEFINITE: Final = _words("a an ein eine une un una uno een um uma the der die das le la les el los las il lo gli")
ARTICLES: Final = _words("the der die das le la el il lo het de o a")
# Near the beginning: something that was so, of which the page tells the story.
PAST: Final = _words(
    "was were had wasn't weren't learned saw war waren wurde wurden hatte était étaient fue fueron era erano foi"
)
# After "this": the page itself. "This layout" is something that was named before.
SELF_NOUNS: Final = _words(
    "page pages website site article post chapter section document documentation guide manual tutorial book howto faq"
    " module modules class classes package library function functions method command commands program tool utility"
    " option dialog filter plugin plug-in extension interface template type structure group file release version"
    " clause subclause annex notes essay tip app application setting script macro widget component api protocol"
    " format standard specification lesson project team company shop store blog story event paper study report category"
    " product service course recipe video appendix part reference introduction overview tour directive list glossary"
    " signal property routine callback constructor collection"
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
# After "this" or "these" too, in references: the thing or things that the page is about.
KIND_NOUNS: Final = _words(
    "struct trait enum enumeration enumerations union type types macros object objects iterator primitive keyword"
    " namespace predicate predicates procedure procedures routines interfaces constants options directives macro"
    " operator operators behaviour exception annotation statement pragma property"
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
    "in other words|go to the|see section|see chapter|see appendix|see also|see the|see figure|see table|see below"
    "|for details see|for details, see"
    "|as follows|wie folgt|comme suit|como sigue|come segue|als volgt"
    "|refer to|as shown in|shown in figure|next section|previous section|this section describes how"
    "|siehe|vgl.|nächsten abschnitt|vorigen abschnitt|vorherigen abschnitt|mit anderen worten"
    "|voir la|voir le|voir les|voir aussi|voir section|voyez|reportez-vous|section suivante|autrement dit"
    "|véase|ver la sección|consulte la|consulte el|en otras palabras|vedere|si veda|in altre parole|zie |zie ook"
    "|met andere woorden|veja a|ver a secção|consulte a|consulte o|em outras palavras|zobacz|patrz|innymi słowy"
    "|bakınız|ayrıntılı bilgi|bkz|подробнее|подробную информацию|см.|詳細は|ご覧|参照|참고하|참조하"
    "|请参阅|参见|參見|请参考"
)
# Anywhere in a sentence: it asks the reader for something.
REQUESTS: Final = _words(
    "please welcome bitte veuillez svp favor prega alstublieft alsjeblieft proszę пожалуйста lütfen vänligen venligst"
)
# The first word of a sentence that speaks only to some of its readers.
IFS: Final = _words("if unless wenn falls si s'il se als indien jeśli jeżeli")
# Before a colon or the like at the beginning: what follows is a remark, and not what the page is about.
# After "this", wherever it stands on the page: the page as a whole, and no part of it.
PAGE_NOUNS: Final = _words(
    "page site website article chapter document documentation guide manual tutorial book howto faq module class package"
    " library command program utility appendix annex reference introduction overview glossary"
    " seite artikel kapitel dokument dokumentation handbuch anleitung buch modul klasse paket bibliothek befehl"
    " programm"
    " anhang chapitre guide manuel tutoriel livre commande programme annexe página artículo capítulo documento"
    " documentación guía libro módulo comando programa apéndice pagina articolo capitolo documento guida manuale libro"
    " modulo hoofdstuk handleiding boek artigo capítulo strona rozdział dokument podręcznik"
)
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
    r"section|chapter|appendix|figure|table|listing|footnote|example|beispiel|exemple|ejemplo|esempio|abschnitt"
    r"|kapitel|anhang|abbildung|tabelle|chapitre"
    r"|annexe|tableau|sección|capítulo|apéndice|tabla|figura|sezione|capitolo|appendice|tabella|hoofdstuk|paragraaf"
    r"|bijlage|tabel|secção|seção|tabela|apêndice|rozdział|rozdziale|sekcja|tabeli"
)
CAPTIONS: Final = (
    r"figure|fig\.|table|example|listing|photo|image|abbildung|abb\.|tabelle|beispiel|bild|tableau|exemple|figura|tabla"
    r"|ejemplo|tabella|esempio|afbeelding|tabel|voorbeeld|tabela|exemplo|rysunek|przykład|slika|obrázek|рисунок|таблица"
)
