"""Rules for power, racks, service, documents, staff and time."""

from __future__ import annotations

from assistant.interview.parser.load.rule import (
    CLEAR,
    END,
    IS,
    Quantity,
    after,
    before,
    by_unit,
    percent,
    wanted,
    whole,
)
from assistant.interview.parser.names.systems import NODE
from assistant.interview.parser.numbers.units import FACTORS, unit_pattern
from assistant.interview.parser.reading import Reading
from assistant.interview.parser.vocabulary import fragments as v
from knowledge import regexes as re

_OF_A_THING = re.compile(
    r"\s?-?\s?(?:(?:of |de |pour |for |für )?(?:the )?(?:in-row |side |rear[- ]door )?"
    r"(?:psu|ups|usv|netzteil|cooler|cooling|"
    r"chiller|refroidi|refriger|groupe froid|card|gpu|tdp)|[a-zä-ü]{0,12}kühl)",
    re.IGNORECASE,
)
_PER_THING = re.compile(
    r"(?:per|pro|je|facility|draws?|zieht|tdp|uses?)\s?(?:gpu|card|server|node|knoten)?\s?$|"
    r"(?:klima\w*|kühl\w*|chillers?|coolers?|ac units?|air[- ]con\w*|ups|usv|generators?|notstrom\w*|climatis\w+|"
    r"onduleur|refroidisseur|aire acondicionado|sai|ar[- ]condicionado|condizionator\w|airco\w*|klimatyzator\w?|"
    r"空调|冷水机)"
    r"\s?(?:of|with|mit|von|de|da|van|à|about|ca\.?|,|:|=)?\s?$",
    re.IGNORECASE,
)


def _site_power(reading: Reading, match: Quantity) -> bool:
    """Power of a thing (a card, a cooler, a supply) is not the site's."""
    if match["unit"].lower() in ("w", "watt") or _OF_A_THING.match(reading.after(match.end)):
        return False
    return not re.match(r"\s?(?:/|per|pro|je|par)\s?\w", reading.after(match.end)) and not _PER_THING.search(
        reading.before(match.start)
    )


_TRAINS = re.compile(
    r"\b(?:train\w*|fine-?tun\w*|entraîn\w+|entren\w+|trein\w+|pretrain\w*)\b|训练|微调|학습", re.IGNORECASE
)


def _near_rack(reading: Reading, match: Quantity) -> bool:
    """Nothing but the rack's own description stands between ``Racks`` and the power."""
    each = _EACH.match(reading.after(match.end))
    return (bool(each) or "," not in match["between"]) and not _OF_A_THING.match(reading.after(match.end))


_EACH = re.compile(r"\s?(?:each|apiece|je(?:weils)?|chacune?|cada (?:uno|um)|ciascuno|elk|każd\w+)\b", re.IGNORECASE)
"""``4 racks, 20 kW each``."""

_KW = unit_pattern("kW")

