"""Tree of rewards -> advantages. Imports numpy, never torch."""
