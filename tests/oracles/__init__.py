"""Independent, naive implementations of the games, with which the real ones are compared."""
