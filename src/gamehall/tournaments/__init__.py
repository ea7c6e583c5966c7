"""Pairings, standings, ratings and tests of tournaments. Knows no game and no connection."""
