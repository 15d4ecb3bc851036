"""Serving: does a model fit, and how fast will it be.

``parts`` (model, card, formats) -> ``memory`` (one GPU's budget) -> ``speed`` (time of a step and of the first token)
-> here: a request brought to definite values and estimated -> ``loads`` (replicas, batches, media, encoders).
"""
