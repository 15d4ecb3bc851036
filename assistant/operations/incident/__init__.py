"""An incident without a log: what is seen, what fits, what to ask and to check next."""
