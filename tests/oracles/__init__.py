"""Second, naive implementations of the games, against which the real ones are compared."""
