"""Some lines that bring somebody through a door, to be copied."""

BOT = """from gamehall.bots import Bot

class MyBot(Bot):
    def choose(self, position, seat, seconds_left):
        return next(position.legal_moves())

# gamehall bot {address} --bot my_bot.py:MyBot"""


def example_for(address: str) -> str:
    """What to write, and how to have it play there."""
    return BOT.format(address=address)
