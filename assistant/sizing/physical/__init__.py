"""Where things stand and how they are joined: racks, cables, feeds, and how the same design grows."""
