"""One folder per wire protocol: PROTOCOL.md describes it, the modules speak it.

A folder is a protocol by having an attribute PROTOCOL. Nothing lists the folders: the catalogue
finds them.
"""
