"""Nouns and labels of the seven languages, as pattern fragments that the quantities are built from."""

from __future__ import annotations

USERS = (
    r"(?:(?:ai[ -])?users?|people|ppl|persons?|employe?es|staff(?: members)?|colleagues|seats|named users|"
    r"registered users|developers?|devs|engineers|"
    r"civil servants|officials|workers|consultants|attorneys|"
    r"faculty(?: members)?|students|pupils|researchers|doctors|lawyers|"
    r"agents in the call cent(?:er|re)|designers?|analysts?|"
    r"scientists?|nurses?|teachers?|clerks|members|physicians|call(?:[ -]cent(?:er|re))? agents|"
    r"clients|customers|accounts|"
    r"nutzer(?:n|innen)?|benutzer(?:n|innen)?|anwender(?:n|innen)?|mitarbeiter(?:n|innen|innen und "
    r"mitarbeiter)?|mitarbeitende[nr]?|"
    r"beschäftigte[nr]?|personen|leute[n]?|menschen|kolleg(?:en|innen)|entwickler(?:n|innen)?|studierende[n]?|"
    r"studenten|forschende[n]?|"
    r"sachbearbeiter(?:n|innen)?|arbeitsplätze[n]?|ärzte[n]?|beamte[n]?|angestellte[n]?|kunden|"
    r"utilisateurs?|utilisatrices?|personnes|employés|salariés|collaborateurs|agents|développeurs|étudiants|"
    r"élèves|médecins|soignants?|infirmi(?:er|ère)s|enseignants|avocats|chercheurs|fonctionnaires|agents publics|"
    r"usuarios?|personas|empleados|médicos|abogados|investigadores|trabajadores|desarrolladores|alumnos|estudiantes|médicos|funcionarios|"
    r"usuários?|utilizadores|pessoas|funcionários|colaboradores|desenvolvedores|alunos|estudantes|servidores "
    r"públicos)"
)
_UNREAD_MAGNITUDE = (
    r"(?:hundreds?|thousands?|dozens?|scores?|gross|k|lakhs?|crores?|\w{0,12}illi(?:on|ard|ón|ão|õ)\w{0,3}|"
    r"hunderte?|tausende?|dutzende?|cents?|cientos|centenas|mil|miles|mille|milliers|douzaines?) "
)
ADJECTIVES = rf"(?:(?!{_UNREAD_MAGNITUDE})[A-Za-zÀ-ÿ][A-Za-zÀ-ÿ-]{{0,18}}[ ]){{0,2}}?"
"""Up to two words between a number and its noun; a magnitude that was not read is none: its number would be wrong."""

CONCURRENT = (
    r"(?:concurrent(?:ly)?|parallel|simultaneous(?:ly)?|in parallel|at once|at the same time|in flight|"
    r"gleichzeitige[nrs]?|gleichzeitig|parallele[nrs]?|zeitgleich(?:e[nrs]?)?|simultan(?:e[nrs]?)?|"
    r"simultanée?s?|en parallèle|en même temps|concurrente?s?|simultáne[oa]s|en paralelo|al mismo tiempo|a la vez|"
    r"simultâne[oa]s|em simultâneo|en simultané|en simultáneo|"
    r"em paralelo|ao mesmo tempo|并发|同时|并行|동시)"
)
AT_ONCE = (
    r"(?:at the same time|at once|simultaneously|concurrently|in parallel|gleichzeitig|zeitgleich|parallel|en "
    r"même temps|simultanément|"
    r"en parallèle|en simultané|en simultáneo|em simultâneo|em paralelo|en paralelo|al mismo tiempo|"
    r"a la vez|simultáneamente|ao mesmo tempo|simultaneamente|simultáne[oa]s|"
    r"simultâne[oa]s|simultanés|"
    r"simultanées|concurrentes)"
)
REQUESTS = (
    r"(?:requests?|queries|sessions?|conversations?|chats?|streams?|calls|sequences|prompts|anfragen|sitzungen|"
    r"gespräche[n]?|verbindungen|"
    r"requêtes|conversations|solicitudes|peticiones|consultas|sesiones|requisições|sessões|请求|会话|路|세션|요청|건)"
)
SESSIONS = r"(?:sessions?|conversations|sitzungen|gespräche[n]?|sesiones|sessões|会话|세션)"
TOKENS = r"(?:tokens?|toks?|token|jetons|토큰|词元)"
CONTEXT = (
    r"(?:context(?:[eo]|[ -]?(?:length|window|size))?|ctx|sequenzlänge|longueur de séquence|longitud de secuencia|"
    r"comprimento de sequência|序列长度|시퀀스 길이|kontext(?:länge|fenster)?|上下文(?:长度)?|컨텍스트|max[-_ "
    r"]?(?:model[-_ ]?)?len(?:gth)?|"
    r"max[-_ ]?seq[-_ ]?len(?:gth)?|sequence length|seq[-_ ]?len)"
)
INPUT = (
    r"(?:prompts?|inputs?|isl|eingaben?|eingabelänge|prompt-?länge|questions?|entrées?|entrada|entradas|输入|"
    r"提示词|입력)"
)
OUTPUT = (
    r"(?:outputs?|osl|answers?|completions?|responses?|ausgaben?|antworten|ausgabelänge|sorties?|"
    r"réponses?|salidas?|respuestas?|saídas?|respostas?|输出|출력)"
)
FIRST_WORD = (
    r"(?:ttft|ttfa|ttfb|time to first (?:token|word|byte|audio)|first (?:token|word|audio)|erste[snr]? "
    r"(?:token|wort)|"
    r"premier (?:token|mot)|primer (?:token|palabra)|primeir[oa] (?:token|palavra)|首token|首字|첫 토큰)"
)
RESPONSE = (
    r"(?:response(?: time)?s?|answers?|latency|reply|replies|antwort(?:zeit|en)?|latenz|réponse|temps de "
    r"réponse|latence|"
    r"respuesta|tiempo de respuesta|latencia|resposta|latência|响应|延迟|응답)"
)
RACK = r"(?:racks?|cabinets?|schr(?:a|ä)nke?|baies?|armoires?|armarios?|bastidor(?:es)?|armários?|机柜|ラック|랙)"
PER = r"(?:/|per|pro|je|par|por|a|each|每)"
DOCUMENTS = r"(?:documents?|docs|pages?|pdfs?|files|dokumente[n]?|seiten|akten|documentos|páginas|文档|页|문서|페이지)"
CURRENCY = {
    "€": "EUR",
    "eur": "EUR",
    "euro": "EUR",
    "euros": "EUR",
    "$": "USD",
    "usd": "USD",
    "dollars": "USD",
    "dollar": "USD",
    "us$": "USD",
    "£": "GBP",
    "gbp": "GBP",
    "chf": "CHF",
    "franken": "CHF",
    "r$": "BRL",
    "brl": "BRL",
    "reais": "BRL",
    "₹": "INR",
    "inr": "INR",
    "¥": "CNY",
    "cny": "CNY",
    "rmb": "CNY",
    "人民币": "CNY",
    "元": "CNY",
    "₩": "KRW",
    "krw": "KRW",
    "원": "KRW",
    "utm": "UTM",
    "teur": "EUR",
    "keur": "EUR",
    "t€": "EUR",
    "tchf": "CHF",
    "kchf": "CHF",
    "tusd": "USD",
    "pln": "PLN",
    "sek": "SEK",
    "nok": "NOK",
    "dkk": "DKK",
}
"""What people write for a currency. UTM is the Chilean budget unit, an amount of its own."""
