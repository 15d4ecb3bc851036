"""Answers that carry a document: price lists and model configurations."""
