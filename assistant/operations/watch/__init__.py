"""Live metrics: the operations rules evaluated, as alert rules, as a dashboard."""
