"""Hostile clients at every door while others play: the players must not notice."""
