"""Plugins: further kinds for the spec language, in a file or an installed package.

A plugin's file holds the specs of its kinds, and imports nothing heavy:

    from typing import Literal

    from mxspec.plugins import SpecModel, leaf, register

    @register("grader", implementation=":make")
    class Prefix(SpecModel):
        \"\"\"The answer begins with the gold.\"\"\"

        kind: Literal["prefix"]
        case: bool = leaf("Whether case counts.", default=True)

    def make(spec):
        def judge(gold, answer):
            ...
        return judge

`implementation` names what a worker calls with the spec: `package.module:factory`, which only the
worker imports, or `:factory` in the same file. `mxspec.testing.check_plugin` checks its contract.
"""

from mxspec.plugins.points import POINTS
from mxspec.plugins.register import PluginError, register
from mxspec.spec.base import SpecModel, leaf
from mxspec.spec.stages import PluggedStage
from mxspec.spec.structure import PluggedStructure

__all__ = ["POINTS", "PluggedStage", "PluggedStructure", "PluginError", "SpecModel", "leaf", "register"]
