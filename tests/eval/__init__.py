"""Tests of matches, statistics and tournaments."""
