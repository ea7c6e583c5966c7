"""Bots that need files or processes: a user's file, a GTP engine, a bot in its own process.

The base class of bots and the bots of Gamehall are in `gamehall.bots`. The modules here:

choice: return the bot that a text names
bot_text: the notation of such texts
own_bot: a class in a user's file
gtp_program: the process of a GTP engine
guarded: run a bot in its own process; the parent's end, and the messages
bot_program: that process
"""
