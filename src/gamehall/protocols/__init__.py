"""One folder a wire language: SPEC.txt (the document), READINGS.md (our decisions), the sessions.

A folder is a protocol by having an attribute PROTOCOL. Nothing lists the folders: the catalogue
finds them.
"""