SITE_RULES = (
    after("rack_kw", _KW + rf"\s?(?:{v.PER}\s?|/)(?:the )?{v.RACK}{END}", "kW", letters="", convert=by_unit("kW")),
    after("rack_kw", _KW + rf"\s?-?\s?{v.RACK}{END}", "kW", letters="", convert=by_unit("kW")),
    before(
        "rack_kw",
        rf"{v.RACK}{END}(?P<between>[^.;\n]{{0,36}}?)(?=(?<![\d.,])\d{{1,4}}(?:[.,]\d{{1,2}})?\s?-?[kM]W)",
        _KW,
        "kW",
        letters="",
        convert=by_unit("kW"),
        check=_near_rack,
    ),
    before(
        "site_total_it_kw",
        r"\b(?:existing|installed|current|bestehende|installierte|vorhandene|heutige)[nr]? "
        r"(?:it[- ]?(?:load|power|leistung|last))" + IS,
        _KW,
        "kW",
        letters="",
        convert=by_unit("kW"),
    ),
    before(
        "site_total_it_kw",
        r"\b(?:data ?cent(?:er|re)|rechenzentrum|site|standort)[^.;\n\d]{0,24}"
        r"(?:already|bereits|schon|today|heute)[^.;\n\d]{0,12}",
        _KW + r"\s?(?:of )?(?:it\b|it[- ](?:load|power|leistung|last))",
        "kW",
        letters="",
        convert=by_unit("kW"),
    ),
    before(
        "site_power_kw",
        r"(?<![A-Za-z])(?:it[- ]load|it-leistung|it-last|it power|charge it|charge informatique|carga (?:de )?ti)" + IS,
        _KW,
        "kW",
        letters="",
        convert=by_unit("kW"),
    ),
    after("site_power_kw", _KW + r"(?!\s?/?\s?h\b)", "kW", letters="", convert=by_unit("kW"), check=_site_power),
    before("pue", r"\bpue(?: von| of| de|:|=|-wert| is| at)?\s?", CLEAR, "ratio", letters="", least=1.0, most=4.0),
    after(
        "availability",
        r"\s?%\s?(?:availability|uptime|verfügbarkeit|sla|disponibilité|disponibilidad|disponibilidade|可用)",
        "share",
        letters="",
        convert=percent,
    ),
    before(
        "availability",
        r"\b(?:availability|uptime|verfügbarkeit|sla|disponibilité)" + IS,
        r"\s?%",
        "share",
        letters="",
        convert=percent,
    ),
    after(
        "growth_share",
        r"\s?%\s?(?:yearly |annual |jährliches )?(?:growth|more|wachstum|mehr|croissance|crecimiento|"
        r"crescimento|pro jahr mehr)",
        "share",
        letters="",
        convert=percent,
    ),
    after(
        "utilisation",
        r"\s?%\s?(?:average )?(?:utili[sz]ation|utili[sz]ed|auslastung|ausgelastet|d'utilisation|utilización)",
        "share",
        letters="",
        convert=percent,
        check=wanted,
    ),
    before(
        "horizon_years",
        r"\b(?:over|for|für|über|pour|per|voor|na|laufzeit(?: von)?|sur|durante|por|horizont?(?: of| von)?)\s",
        rf"\s?(?P<unit>{'|'.join(u for u, f in FACTORS['years'].items() if f == 1 and len(u) > 2)}){END}",
        "years",
        words=True,
        letters="",
    ),
    before(
        "checkpoint_interval_min",
        r"\bcheckpoints?\b[^.\n]{0,20}\b(?:every|alle|jede|toutes les|cada)\s",
        unit_pattern("min"),
        "min",
        words=True,
        letters="",
        convert=by_unit("min"),
    ),
    before(
        "deadline_days",
        r"\b(?:within|in under|in at most|innerhalb von|binnen|in höchstens|in maximal|dans un délai de|en "
        r"moins de|en menos de)\s",
        unit_pattern("days"),
        "days",
        words=True,
        letters="",
        convert=by_unit("days"),
    ),
    before(
        "deadline_days",
        r"\b(?:in|en|em)\s",
        unit_pattern("days"),
        "days",
        words=True,
        letters="",
        convert=by_unit("days"),
        check=lambda r, _: "training_tokens" in r.fields or bool(_TRAINS.search(r.text)),
    ),
    after(
        "documents",
        rf"\s(?:{v.ADJECTIVES}){v.DOCUMENTS}{END}(?!\s?(?:/|per|pro))",
        "documents",
        letters="kKmM",
        count=True,
        check=whole,
        least=100,
    ),
    after(
        "dataset_tb",
        r"\s?(?P<unit>tb|to|pb|tib|t)(?![A-Za-z])\s?(?:of |an |de |d')?(?:training |raw |text )?(?:[a-zä]{0,12}daten|"
        r"data(?:set)?|images?|bilder|corpus|texte?|videos?|scans|données|datos|dados|images)",
        "TB",
        letters="",
        convert=lambda a, m: a.times({"pb": 1e3, "tib": 2**40 / 1e12}.get(m["unit"].lower(), 1.0)),
    ),
    before(
        "dataset_tb",
        r"\b(?:data ?sets?|datens[aä]tz(?:e|es)?|corpus|korpus|training data|trainingsdaten|jeu de données|"
        r"conjunto de datos|dataset)(?: of| von| mit| de| with| has| is|:| ist| hat| size)*\s?",
        r"\s?(?P<unit>tb|to|pb|tib)(?![A-Za-z])",
        "TB",
        letters="",
        convert=lambda a, m: a.times({"pb": 1e3, "tib": 2**40 / 1e12}.get(m["unit"].lower(), 1.0)),
    ),
    after(
        "ops_staff",
        rf"\s?(?:full-time )?(?:admins?|administrators?|administratoren|operators|fte|vollzeitstellen){END}",
        "FTE",
        words=True,
        letters="",
    ),
    after(
        "tenants",
        rf"\s?(?:tenants|mandanten|separate customers|getrennte kunden|locataires|inquilinos){END}",
        "tenants",
        words=True,
        letters="",
        count=True,
    ),
    after(
        "nodes",
        rf" (?:[A-Za-z-]{{2,20}}[ -]){{0,2}}?(?:gpu[ -])?{NODE}{END}(?! with \d{{1,3}} ?(?:gb|tb))",
        "nodes",
        words=True,
        letters="",
        count=True,
        check=lambda r, m: whole(r, m) and "gpu" in (m.text + r.after(m.end, 12)).lower(),
    ),
)
