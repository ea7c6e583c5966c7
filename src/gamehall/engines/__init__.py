"""Bots as running programs: from a user's file, as a GTP program, in a process of their own.

What a bot is, and the bots that come with Gamehall, are in gamehall.bots, which knows neither
files nor processes nor threads.
"""
