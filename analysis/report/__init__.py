"""The report: what runs measured, as tables and as one self-contained page."""

from analysis.report.grid import Grid, as_json, grid_of
from analysis.report.make import Report, make_report
from analysis.report.page import write_html
from analysis.report.store import NoStore
from analysis.report.subject import UnknownSubject

__all__ = ["Grid", "NoStore", "Report", "UnknownSubject", "as_json", "grid_of", "make_report", "write_html"]
