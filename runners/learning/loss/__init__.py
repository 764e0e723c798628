"""Losses, one idea a file, each with its formula and where it comes from."""
