"""Logs in, findings and a verdict out."""
