"""Makers of accelerators that are wanted or ruled out: ``AMD only``, ``keine NVIDIA``, ``只能用国产卡``."""

from __future__ import annotations

from assistant.interview.parser.reading import Reading
from assistant.interview.parser.result import Excluded
from knowledge import regexes as re

_MAKERS = {
    "nvidia": ("nvidia", "nvidias", "英伟达", "엔비디아"),
    "amd": ("amd", "amds"),
    "other": ("intel", "gaudi", "huawei", "ascend", "cambricon", "tpu", "tpus", "昇腾", "寒武纪", "海光"),
}
_MAKER_OF = {word: maker for maker, words in _MAKERS.items() for word in words}
_NAME = "(?P<maker>" + "|".join(sorted(_MAKER_OF, key=len, reverse=True)) + ")"
_GOODS = (
    r"(?:gpus?|cards?|accelerators?|chips?|hardware|grafikkarten|karten|beschleuniger|cartes?|accélérateurs?|"
    r"tarjetas|placas|aceleradores|卡|显卡|芯片|카드)"
)
_NO = re.compile(
    rf"(?:\b(?:no|not|without|non|kein|keine|keinen|nicht|ohne|außer|ausser|anything but|sans|pas de|sin|sem|nada de|"
    rf"avoid|except)\s|不用|不要|不能用|非)\s?"
    rf"{_NAME}(?:[- ]?{_GOODS}|(?=\s?(?:$|[.,;:!?)]|please|bitte|and|und|at all|here)))",
    re.IGNORECASE,
)
_OUT = re.compile(
    rf"(?<![A-Za-z]){_NAME}(?:[- ]?{_GOODS})?\s?(?:(?:is|are|ist|sind|est|está|é)\s)?(?:ruled out|excluded|not allowed|"
    r"not an option|out of the question|forbidden|ausgeschlossen|nicht erlaubt|nicht zulässig|scheidet aus|"
    r"exclue?s?\b|interdite?s?\b|excluid[oa]s?|除外|제외|불가)",
    re.IGNORECASE,
)
_ONLY = re.compile(
    rf"(?:\b(?:only|nur|ausschließlich|uniquement|seulement|solo|sólo|solamente|só|apenas|"
    r"must be|exclusively)\s|只用|只能用)\s?"
    rf"{_NAME}(?:[- ]?{_GOODS})?(?![A-Za-z0-9-])(?!\s[A-Z]*\d)|"
    rf"(?<![A-Za-z]){_NAME.replace('maker', 'maker2')}(?:[- ]?{_GOODS})?[- ](?:only|nur|uniquement|solamente|apenas)\b|"
    rf"(?<![A-Za-z]){_NAME.replace('maker', 'maker3')}[- ]?{_GOODS}(?![A-Za-z])",
    re.IGNORECASE,
)
_DOMESTIC = re.compile(
    rf"\bonly (?:domestic|chinese)(?: \((?:chinese|domestic)\))?(?: {_GOODS})?|"
    rf"\b(?:domestic|chinese)(?: \((?:chinese|domestic)\))? {_GOODS} only|nur (?:chinesische|heimische) {_GOODS}|"
    rf"(?:uniquement|seulement) (?:des )?{_GOODS} (?:nationales|chinoises)|"
    r"(?:只能用?|必须用?|仅限?|要求)?国产(?:化|卡|显卡|芯片|GPU|算力)",
    re.IGNORECASE,
)


def read_vendors(reading: Reading) -> None:
    """State ``vendor`` (the only one wanted) and ``vendor_excluded`` (a list); questions state nothing."""
    out: dict[str, tuple[int, int]] = {}
    for pattern in (_NO, _OUT):
        for match in reading.find(pattern):
            maker = _MAKER_OF[match["maker"].lower()]
            reading.excluded.append(
                Excluded.model_construct(field="vendor", value=maker, span=reading.span(*match.span()))
            )
            out.setdefault(maker, match.span())
            reading.take(*match.span())
    if out:
        reading.state("vendor_excluded", sorted(out), *next(iter(out.values())))
    domestic = _DOMESTIC.search(reading.text)
    if domestic is not None and not reading.asked(*domestic.span()):
        reading.state("vendor", "other", *domestic.span(), note="Chinese makers: neither NVIDIA nor AMD")
    wanted = {
        _MAKER_OF[(m["maker"] or m["maker2"] or m["maker3"]).lower()]: m.span()
        for m in _ONLY.finditer(reading.text)
        if not reading.asked(*m.span())
    }
    if len(wanted) == 1:
        maker, place = next(iter(wanted.items()))
        if maker not in out:
            reading.state("vendor", maker, *place)
