"""Clients written from the five documents alone, and tests of the server with them.

Each client is a program of the standard library with a blocking socket. It does what its document
draws, in that order, and nothing else. None of them imports gamehall.
"""
