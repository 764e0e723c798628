"""The answers: run directories become DuckDB tables, statistics and a report."""
