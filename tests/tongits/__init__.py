"""Tests of Tongits."""
