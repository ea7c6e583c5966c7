"""What several tests share: none of it is a test."""
