"""One folder per wire protocol, described by its PROTOCOL.md.

The catalogue finds the folders by their attribute PROTOCOL.
"""
