"""Bots as a running program has them: out of a file, as an engine of somebody's, in a thread.

What a bot is, and those that come with the hall, are in gamehall.bots, which knows neither files
nor programs nor threads.
"""
