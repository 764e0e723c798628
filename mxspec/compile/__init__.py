"""Plan -> Jobs: what each job needs, in the order in which they should start."""
