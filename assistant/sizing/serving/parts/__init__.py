"""What serving arithmetic sees of a model and a card: plain numbers in base units."""
