"""Commands on what is known: questions, catalogue, rules, schemas."""
