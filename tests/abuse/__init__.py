"""Hostile clients at every door while others play."""
