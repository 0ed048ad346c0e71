"""Slow, obvious implementations of the rules that the fast engines are compared with."""
