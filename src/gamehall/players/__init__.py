"""A player's side of a conversation, without I/O: what it says, what a person sees and may do.

A `Conversation` follows what the server says. A `BotPlayer` answers it by itself, and so does a
`HousePlayer`, for a bot of the house; a `Person` is shown lines and boards as data, and is asked.
Whoever drives them brings notices in and carries requests out: a TCP connection (`clients.tcp`) or
a client in the hall's process (`clients.local`).
"""
