"""Questions to the knowledge base: what is asked, the facts in it, what the rules say, and who says so."""
