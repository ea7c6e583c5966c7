"""The tests of Gamehall, laid out like the source. transcripts.py explains the .txt files."""
