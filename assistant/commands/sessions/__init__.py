"""Commands on saved sessions."""
