"""Tests that every game passes in every named variant."""
