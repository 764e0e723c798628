"""Policies: which parameters serve and learn for which role."""
