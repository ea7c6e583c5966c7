"""What the protocols share: sessions, framing, settings, and what a protocol is to the hall."""
