"""The design with every override applied once: what is decided, and the duties that follow."""
