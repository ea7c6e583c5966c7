"""The rules: one folder a game.

A folder is a game by having an attribute GAME, a subclass of Game. Nothing lists the folders:
the catalogue finds them.
"""
