"""Figures that say nothing about size: addresses, telephone numbers, references, software versions, times, dates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from knowledge import regexes as re

Kind = Literal["date", "phone", "version", "address", "reference", "price", "other"]

_SOFTWARE = (
    "cuda|driver|treiber|pilote|vllm|python|pytorch|torch|ubuntu|rhel|rocky|nccl|kernel|version|rocm|sglang|"
    "tensorrt(?:-llm)?|trt-llm|firmware|linux|debian|docker|kubernetes|k8s|slurm|windows|llama\\.cpp|ollama|"
    "transformers|release|esxi|vsphere|openshift|openstack|proxmox|nvaie|dcgm|ofed|doca|bios|centos|sles|"
    "tensorflow|deepspeed|megatron|driverversion|node\\.js|java|postgres(?:ql)?|版本|驱动|バージョン|버전|드라이버"
)
_NAMED_NUMBER = (
    "vergabe\\w*|aktenzeichen|az|geschäftszeichen|gz|kundennummer|kennziffer|rechnungs\\w*|auftrags\\w*|"
    "angebots(?:nr|nummer)\\w*|"
    "(?:purchase )?order|po|bestell\\w*|commande|pedido|ordine|offer|quote|quotation|angebot|offerte|"
    "ref(?:erence|erenz|érence|erencia)?|ticket|issue|pull request|pr|rfc|rfp|rfq|rfi|iso(?:/iec)?|din(?: en)?|"
    "iec|bsi|ieee|nist|fips|expediente|dossier|appel d'offres|licitación|processo|edital|pregão|"
    "tender|section|abschnitt|kapitel|"
    "chapter|annex|anhang|annexe|anlage|appendix|absatz|abs|art(?:icle|ikel|ículo|igo|icolo)?|item|"
    "room|raum|salle|sala|zip|plz|iban|vat|ust|cig|cup|invoice|serial|sn|编号|第|号|条"
)
_PATTERN = re.compile(
    r"(?P<address>\b(?:https?|ftp|ssh)://[^\s<>\"]{1,300}|\bwww\.[^\s<>\"]{1,200}|"
    r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{2,60}|"
    r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?:/\d{1,2}|:\d{2,5})?(?![\w.]*\d)|"
    r"(?<!\w)(?:[0-9a-f]{2}:){5,7}[0-9a-f]{2}(?!\w)|"
    r"(?<![\w-])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?!\w)|"
    r"(?<![\w:])(?:[0-9a-f]{1,4}:){3,7}:?[0-9a-f]{1,4}(?!\w))|"
    r"(?P<phone>(?<!\w)(?:tel(?:efon|éfono|efone|éphone|ephone)?|phone|fon|fax|mobil\w{0,5}|handy|durchwahl|"
    r"call (?:me|us) (?:at|on)|rückfragen unter|whatsapp|cell|téléphone|电话|電話|전화|连络|手机)[^\d\n+]{0,12}"
    r"\(?\+?\(?\d(?:[\d()/.-]| (?=[\d(]{2})){5,20}\d|"
    r"(?<![\w.])\+\d{1,3}[ \d()/.-]{6,20}\d|(?<![\w.,'])\(?0\d{1,5}\)?\s?[/ -]\s?\d{2,8}(?:[ -]\d{2,8}){0,"
    r"4}(?![\w.,]*\d)|"
    r"(?<![\w.,-])\(?\d{3}\)?[ -]\d{3}-\d{4}(?![\w-])|(?<!\w)\d{2,4}-\d{3,4}-\d{4}(?![\w-]))|"
    rf"(?P<version>(?<![\w.])(?:{_SOFTWARE})[ :=/-]{{0,3}}v?\d{{1,4}}(?:\.\d{{1,4}}){{0,4}}(?:[a-z]{{1,3}}\d{{0,"
    rf"3}})?(?![\w%])(?! ?[x*])|"
    r"(?<![\w.])v?\d{1,4}\.\d{1,4}\.(?!\d{3}(?!\d))\d{1,5}(?:[.-]\w{1,12})?(?![\w])|"
    r"(?<![\w.])v\d{1,2}\.\d{1,3}\.\d{1,3}\w{0,6})|"
    r"(?P<reference>§{1,2}\s?\d+[a-z]?(?:(?:,| und| und §§?|-)? ?\d+[a-z]?){0,4}(?: ?Abs\.? ?\d+)?|"
    rf"(?<![\w.])(?:{_NAMED_NUMBER})(?:[ .:#º°-]|nr|no|"
    rf"n°){{1,4}}(?-i:[A-Z]{{0,5}})[-/ ]?\d[\w./-]{{0,24}}(?<![.,-])(?! ?[x*]\s?[A-Za-z0-9])|"
    r"(?<!\w)(?-i:Los|Lot|Lote|Lotto|Partij|Perceel|Phase|Fase|Étape|Schritt|Step) \d{1,2}(?=\s?[-–:(])|"
    r"(?<!\w)(?:nr|núm|num)\.\s?[A-Z]{0,4}\d[\w./-]{0,20}(?<![.,-])|"
    r"(?<!\w)n[°ºo]\.?\s(?=\d+/)\d[\w./-]{0,20}(?<![.,-])|"
    r"n[°º]\s?\d[\w./-]{0,20}(?<![.,-])|"
    r"(?<![\w#&])#\s?\d{1,9}(?!\w)|(?<![\w.,])0\d{4,9}-\d{2,9}(?!\w)|(?<![\w-])[A-Z]{2,6}-\d{4}[-/]\d{1,6}(?!\w)|"
    r"(?:(?<=\n)|(?<=^))[ \t]{0,4}\(?\d{1,2}[.)](?=\s)|(?<=[:;,.] )\(?\d{1,2}\)(?=\s[^\W\d_]))|"
    r"(?P<date>(?<![\w.:,])\d{1,2}:\d{2}(?::\d{2})?(?: ?(?:uhr|am|pm|h)\b)?(?![\w:])|"
    r"(?<![\w.,])\d{1,2} {0,3}(?:-|bis|und|to|à) {0,3}\d{1,2} ?uhr|(?<![\w.,])\d{1,2} ?uhr|"
    r"(?<![\w.,])\d{1,2} ?(?:am|pm)? ?(?:-|to|bis|until) ?\d{1,2} ?(?:am|pm)\b|(?<![\w.,])\d{1,2} ?(?:am|pm)\b|"
    r"(?<![\w.,])\d{1,2} ?h ?(?:-|à|a) ?\d{1,2} ?h(?!\w))",
    re.IGNORECASE,
)
_HAS = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Context:
    """Words with figures that are no sizing fact, and what they are."""

    start: int
    end: int
    kind: Kind


def contexts(text: str) -> Iterator[Context]:
    """Addresses, telephone numbers, versions, references and times of ``text`` that hold a figure."""
    for match in _PATTERN.finditer(text):
        if _HAS.search(match[0]):
            yield Context(match.start(), match.end(), match.lastgroup)  # type: ignore[arg-type]  # a group's name


MONTH = (
    r"(?:jan(?:uary|uar|vier|eiro|uari)?|feb(?:ruary|ruar|rero|braio|ruari)?|fév(?:rier)?|fev(?:ereiro)?|"
    r"mar(?:ch|s|zo|ço|ca|zec)?|märz?|maart|apr(?:il|ile)?|avr(?:il)?|abr(?:il)?|may|mayo|maio|mai|maj|mag(?:gio)?|"
    r"mei|jun(?:e|i|io|ho)?|juin|giu(?:gno)?|jul(?:y|i|io|ho)?|juil(?:let)?|lug(?:lio)?|aug(?:ust|ustus)?|aoû?t|"
    r"ago(?:sto)?|sep(?:t|tember|tembre|tiembre)?|set(?:embre|tembre|embro)?|oct(?:ober|obre|ubre)?|"
    r"okt(?:ober)?|out(?:ubro)?|ott(?:obre)?|nov(?:ember|embre|iembre|embro)?|dec(?:ember)?|dez(?:ember|embro)?|"
    r"déc(?:embre)?|dic(?:embre|iembre)?|gen(?:naio)?|ene(?:ro)?|styczni\w{1,2}|lut\w{2,3}|kwie\w{3,5}|czerw\w{2,3}|"
    r"lip\w{2,3}|sierp\w{2,3}|wrze\w{3,4}|październik\w?|listopad\w?|grud\w{3,4})"
)
"""Names of months and their short forms, whole: ``maybe 15`` is no day of May."""

_MONTH = MONTH
DATE = re.compile(
    r"(?<![\d.])(?:(?:19|20)\d{2}[-/.]\d{1,2}[-/.]\d{1,2}(?:T[\d:.]{4,12}Z?)?|"
    r"\d{1,2}[./-]\d{1,2}[./-](?:20)?\d{2}(?![\d.])|"
    rf"\d{{1,2}}(?:st|nd|rd|th|er|\.)?(?: de| of)? {_MONTH}\.?(?:,?(?: de)? 20\d{{2}})?|"
    rf"(?<!\w){_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?(?:, 20\d{{2}})?(?!\d| ?%|[.,]\d|[kKxX*])|"
    rf"(?<!\w){_MONTH}\.? (?:de )?20\d{{2}}|"
    r"[QHT][1-4][ /-]?(?:20)?\d{2}|[1-4]\. ?quartal(?: 20\d{2})?|"
    r"20\d{2}\s?年(?:\s?\d{1,2}\s?月(?:\s?\d{1,2}\s?日)?)?|\d{1,2}月\d{1,2}日|20\d{2}년(?: ?\d{1,2}월)?|"
    r"(?<![\w.,-])(?:19[89]|20[0-4])\d(?![\w.,]*\d)(?! ?(?:[x*%]|[kmgt]?[wb]\b|gpu|nodes?|servers?|user|tok|req|"
    r"doc|page|image)))(?!\w)",
    re.IGNORECASE,
)
"""Dates, quarters, and years that stand alone: looked for among the figures that nothing else understood."""
