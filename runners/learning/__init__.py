"""Losses, batches and the Lightning side of an update."""
