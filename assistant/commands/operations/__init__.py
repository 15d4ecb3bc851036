"""Commands for a cluster that runs."""
