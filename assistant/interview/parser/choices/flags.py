"""Yes-or-no fields, KV precision, GGUF names and further words that state one field."""

from __future__ import annotations

from assistant.interview.parser.reading import Reading
from knowledge import regexes as re

_FLAGS: tuple[tuple[str, bool, str], ...] = (
    (
        "air_gap",
        True,
        r"air[- ]?gapp?(?:ed)?|disconnected (?:site|network|environment)|dark site|"
        r"(?:no|without)(?: an?)? (?:connection to the )?internet(?: access| connection| connectivity)?|"
        r"(?:ohne|keine?n?) (?:verbindung zum |zugang zum |anbindung ans )?internet(?:zugang|anbindung|verbindung)?|"
        r"vom (?:netz|internet) getrennt|isolierte[ns]? netz(?:werk)?|"
        r"sans (?:connexion (?:à )?|accès (?:à )?)?(?:l')?internet|réseau isolé|"
        r"sin (?:conexión|acceso|salida)? ?(?:a )?internet|aislad[oa] de internet|"
        r"sem (?:conexão|acesso)? ?(?:à |a |com a )?internet|"
        r"断网|离线|物理隔离|内网隔离|(?:不连|不能连|无法连|不接)(?:接)?(?:外网|互联网|公网)|无外网|"
        r"폐쇄망|망 ?분리|인터넷 (?:차단|없|연결 (?:없|불가|차단))",
    ),
    (
        "liquid_cooling",
        True,
        r"liquid[- ]cool(?:ed|ing)|direct liquid|dlc|water[- ]cool(?:ed|ing)|flüssig(?:keits)?kühlung|"
        r"(?:warm|kalt|heiß)?wasserkühlung|wassergekühlt|refroidissement liquide|refrigeración líquida|液冷|수랭|"
        r"kaltwasser(?:anschluss|netz|satz)?|kühlwasser(?:anschluss|kreis)?|chilled water|facility water|cooling water|"
        r"eau glacée|eau froide|agua (?:fría|helada|refrigerada)|água gelada|refrigeração líquida|冷冻水|冷水|냉수|"
        r"수냉|"
        r"vorlauf(?:temperatur)?(?: von)? \d{1,2} ?°?c|supply (?:water )?(?:temperature )?(?:of |at )?\d{1,2} ?°?c",
    ),
    (
        "liquid_cooling",
        False,
        r"air[- ]cooled|air cooling|luftkühlung|luftgekühlt|refroidissement à air|refrigeración por aire|风冷|공랭",
    ),
    (
        "foreign_operator_excluded",
        True,
        r"(?:no|not (?:from|under|in)(?: the| a)?) (?:us|foreign|american|non-eu) (?:provider|operator|cloud|vendor|"
        r"hyperscaler|law)s?|"
        r"(?:us|american|foreign)[- ](?:provider|operator|cloud|vendor|hyperscaler|compan|law)[^.;\n]{0,30}"
        r"(?:excluded|ruled out|not allowed|out of the question)|"
        r"kein(?:e|en)? (?:us-|amerikanische[nr]? |ausländische[nr]? )(?:anbieter|betreiber|cloud|hyperscaler)s?|"
        r"(?:us-(?:anbieter|betreiber|cloud|hyperscaler|recht)|ausländische[nr]? (?:anbieter|betreiber))[^.;\n]{0,25}"
        r"(?:ausgeschlossen|nicht erlaubt|nicht zulässig|scheiden aus)",
    ),
    (
        "spot",
        True,
        r"(?<!hot )(?:spot|pre-?emptible|interruptible)[- ](?:instances?|nodes?|capacity|vms?|gpus?|machines?|servers?|"
        r"market|pricing)|spot-?(?:instanzen|knoten|kapazität(?:en)?|maschinen)|instances? (?:spot|préemptibles?)|"
        r"instancias (?:spot|interrumpibles)|instâncias (?:spot|preemptivas)|抢占式实例|竞价实例|스팟 ?인스턴스",
    ),
    (
        "defence_site",
        True,
        r"defen[cs]e site|military (?:site|base)|bundeswehr|militärische[rn]? (?:anlage|standort)|kaserne|site "
        r"militaire",
    ),
)
_HIGH_AVAILABILITY = re.compile(
    r"(?<![A-Za-z0-9-])(?<!etes )(?<!k8s )HA(?![A-Za-z0-9])(?! (?:control|proxy|database|etcd))"
)
"""Upper case only: "ha" is a verb in Spanish."""

_PATTERNS = tuple(
    (f, value, re.compile(rf"(?<![A-Za-zÀ-ÿ])(?:{p})(?![A-Za-zÀ-ÿ])", re.IGNORECASE)) for f, value, p in _FLAGS
)
_KV = re.compile(
    r"(?:(?P<a>fp8|q8_0|int8|bf16|fp16|8-bit)[ -]kv(?:[ -]cache)?|kv(?:[ -]cache)?(?: in|:|=| at)? ?(?P<b>fp8|"
    r"q8_0|int8|bf16|fp16|8-bit))",
    re.IGNORECASE,
)
_GGUF = re.compile(r"(?<![A-Za-z0-9])(?P<q>I?Q[2-8]_(?:K_[SML]|K|0|1|XS|XXS))(?![A-Za-z0-9])", re.IGNORECASE)


def read_flags(reading: Reading) -> None:
    """State the flags whose words occur un-negated; ``not air-gapped`` states false."""
    for name, value, pattern in _PATTERNS:
        for match in pattern.finditer(reading.text):
            if not reading.asked(*match.span()):
                if name == "foreign_operator_excluded":
                    reading.take(*match.span())  # the country in it is not the site's
                own_no = match[0].lower().startswith(("no ", "kein", "ohne", "sans", "sin ", "sem "))
                reading.state(name, value if own_no or not reading.negated(*match.span()) else not value, *match.span())
            break

    for match in _HIGH_AVAILABILITY.finditer(reading.text):
        if not reading.negated(*match.span()) and not reading.asked(*match.span()):
            reading.state("redundancy", "n+1", *match.span())
            break


def read_precisions(reading: Reading) -> None:
    """State ``kv_dtype`` and GGUF names before the plain precisions are read."""
    for match in _KV.finditer(reading.text):
        reading.state("kv_dtype", (match["a"] or match["b"]).lower(), *match.span())
        reading.take(*match.span())
    for match in reading.find(_GGUF):
        reading.state("weight_dtype", match["q"].lower(), *match.span())
        reading.take(*match.span())
