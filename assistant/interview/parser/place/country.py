"""Where it is to run: countries by their names and cities."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from assistant.interview.parser.names.find import STYLE, find_names
from assistant.interview.parser.place.cities import read_city
from assistant.interview.parser.reading import Reading
from assistant.interview.parser.result import Ambiguous, Derived, Excluded
from assistant.interview.parser.text import is_common
from assistant.interview.parser.vocabulary.lexicon import Lexicon
from knowledge import regexes as re
from knowledge.catalogue import Catalogue
from knowledge.shipped import shipped_yaml

_NEEDS_PREPOSITION = frozenset({"Nice", "Essen", "Boden", "Cork", "Phoenix", "Reading", "Bath"})
_PREPOSITION = re.compile(r"(?:\b(?:in|near|from|at|of|aus|bei|à|de|à)\s(?:the )?|[,(]\s?)$")
"""City names that are common words count only after one of these."""

_OTHER_NAMES = {
    "DE": "Alemania Alemanha Bavière Bayern Bavaria Hessen Sachsen Nordrhein-Westfalen Niedersachsen Brandenburg "
    "Baden-Württemberg Thüringen Rheinland-Pfalz Schleswig-Holstein Saarland 德国 法兰克福 독일",
    "FR": "Francia França 法国 프랑스",
    "ES": "España Espanha Cataluña Catalunya Espagne 西班牙 스페인",
    "IT": "Italia Itália Italie 意大利 이탈리아",
    "GB": "Reino_Unido Inglaterra Royaume-Uni Angleterre 英国 영국",
    "CH": "Suiza Suíça Suisse 瑞士 스위스",
    "AT": "Autriche Áustria 奥地利 오스트리아",
    "NL": "Países_Bajos Países_Baixos Holanda Pays-Bas 荷兰 네덜란드",
    "BE": "Bélgica Belgique 比利时 벨기에",
    "PL": "Polonia Polônia Polónia Pologne 波兰 폴란드",
    "SE": "Suecia Suécia Suède 瑞典 스웨덴",
    "NO": "Noruega Norvège 挪威 노르웨이",
    "DK": "Dinamarca Danemark 丹麦 덴마크",
    "FI": "Finlandia Finlândia Finlande 芬兰 핀란드",
    "IE": "Irlanda Irlande 爱尔兰 아일랜드",
    "BR": "Brasil Brésil 巴西 브라질",
    "MX": "México Mexique 墨西哥 멕시코",
    "PE": "Perú",
    "CL": "智利 칠레",
    "AR": "阿根廷 아르헨티나",
    "CN": "中国 北京 上海 深圳 杭州 广州 중국",
    "HK": "香港 홍콩",
    "TW": "台湾 대만",
    "JP": "Japón Japão Japon 日本 东京 일본",
    "KR": "Corea_del_Sur Coreia_do_Sul Corée_du_Sud 韩国 한국 대한민국 서울",
    "SG": "Singapur Singapour Cingapura 新加坡 싱가포르",
    "IN": "Inde Índia 印度 인도에",
    "US": "Estados_Unidos EE.UU. EEUU États-Unis 美国 미국",
    "CA": "Canadá 加拿大 캐나다",
    "AU": "澳大利亚 호주",
    "AE": "阿联酋 아랍에미리트",
    "SA": "沙特 사우디",
}
"""Regions, and names in languages and scripts that the catalogue does not hold; an underscore is a space."""

_ALSO_WORDS = frozenset(
    {
        "uk",
        "maurice",
        "inde",
        "chine",
        "liban",
        "iran",
        "turkey",
        "jordan",
        "chad",
        "georgia",
        "guinea",
        "mali",
        "niger",
        "togo",
        "oman",
        "china",
        "jersey",
    }
)
"""Names of countries that in lower case are words, or names of people; they count only after a preposition."""

_LOWER_WORD = re.compile(r"(?<![\w.-])[^\W\d_]{2,}(?![\w-])")
_CJK = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]")


@lru_cache(maxsize=1)
def _by_word() -> tuple[dict[str, str], dict[str, str]]:
    """Names that are found by words, in lower case, and those in scripts without spaces."""
    all_names = {word.replace("_", " "): code for code, words in _OTHER_NAMES.items() for word in words.split()}
    scripts = {name: code for name, code in all_names.items() if _CJK.match(name)}
    return {name.lower(): code for name, code in all_names.items() if name not in scripts}, scripts


def read_country(reading: Reading) -> None:
    """State ``country`` (ISO 3166-1 alpha-2); countries that are ruled out are listed apart."""
    for name in find_names(reading, ("countries",), 3):
        span = reading.span(name.start, name.end)
        if name.likeliest is None:
            continue
        if span.text in _NEEDS_PREPOSITION and not _PREPOSITION.search(reading.text[: name.start][-12:]):
            continue
        if STYLE.match(reading.after(name.end)):
            continue
        if reading.stream.within(max(0, name.start - 30), name.start, "greeting"):
            because = f"the greeting comes from {span.text}"
            reading.derived.setdefault(
                "country", Derived.model_construct(value=name.likeliest, because=because, sure=False)
            )
            continue
        if reading.negated(name.start, name.end):
            reading.excluded.append(Excluded.model_construct(field="country", value=name.likeliest, span=span))
            continue
        if name.resolution.id is None:
            question = f"Which {span.text} is meant: {', '.join(name.resolution.candidates)}?"
            candidates = name.resolution.candidates
            reading.ambiguous.append(
                Ambiguous.model_construct(
                    field="country", span=span, candidates=candidates, question=question, assumed=name.likeliest
                )
            )
        reading.state("country", name.likeliest, name.start, name.end)
    if "country" not in reading.fields:
        _other_names(reading)
    if "country" not in reading.fields:
        _lower_case(reading)
    if "country" not in reading.fields:
        _region(reading)
    if "country" not in reading.fields:
        read_city(reading)
    if "country" not in reading.fields:
        _adjective(reading)
    if "country" not in reading.fields:
        _of_an_institution(reading)
    if "country" not in reading.fields:
        _of_a_body(reading)


_PLACE_NOUN = (
    r"(?:[\w-]{3,20} )?(?:clouds?|data ?cent(?:er|re)s?|rechenzentr\w+|dc|sites?|standorte?\w?|soil|boden|regions?|"
    r"providers?|"
    r"anbieter\w?|facilit(?:y|ies)|colo(?:cation)?|locations?|centre de données|centro de datos|nube|nuvem|hosters?|"
    r"hosting|hébergeurs?|sol|territoire|suelo)(?!\w)"
)
_PLACE = re.compile(_PLACE_NOUN, re.IGNORECASE)
_REGION = re.compile(r"(?<![\w-])[a-z]{2,12}(?:-[a-z]{2,12})?-?[a-z]{0,14}-?\d{0,2}(?![\w-])", re.IGNORECASE)


_LIKE_A_REGION = re.compile(
    r"[a-z]{2,12}-[a-z]{2,14}-?\d|(?:europe|us|asia|uk|germany|france|india|japan|korea|brazil|canada|australia|swiss|switzerland|"
    r"norway|sweden|poland|italy|spain|uae)(?:-?(?:north|south|east|west|central))|(?:north|south|east|west|central)[a-z]{2,}",
    re.IGNORECASE,
)


def _region(reading: Reading) -> None:
    """``eu-central-1``, ``westeurope``: the country that a cloud's region lies in."""
    if not _LIKE_A_REGION.search(reading.text):
        return
    regions = _regions(reading.catalogue)
    for match in _REGION.finditer(reading.text):
        code = regions.get(match[0].lower())
        if code is not None and _settled(reading, code, *match.span()):
            return


