"""Tests; `python -m tests.cases` runs golden cases from files."""
