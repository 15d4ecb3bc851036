"""What operators keep at hand: health checks, environments, maintenance, runbooks."""
