"""Players that follow rules of thumb, one module a game with a class `RuleAgent`."""
