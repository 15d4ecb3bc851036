"""Interviews kept: talking through one, comparing several, replaying a transcript, reading a chat log."""
