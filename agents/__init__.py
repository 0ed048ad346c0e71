"""Agents that play the games: the protocol, those that come along, and how to name one's own."""