@lru_cache(maxsize=4)
def _regions(catalogue: Catalogue) -> dict[str, str]:
    return {r: code for code, entry in catalogue.entries("countries").items() for r in entry.cloud_regions}


def _adjective(reading: Reading) -> None:
    """``a German data centre``, ``in einer deutschen Cloud``; not ``German users``, who may be anywhere."""
    for code, pattern in _adjectives(reading.catalogue) if _PLACE.search(reading.text) else ():
        match = pattern.search(reading.text)
        if match and _settled(reading, code, *match.span()):
            return


@lru_cache(maxsize=4)
def _adjectives(catalogue: Catalogue) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (
            code,
            re.compile(
                rf"(?<!\w)(?:(?:{'|'.join(entry.adjectives)})(?:e[nrms]?|es|ne)? {_PLACE_NOUN}|"
                rf"(?:clouds?|nube|nuvem|sol|hébergeurs?|centre de données|data ?cent(?:er|re)) "
                rf"(?:{'|'.join(entry.adjectives)})(?!\w))",
                re.IGNORECASE,
            ),
        )
        for code, entry in catalogue.entries("countries").items()
        if entry.adjectives
    )


_INSTITUTION_NEAR = 4


def _of_an_institution(reading: Reading) -> None:
    """``French defence ministry``, ``citoyens français``: an adjective beside an institution or its citizens."""
    places = [
        w
        for w in reading.stream.words
        if any(k.startswith("s_") or k == "house" for k in w.kinds)
        or reading.text[w.start : w.end]
        .lower()
        .startswith(("citi", "citoyen", "bürger", "ciudadan", "cidad", "cittadin", "burger", "obywatel"))
    ]
    for adjective in _bare_adjectives(reading.catalogue).find(reading.text) if places else ():
        start, end = adjective.start, adjective.end
        gaps = (reading.text[min(w.end, end) : max(w.start, start)] for w in places)
        near = any(len(gap.split()) < _INSTITUTION_NEAR and not re.search(r"[.;,!?]", gap) for gap in gaps)
        if near and not STYLE.match(reading.after(end)) and _settled(reading, min(adjective.kinds), start, end):
            return


