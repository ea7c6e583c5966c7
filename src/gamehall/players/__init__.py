"""The client side of a conversation, without I/O.

A `Conversation` follows the notices of a server. A `BotPlayer` and a `HousePlayer` (for house bots)
answer them by themselves; a `Person` is shown lines and boards as data, and is asked. Their drivers
pass notices in and send the requests that come out: `clients.tcp` or `clients.local`.
"""
