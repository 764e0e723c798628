"""From a credited tree to training rows: one a call, with the advantage of the unit above it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from runners.credit.units import RoleCredit
from runners.learning.rows import Row
from runners.rollout.tree import Tree
from runners.rollout.wave import Served


def samples_of(tree: Tree, credits: Mapping[str, RoleCredit], served: Mapping[str, Served]) -> dict[str, list[Row]]:
    """Training rows by role, for the roles that have credit.

    A writer's call stands at the path of its design, which is the unit that
    earned its advantage; an agent's call hangs below its trajectory. Calls of a
    unit without a score stay out.

    Args:
        tree: The rolled out tree.
        credits: Credit of the roles that learn.
        served: How each role was sampled.

    Returns:
        Role -> rows, in the order of their paths.
    """
    advantages = {role: credit.advantages() for role, credit in credits.items()}
    rows: dict[str, list[Row]] = {role: [] for role in credits}
    for node in tree.calls:
        call = node.value
        if call.role not in rows:
            continue
        advantage = advantages[call.role].get(str(node.path if call.agent is None else node.parent))
        if advantage is None:
            continue
        rows[call.role].append(
            Row(
                prompt=np.array(call.prompt, dtype=np.int64),
                response=call.completion.ids.astype(np.int64),
                old_logprobs=call.completion.logprobs,
                advantage=advantage,
                role=call.role,
                temperature=served[call.role].sampling.temperature,
            )
        )
    return rows
