"""A design space: every combination of some fields, each worked out by the same calls as a single request.

``space`` (which points) -> ``evaluate`` (one point) -> ``workers`` (many, in order, here or on a Dask cluster) ->
``results`` (lines of a file that can be gone on with).
"""
