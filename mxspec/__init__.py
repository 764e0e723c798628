"""mxspec declares how a self-designing, self-executing agent system is trained."""

__version__ = "0.1.0"
