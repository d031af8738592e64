"""Stock headings in fourteen languages: headings that occur on pages of every kind and name no page. This module is
data; all texts are normalized by ``fold``.

A heading is stock if it is one of these phrases. It is also stock if each of its meaningful words is in one of the
phrases: "Usage examples", "Overview and summary".
"""

import re
from typing import Final

from chalicelib.domain.page.text import fold

# Headings that documentation tools put over the parts of every page.
_OF_PROGRAMS: Final = (
    "typedefs|typedef documentation|macros|macro definition documentation|enumerations|enums|enumerator|variables"
    "|variable documentation|function documentation|data structures|namespaces|structs|traits|constants|statics|unions"
    "|public types|public member functions|static public member functions|protected member functions"
    "|protected attributes|public attributes|static public attributes|private member functions|public slots|signals"
    "|friends and related function documentation|member function documentation|member data documentation"
    "|member typedef documentation|member enumeration documentation|enumeration type documentation"
    "|constructor & destructor documentation|constructor documentation|constructor summary|constructor detail"
    "|constructors|method summary|method detail|field summary|field detail|nested class summary|element detail"
    "|class summary|interface summary|enum summary|exception summary|package description|types and values"
    "|object hierarchy|properties|property details|instance method summary|instance method details"
    "|class method summary|constant summary|instance attribute summary|implementations|trait implementations"
    "|required methods|provided methods|implementors|submodules|subpackages|module contents|package contents"
    "|source code|declaration|ancestors|descendants|exit status|environment|diagnostics|manual page|top|main page"
)
_BY_LANGUAGE: Final = {
    "en": "summary|executive summary|overview|example|examples|introduction|intro|contents|table of contents|content"
    "|description|descriptions|usage|use|see also|details|detail|detailed description|notes|note|references|reference"
    "|appendix|preface|foreword|conclusion|conclusions|abstract|background|synopsis|name|index|glossary|related|links"
    "|related links|related pages|related posts|comments|leave a comment|leave a reply|menu|navigation|search|welcome"
    "|hello|getting started|what's new|warning|caution|important|tip|tips|next|previous|next steps|more"
    "|more information|further reading|prerequisites|requirements|parameters|options|syntax|return value|returns"
    "|remarks"
    "|purpose"
    "|scope"
    "|general|miscellaneous|misc|other|untitled|title|heading|section|chapter|part|page|article|post|home|motivation"
    "|the basics|basics|features|results|discussion|about this page|about this document|on this page|in this article"
    "|copyright|legal notice|credits|acknowledgements|acknowledgments|authors|author|history|changelog|changes|files"
    "|functions|methods|classes|modules|exports|data types|module|function|class|method|arguments|bugs|faq|quick start"
    "|others",
    "de": "zusammenfassung|überblick|übersicht|beispiel|beispiele|einleitung|einführung|inhalt|inhaltsverzeichnis"
    "|beschreibung|verwendung|benutzung|gebrauch|nutzung|anwendung|siehe auch|details|einzelheiten|hinweis|hinweise"
    "|anmerkung|anmerkungen|bemerkungen|literatur|literaturverzeichnis|quellen|anhang|vorwort|fazit|schluss|hintergrund"
    "|name|stichwortverzeichnis|index|glossar|verwandte themen|ähnliche beiträge|kommentare|menü|navigation|suche"
    "|willkommen|erste schritte|neuigkeiten|warnung|achtung|wichtig|tipp|tipps|weiter|zurück|weitere informationen"
    "|voraussetzungen|parameter|optionen|allgemeines|allgemein|sonstiges|verschiedenes|grundlagen|startseite|kapitel"
    "|abschnitt|autoren|danksagung|impressum|syntax|rückgabewert|merkmale|eigenschaften|andere|weitere|weiteres",
    "fr": "résumé|sommaire|aperçu|vue d'ensemble|présentation|exemple|exemples|introduction|table des matières|contenu"
    "|description|utilisation|usage|emploi|voir aussi|voir également|détails|note|notes|remarque|remarques|références"
    "|annexe|annexes|préface|avant-propos|conclusion|contexte|nom|index|glossaire|articles liés|articles similaires"
    "|commentaires|menu|navigation|recherche|bienvenue|premiers pas|nouveautés|quoi de neuf|avertissement|attention"
    "|important|astuce|suivant|précédent|plus d'informations|en savoir plus|prérequis|paramètres|options|généralités"
    "|général|divers|les bases|bases|accueil|chapitre|section|auteurs|remerciements|mentions légales|syntaxe|autres",
    "es": "resumen|visión general|descripción general|vista general|ejemplo|ejemplos|introducción|índice|contenido"
    "|contenidos|tabla de contenidos|descripción|uso|utilización|véase también|ver también|detalles|nota|notas"
    "|observaciones|referencias|apéndice|anexo|prefacio|prólogo|conclusión|conclusiones|antecedentes|nombre|glosario"
    "|artículos relacionados|entradas relacionadas|comentarios|menú|navegación|buscar|búsqueda|bienvenido|bienvenidos"
    "|primeros pasos|novedades|aviso|advertencia|atención|importante|consejo|siguiente|anterior|más información"
    "|requisitos|parámetros|opciones|generalidades|general|varios|inicio|capítulo|sección|autores|agradecimientos|otros|otras",
    "it": "sommario|riepilogo|riassunto|panoramica|esempio|esempi|introduzione|indice|contenuto|contenuti|descrizione"
    "|uso|utilizzo|vedi anche|vedere anche|dettagli|nota|note|osservazioni|riferimenti|appendice|prefazione|premessa"
    "|conclusione|conclusioni|nome|glossario|articoli correlati|commenti|menu|navigazione|ricerca|cerca|benvenuto"
    "|benvenuti|primi passi|novità|avviso|avvertenza|attenzione|importante|suggerimento|successivo|avanti|precedente"
    "|indietro|ulteriori informazioni|requisiti|parametri|opzioni|generalità|generale|varie|inizio|capitolo|sezione"
    "|autori|ringraziamenti|panorama|altri|altre|altro",
    "nl": "samenvatting|overzicht|voorbeeld|voorbeelden|inleiding|introductie|inhoud|inhoudsopgave|beschrijving"
    "|omschrijving|gebruik|zie ook|details|opmerking|opmerkingen|referenties|verwijzingen|bijlage|voorwoord|conclusie"
    "|achtergrond|naam|index|woordenlijst|gerelateerde berichten|reacties|menu|navigatie|zoeken|welkom|aan de slag"
    "|eerste stappen|nieuws|waarschuwing|let op|belangrijk|tip|volgende|vorige|meer informatie|vereisten|parameters"
    "|opties|algemeen|diversen|hoofdstuk|sectie|auteurs|dankwoord",
    "pt": "resumo|sumário|visão geral|exemplo|exemplos|introdução|índice|conteúdo|conteúdos|descrição|uso|utilização"
    "|ver também|veja também|consulte também|detalhes|nota|notas|observações|referências|apêndice|anexo|prefácio"
    "|conclusão|conclusões|nome|glossário|artigos relacionados|posts relacionados|comentários|menu|navegação|pesquisa"
    "|busca|bem-vindo|bem-vindos|primeiros passos|novidades|aviso|atenção|importante|dica|próximo|seguinte|anterior"
    "|mais informações|saiba mais|requisitos|parâmetros|opções|geral|diversos|início|capítulo|seção|secção|autores"
    "|agradecimentos|outros|outras",
    "pl": "podsumowanie|streszczenie|przegląd|przykład|przykłady|wprowadzenie|wstęp|spis treści|zawartość|treść|opis"
    "|użycie|zastosowanie|sposób użycia|zobacz też|zobacz także|szczegóły|uwaga|uwagi|odnośniki|odwołania|dodatek"
    "|załącznik|przedmowa|wnioski|zakończenie|nazwa|indeks|słownik|słowniczek|powiązane|komentarze|menu|nawigacja"
    "|szukaj|wyszukiwanie|witamy|witaj|pierwsze kroki|nowości|co nowego|ostrzeżenie|ważne|wskazówka|dalej|następny"
    "|poprzedni|wstecz|więcej informacji|wymagania|parametry|opcje|ogólne|różne|rozdział|sekcja|autorzy|podziękowania",
    "sv": "sammanfattning|översikt|exempel|inledning|introduktion|innehåll|innehållsförteckning|beskrivning|användning"
    "|se även|se också|detaljer|anmärkning|anmärkningar|noteringar|referenser|bilaga|förord|slutsats|bakgrund|namn"
    "|index|ordlista|relaterat|kommentarer|meny|navigering|sök|välkommen|kom igång|nyheter|varning|viktigt|tips|nästa"
    "|föregående|mer information|krav|parametrar|alternativ|allmänt|övrigt|kapitel|avsnitt",
    "da": "resumé|sammendrag|oversigt|eksempel|eksempler|indledning|introduktion|indhold|indholdsfortegnelse"
    "|beskrivelse|brug|anvendelse|se også|detaljer|bemærkning|bemærkninger|noter|referencer|bilag|forord|konklusion"
    "|baggrund|navn|indeks|ordliste|kommentarer|menu|navigation|søg|velkommen|kom i gang|nyheder|advarsel|vigtigt|tip"
    "|næste|forrige|mere information|krav|parametre|valgmuligheder|generelt|diverse|kapitel|afsnit",
    "nb": "sammendrag|oversikt|eksempel|eksempler|innledning|introduksjon|innhold|innholdsfortegnelse|beskrivelse|bruk"
    "|se også|detaljer|merknad|merknader|notater|referanser|vedlegg|tillegg|forord|konklusjon|bakgrunn|navn|indeks"
    "|ordliste|kommentarer|meny|navigasjon|søk|velkommen|kom i gang|nyheter|advarsel|viktig|tips|neste|forrige"
    "|mer informasjon|krav|parametere|alternativer|generelt|diverse|kapittel|avsnitt",
    "fi": "yhteenveto|tiivistelmä|yleiskatsaus|esimerkki|esimerkit|esimerkkejä|johdanto|esittely|sisältö"
    "|sisällysluettelo|kuvaus|käyttö|katso myös|lisätiedot|huomautus|huomautukset|viitteet|lähteet|liite|esipuhe"
    "|päätelmät|tausta|nimi|hakemisto|sanasto|kommentit|valikko|haku|tervetuloa|aloitus|uutiset|varoitus|tärkeää"
    "|vinkki|seuraava|edellinen|lisätietoja|vaatimukset|parametrit|asetukset|yleistä|muut|luku|osio",
    "cs": "shrnutí|souhrn|přehled|příklad|příklady|úvod|obsah|popis|použití|viz též|viz také|podrobnosti|poznámka"
    "|poznámky|odkazy|reference|literatura|příloha|dodatek|předmluva|závěr|pozadí|název|jméno|rejstřík|slovník|slovníček"
    "|související|komentáře|nabídka|navigace|hledat|hledání|vyhledávání|vítejte|začínáme|první kroky|novinky|varování"
    "|upozornění|důležité|tip|další|předchozí|další informace|požadavky|parametry|volby|možnosti|obecné|různé|kapitola",
    "ru": "резюме|краткое содержание|обзор|пример|примеры|введение|содержание|оглавление|описание|использование"
    "|применение|смотрите также|см. также|подробности|примечание|примечания|замечания|ссылки|литература|приложение"
    "|предисловие|заключение|выводы|название|имя|указатель|глоссарий|комментарии|меню|навигация|поиск"
    "|добро пожаловать|начало работы|новости|предупреждение|внимание|важно|совет|далее|назад|подробнее|требования"
    "|параметры|опции|общие сведения|разное|глава|раздел",
    "tr": "özet|genel bakış|örnek|örnekler|giriş|içindekiler|içerik|açıklama|tanım|kullanım|ayrıca bakınız|ayrıca bkz"
    "|ayrıntılar|not|notlar|kaynaklar|başvurular|ek|ekler|önsöz|sonuç|isim|dizin|sözlük|yorumlar|menü|arama"
    "|hoş geldiniz|başlarken|yenilikler|uyarı|dikkat|önemli|ipucu|sonraki|önceki|daha fazla bilgi|gereksinimler"
    "|parametreler|seçenekler|genel|bölüm",
    "ja": "概要|要約|まとめ|例|使用例|サンプル|はじめに|序文|導入|目次|内容|説明|詳細|使い方|使用法"
    "|使用方法|関連項目|参照|参考|参考文献"
    "|注意|注記|備考|付録"
    "|結論|背景|名前|索引|用語集|コメント|メニュー|検索|ようこそ|新着情報"
    "|警告|重要|ヒント|次へ|前へ|要件|引数|オプション|書式|構文|返り値|その他",
    "zh": "概述|摘要|总结|小结|概览|示例|例子|实例|简介|介绍|引言|导言|目录|内容|描述|说明|用法|使用方法|参见|另请参阅"
    "|相关链接|详情|注意|备注|参考|参考文献"
    "|附录|前言|序言|结论|背景|名称|索引|术语表|评论|菜单|导航|搜索|欢迎|入门|新闻"
    "|警告|重要|提示|下一页|上一页|更多信息|要求|参数|选项|语法|返回值|其他"
    "|概觀|總結|範例|簡介|目錄|內容|說明|參見|詳情|備註|參考|附錄|結論|名稱|評論|選單|搜尋|歡迎",
    "ko": "요약|개요|예|예제|예시|소개|서론|머리말|목차"
    "|내용|설명|사용법|사용|참고|같이 보기|관련 항목|자세히|주의|비고|참고 문헌|부록|결론|배경|이름|색인"
    "|용어집|댓글|메뉴|검색|환영합니다|시작하기|새 소식"
    "|경고|중요|다음|이전|요구 사항|매개변수|옵션|구문|기타",
}
PHRASES: Final = frozenset(
    fold(phrase) for listed in (*_BY_LANGUAGE.values(), _OF_PROGRAMS) for phrase in listed.split("|")
)
LANGUAGES: Final = frozenset(_BY_LANGUAGE)

