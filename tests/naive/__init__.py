"""Clients written from the five documents alone, and halls that must please them.

Each module is a program of the standard library with a blocking socket: it does what its
document draws, in the order in which it is drawn, and nothing else. None of them imports gamehall.
"""
