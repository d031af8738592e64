"""Words that carry no topic, in English, German, French, Spanish, Italian, Dutch, Portuguese and Polish."""

from collections.abc import Mapping
from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Articles, prepositions, conjunctions, pronouns, auxiliaries: a title or a clause never ends on one of them.
STOP_WORDS: Final[Mapping[str, frozenset[str]]] = {
    "en": _words(
        "a an the and or but nor so yet if then than that this these those there here as at by for from in into of"
        " off on onto out over to up upon with within without about above across after against along among around"
        " before behind below beneath beside between beyond despite down during except inside near outside since"
        " through throughout till toward towards under until via while because although though whether unless is are"
        " was were be been being am do does did has have had can could may might must shall should will would i you"
        " he she it we they me him her us them my your his its our their mine yours who whom whose which what when"
        " where why how not no vs versus per every each any some such both either neither"
    ),
    "de": _words(
        "der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner und oder aber sondern"
        " denn doch als wie wenn weil dass daß ob damit bevor nachdem während obwohl an am auf aus bei beim bis durch"
        " für gegen hinter in im ins mit nach neben ohne seit trotz über übers um unter unterm vom von vor vorm wegen"
        " zu zum zur zwischen ist sind war waren sein bin bist seid wird werden wurde wurden hat haben hatte hatten"
        " kann können könnte muss müssen soll sollen sollte will wollen darf dürfen mag möchte ich du er sie es wir ihr"
        " mich dich ihn uns euch ihm ihnen mein meine dein deine seine ihre unser unsere euer eure dieser diese dieses"
        " diesem diesen jener jene jenes welcher welche welches wer was wo wann warum nicht auch noch nur sowie bzw"
        " inkl per pro samt statt sich man je"
    ),
    "fr": _words(
        "le la les l un une des du de d au aux à et ou mais ni car donc or si que qu qui quoi dont où lorsque quand"
        " comme puisque parce quoique bien en dans par pour sur sous sans avec avant après chez contre depuis derrière"
        " devant entre envers jusque jusqu jusqu'à malgré parmi pendant selon vers via est sont était étaient être été"
        " ai as a ont avons avez avait avaient avoir peut peuvent doit doivent fait font je j tu il elle on nous vous"
        " ils elles me m te t se s lui leur leurs mon ma mes ton ta tes son sa ses notre nos votre vos ce c cet cette"
        " ces quel quelle quels quelles ne n pas plus moins très aussi afin dès hors lors ainsi chaque tout toute"
    ),
    "es": _words(
        "el la los las lo un una unos unas de del al a y e o u pero sino ni que si como cuando donde porque pues aunque"
        " mientras en con por para sin sobre entre hasta desde hacia según tras ante bajo contra durante mediante vía"
        " es son era eran ser sido está están estaba estar ha han he hay había haber puede pueden debe deben hace yo tú"
        " él ella ello nosotros vosotros ellos ellas usted ustedes me te se nos os le les mi mis tu tus su sus nuestro"
        " nuestra nuestros nuestras vuestro vuestra este esta estos estas ese esa esos esas aquel aquella cual cuales"
        " quien quienes cuyo cuya qué quién cuál no más menos muy también cada todo toda"
    ),
    "it": _words(
        "il lo la i gli le l un uno una un' di del dello della dei degli delle dell a al allo alla ai agli alle all da"
        " dal dallo dalla dai dagli dalle dall in nel nello nella nei negli nelle nell con col su sul sullo sulla sui"
        " sugli sulle sull per tra fra e ed o od ma né se che chi cui come quando dove perché poiché mentre anche"
        " senza sotto sopra verso durante entro fino dopo prima contro presso è sono era erano essere stato ha hanno"
        " ho hai abbiamo avete aveva avere può possono deve devono io tu lui lei noi voi loro mi ti si ci vi ne mio mia"
        " tuo tua suo sua nostro nostra vostro vostra questo questa questi queste quello quella quelli quelle quale"
        " quali non più meno molto ogni tutto tutta"
    ),
    "nl": _words(
        "de het een 't en of maar noch want dus als dan dat die dit deze wanneer omdat hoewel terwijl of aan achter bij"
        " binnen boven buiten door in langs met na naar naast om onder op over per rond sinds te ten ter tegen tijdens"
        " tot tussen uit van vanaf vanuit via voor volgens zonder is zijn was waren ben bent wordt worden werd werden"
        " heeft hebben had hadden heb kan kunnen kon moet moeten mag mogen wil willen zal zullen zou ik jij je u hij"
        " zij ze wij we jullie mij me hem haar ons hen hun mijn jouw uw onze wie wat waar waarom hoe welke welk niet"
        " geen ook nog wel er elk elke"
    ),
    "pt": _words(
        "o a os as um uma uns umas de do da dos das em no na nos nas ao à aos às por pelo pela pelos pelas para pra com"
        " sem sob sobre entre até desde contra perante segundo durante mediante via e ou mas nem que se como quando"
        " onde porque pois embora enquanto é são era eram ser sido está estão estava estar foi foram há tem têm tinha"
        " ter pode podem deve devem faz eu tu ele ela nós vós eles elas você vocês me te lhe lhes meu minha teu tua seu"
        " sua seus suas nosso nossa nossos nossas este esta estes estas esse essa esses essas aquele aquela isto isso"
        " qual quais quem cujo cuja não mais menos muito também cada todo toda num numa"
    ),
    "pl": _words(
        "i a oraz lub albo ale lecz ani czy że żeby aby gdy gdyż kiedy jeśli jeżeli ponieważ bo więc jak jako gdzie w"
        " we z ze na do od ode dla po pod nad przed przez przy za o u ku bez między wśród wobec według podczas mimo"
        " obok poza poprzez spod znad jest są był była było byli były być będzie będą ma mają miał może mogą można musi"
        " trzeba ja ty on ona ono my wy oni one mnie mi mu ją jej jego ich im nas nam was wam cię ci się mój moja moje"
        " twój twoja twoje swój swoja swoje nasz nasza nasze wasz wasza wasze ten ta to te ci tych tym tego tej tę tą"
        " który która które których co kto kogo czego czym nie też także tylko już jeszcze bardzo każdy każda każde"
    ),
}
ALL_STOP_WORDS: Final = frozenset().union(*STOP_WORDS.values())


def stop_words(lang: str | None) -> frozenset[str]:
    """Return the stop words of a page's language. For a language that is not one of the eight, return the stop words of
    all eight."""
    return STOP_WORDS.get((lang or "").lower().replace("_", "-").partition("-")[0], ALL_STOP_WORDS)
