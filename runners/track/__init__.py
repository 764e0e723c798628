"""Optional mirrors of the metrics; the run directory is the record."""
