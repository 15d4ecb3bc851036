"""Memory and time of one training plan."""
