"""From a teacher's demonstrations to training rows, through the same prompts as in a rollout."""

from __future__ import annotations

import numpy as np

from mxspec.spec.stages import SftStage, Teacher
from runners.benchmarks.teachers import demonstrations
from runners.engines.draws import seed_of
from runners.learning.rows import Row, imitation
from runners.workbench import Workbench


def demonstration_rows(bench: Workbench, stage: SftStage, *, epoch: int) -> dict[str, list[Row]]:
    """Fresh demonstrations of one epoch as rows to imitate, by role, shuffled.

    The response of a row ends with the end token, as a sampled one does.

    Args:
        bench: Renders prompts and holds the tokenizers.
        stage: Which teacher, how many rows.
        epoch: Epoch of the stage, from 0.
    """
    assert isinstance(stage.data, Teacher), "`run` refuses files of demonstrations"
    seed = seed_of(bench.spec.seed, "demonstrations", stage.name, epoch)
    rows: dict[str, list[Row]] = {role: [] for role in stage.train}
    for shown in demonstrations(stage.data, bench.benchmarks[stage.data.use], seed=seed):
        if shown.role not in rows:
            continue
        renderer = bench.renderers[shown.role]
        prompt, _ = renderer.render(
            question=shown.request.question,
            agent=shown.request.agent,
            instructions=shown.request.instructions,
            previous=shown.request.previous,
            history=shown.request.history,
        )
        rows[shown.role].append(imitation(prompt, renderer.response_ids(shown.response), shown.role))
    rng = np.random.default_rng(seed)
    return {role: [of[i] for i in rng.permutation(len(of))] for role, of in rows.items()}
