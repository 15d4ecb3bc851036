"""Storage: how much, how fast, by tier; checkpoints by way of the servers' own drives."""