@lru_cache(maxsize=4)
def _bare_adjectives(catalogue: Catalogue) -> Lexicon:
    """Adjectives of countries with any ending, by the country's code."""
    entries = catalogue.entries("countries").items()
    return Lexicon([{code: [f"{word}*" for word in entry.adjectives]} for code, entry in entries if entry.adjectives])


def _other_names(reading: Reading) -> None:
    words, scripts = _by_word()
    lowered = reading.text.lower()
    found = [(lowered.find(name), len(name), code) for name, code in (*words.items(), *scripts.items())]
    for start, length, code in sorted(one for one in found if one[0] >= 0):
        end = start + length
        inside = lowered[start].isascii() and (lowered[start - 1 : start].isalnum() or lowered[end : end + 1].isalnum())
        if not inside and _settled(reading, code, start, end):
            return


def _settled(reading: Reading, code: str, start: int, end: int) -> bool:
    """State the country, or list it as ruled out; whether it was stated."""
    if reading.negated(start, end):
        reading.excluded.append(Excluded.model_construct(field="country", value=code, span=reading.span(start, end)))
        return False
    reading.state("country", code, start, end)
    return True


_LOWER_IS_A_WORD = frozenset({"nice", "boden", "reading", "bath", "mons", "sines", "pune", "gent", "ohio"})
_AFTER_PREPOSITION_WORDS = (
    "essen cork phoenix bergen portland austin columbus sofia roma valencia porto perth lagos johor virginia bristol "
    "cambridge oxford falun haifa boston bern graz linz bonn"
)
_LOWER_AFTER_PREPOSITION = frozenset(_AFTER_PREPOSITION_WORDS.split())
"""Cities whose names in lower case are words, names of people or products too: never, and only after a preposition."""


def _lower_case(reading: Reading) -> None:
    """``in france``, ``berlin``: names of countries and cities written without a capital."""
    known = {reading.text[w.start : w.end] for w in reading.stream.words if "american" not in w.kinds}
    words = [m for m in _LOWER_WORD.finditer(reading.text) if len(m[0]) >= 4 or m[0] in ("usa", "uk")]
    words = [m for m in words if m[0] not in known and not is_common(m[0])]
    names = _lower_names(reading.catalogue) if words else {}
    for match in words:
        code = names.get(match[0])
        if code is None or not reading.free(*match.span()):
            continue
        preposition = _PREPOSITION.search(reading.text[: match.start()][-12:])
        if match[0] in _ALSO_WORDS | _LOWER_AFTER_PREPOSITION and not preposition:
            continue
        if STYLE.match(reading.after(match.end())):
            continue
        if _settled(reading, code, *match.span()):
            return


@lru_cache(maxsize=4)
def _lower_names(catalogue: Catalogue) -> dict[str, str]:
    names = {"usa": "US", "uk": "GB"}
    for code, entry in catalogue.entries("countries").items():
        for name in (entry.name, entry.name_de, entry.name_fr, *entry.aliases):
            if name and " " not in name and len(name) >= 4:
                names.setdefault(name.lower(), code)
    cities: dict[str, set[str]] = {}
    for code, entry in catalogue.entries("countries").items():
        for name in (name for city in entry.cities for name in (city.name, *city.aliases)):
            if " " not in name and len(name) >= 4 and name.lower() not in _LOWER_IS_A_WORD:
                cities.setdefault(name.lower(), set()).add(code)
    return {city: codes.pop() for city, codes in cities.items() if len(codes) == 1} | names


@lru_cache(maxsize=1)
def _bodies() -> Lexicon:
    return Lexicon([shipped_yaml(Path(__file__).with_name("bodies.yaml"))])


def _of_a_body(reading: Reading) -> None:
    """``Landratsamt``, ``county council``: a kind of public body, or a budget's unit, that one country alone has."""
    for word in _bodies().find(reading.text):
        if not reading.negated(word.start, word.end):
            code = min(word.kinds)
            note = f"{reading.text[word.start : word.end]} stands for this country alone"
            reading.state("country", code, word.start, word.end, note=note)
            return
