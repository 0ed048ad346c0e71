"""Comparing agents: matches on duplicate deals, statistics, tournaments."""
