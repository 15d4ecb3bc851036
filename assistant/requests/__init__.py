"""Requests from outside, checked: options, JSON lines, files, answers."""
