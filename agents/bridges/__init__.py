"""Agents of other public suites, so that they can play in tournaments here."""
