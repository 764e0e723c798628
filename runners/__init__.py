"""Execution: a job becomes a run directory. The only packages that import torch, transformers, lightning and ray."""