# Words that themes put before the name of a list of posts: "Category: Tents".
_KINDS_OF_LISTS: Final = (
    "category|tag|author|year|month|day|archive|archives|product category|product tag",
    "kategorie|schlagwort|schlagwörter|autor|autorin|jahr|monat|archiv|produktkategorie",
    "catégorie|étiquette|mot-clé|auteur|autrice|auteur/autrice|année|mois|jour",
    "categoría|etiqueta|autor|autora|año|mes|día|archivo|archivos",
    "categoria|autore|anno|mese|giorno|archivio|archivi",
    "categorie|auteur|jaar|maand|dag|archief|archieven",
    "categoria|etiqueta|autor|ano|mês|dia|arquivo|arquivos",
    "kategoria|autor|rok|miesiąc|dzień|archiwum|archiwa",
    "kategori|etikett|författare|år|månad|arkiv",
    "kategori|nøgleord|forfatter|måned|arkiver",
    "kategori|stikkord|forfatter|måned|arkiver",
    "kategoria|avainsana|kirjoittaja|vuosi|kuukausi|päivä|arkisto|arkistot",
    "rubrika|štítek|autor|měsíc|den|archiv|archivy",
    "рубрика|категория|метка|автор|год|месяц|день|архив|архивы",
    "kategori|etiket|yazar|yıl|gün|arşiv|arşivler",
    "カテゴリー|カテゴリ|タグ|投稿者|年|月|日|アーカイブ",
    "分类|標籤|标签|分類|作者|归档|彙整",
    "카테고리|태그|글쓴이|보관물",
)
LIST_PREFIX: Final = re.compile(
    r"^(?:" + "|".join(map(re.escape, "|".join(_KINDS_OF_LISTS).split("|"))) + r")\s?[:\uff1a]\s*(?=\S)", re.IGNORECASE
)
