"""The table: every algorithm on every game with the same budget, several seeds each, measured alike."""
