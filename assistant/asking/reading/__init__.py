"""Reading a question: its words and numbers, its kind and quantity, and what it continues."""
