"""From a brief to a settled design: ``Brief -> Demands -> Count -> Site -> Settled``."""
