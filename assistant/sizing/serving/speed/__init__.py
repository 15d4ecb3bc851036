"""Time to first token and per output token: a roofline with fitted constants, and queueing."""
