"""One GPU's memory while serving: weights, cache, adapters, drafts, and what the engine takes."""
