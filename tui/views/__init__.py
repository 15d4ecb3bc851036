"""What each screen shows, as plain values: no textual here, so that it is tested without a terminal."""
