"""The readings in the order in which they are made: what one understood is closed to those after it."""

from __future__ import annotations

from assistant.interview.parser.account.asks import read_asks, read_owned
from assistant.interview.parser.account.ledger import keep_amounts, read_context, settle_account
from assistant.interview.parser.choices.corrections import read_corrections, with_last_word
from assistant.interview.parser.choices.customer import (
    read_customer,
    read_no_cloud,
    read_shape,
    read_stream,
    read_token_rate,
    read_vector_bits,
    read_vectors,
)
from assistant.interview.parser.choices.flags import read_flags, read_precisions
from assistant.interview.parser.choices.follow import follow
from assistant.interview.parser.choices.money import read_deadline, read_delivery_date, read_money
from assistant.interview.parser.choices.words import read_choices
from assistant.interview.parser.groups.split import groups
from assistant.interview.parser.load.lengths import read_lengths
from assistant.interview.parser.load.load_rules import LOAD_RULES, RATE_RULES, TOKEN_RULES
from assistant.interview.parser.load.quantities import read_loads
from assistant.interview.parser.load.rule import read_quantities
from assistant.interview.parser.load.times import read_weekend
from assistant.interview.parser.load.training import read_training
from assistant.interview.parser.load.vague import read_pairs, read_vague
from assistant.interview.parser.names.gpus import read_gpus
from assistant.interview.parser.names.models import read_models
from assistant.interview.parser.names.systems import read_one_node
from assistant.interview.parser.names.vendors import read_vendors
from assistant.interview.parser.place.constraints import read_exclusions, read_people_and_papers, read_site
from assistant.interview.parser.place.country import read_country
from assistant.interview.parser.place.feeds import read_feed_words, read_room, read_room_cooling, read_site_of_feeds
from assistant.interview.parser.place.power import read_feeds, read_power_kind
from assistant.interview.parser.place.site_rules import SITE_RULES
from assistant.interview.parser.reading import Reading
from assistant.interview.parser.result import ParseResult
from assistant.interview.parser.text import clean, language, spoken_beside
from knowledge.catalogue import Catalogue


def read(text: str, catalogue: Catalogue) -> ParseResult:
    """What ``text`` states. Reads the first 20,000 characters, in time linear in them; never raises for any text."""
    cleaned = clean(text)
    lang = language(cleaned)
    reading = Reading(text, with_last_word(cleaned, lang), lang, catalogue, also=spoken_beside(cleaned, lang))
    read_deadline(reading)
    read_context(reading)
    read_feeds(reading)
    read_money(reading)
    read_models(reading)
    read_gpus(reading)
    read_delivery_date(reading)
    read_loads(reading)
    read_quantities(reading, LOAD_RULES)
    read_pairs(reading)
    read_quantities(reading, TOKEN_RULES)
    read_lengths(reading)
    read_quantities(reading, RATE_RULES)
    read_vague(reading)
    read_quantities(reading, SITE_RULES)
    read_power_kind(reading)
    read_feed_words(reading)
    read_room(reading)
    read_one_node(reading)
    read_vector_bits(reading)
    read_precisions(reading)
    read_vendors(reading)
    read_exclusions(reading)
    read_customer(reading)
    read_shape(reading)
    read_choices(reading)
    read_training(reading)
    read_weekend(reading)
    read_flags(reading)
    read_room_cooling(reading)
    read_country(reading)
    read_site(reading)
    read_people_and_papers(reading)
    read_corrections(reading)
    follow(reading)
    read_site_of_feeds(reading)
    read_no_cloud(reading)
    read_owned(reading)
    asks = read_asks(reading)
    read_vectors(reading)
    read_token_rate(reading)
    read_stream(reading)
    demands = groups(reading)
    keep_amounts(reading)
    settle_account(reading, demands)
    return ParseResult.model_construct(
        fields={name: reading.fields[name] for name in sorted(reading.fields)},
        derived=reading.derived,
        ambiguous=tuple(reading.ambiguous),
        excluded=tuple(reading.excluded),
        groups=demands,
        asks=asks,
        unused=tuple(sorted(reading.unused, key=lambda one: one.start)),
        context=tuple(sorted(reading.context, key=lambda one: one.start)),
        language=lang,
        unread=len(text) - len(cleaned),
    )
