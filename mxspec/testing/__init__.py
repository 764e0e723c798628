"""Checks for those who extend mxspec: call them in your own tests."""

from mxspec.testing.plugins import ContractBroken, check_kind, check_plugin

__all__ = ["ContractBroken", "check_kind", "check_plugin"]
