"""Tests of Dori-jitgo-ttaeng."""
