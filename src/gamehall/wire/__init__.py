"""What the protocols share: sessions, framing, HTTP, JSON, settings."""
