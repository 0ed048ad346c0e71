"""Tests of Dou Dizhu."""
