"""Pairings, standings, ratings and sequential tests, for any game."""
