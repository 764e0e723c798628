"""Rules across fields: what each value means for the others."""

from __future__ import annotations

from mxspec.load.checks.credit import check_credit
from mxspec.load.checks.data import check_data
from mxspec.load.checks.evaluations import check_evaluations
from mxspec.load.checks.layout import check_layout
from mxspec.load.checks.policy import check_policy
from mxspec.load.checks.references import check_references
from mxspec.load.checks.roles import check_roles
from mxspec.load.checks.stages import check_stages
from mxspec.load.checks.sweep import check_sweep
from mxspec.load.checks.values import check_values
from mxspec.load.checks.where import Checker
from mxspec.load.errors import Findings
from mxspec.load.nodes import MapNode
from mxspec.spec import Spec


def check(spec: Spec, root: MapNode, findings: Findings) -> None:
    """Checks a valid spec across its fields; needs no data, model or plugin.

    Args:
        spec: The spec.
        root: The tree it came from, for places.
        findings: Where errors and warnings go.
    """
    checker = Checker(spec, root, findings)
    for rule in RULES:
        rule(checker)


RULES = (
    check_roles,
    check_policy,
    check_stages,
    check_credit,
    check_evaluations,
    check_data,
    check_layout,
    check_values,
    check_references,
    check_sweep,
)
