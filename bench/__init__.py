"""Measurements: every module prints a table of ratios against a peer or a limit measured in the same run."""
