"""Commands that size, estimate, simulate and sweep."""
