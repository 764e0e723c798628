"""Spec -> Plan: runs, their chained states, what is done already, what is shared."""
