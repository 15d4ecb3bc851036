"""What a brief asks for: models, users, lengths and targets to serve, tokens and days to train."""
