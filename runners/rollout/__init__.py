"""The rollout: questions become trees of designs, executions and calls."""
