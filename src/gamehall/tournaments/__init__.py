"""The mathematics of tournaments: who meets whom, and what it comes to. Knows no game, no peer."""
