"""What a network reads of single actions, one module a game: mostly what the rule player thinks."""
