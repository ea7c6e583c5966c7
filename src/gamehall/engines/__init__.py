"""Bots that need files or processes: a user's file, a GTP engine, a bot in its own process.

The base class of bots and the bots of Gamehall are in `gamehall.bots`.
"""
