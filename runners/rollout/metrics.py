"""A rollout tree in numbers."""

from __future__ import annotations

from runners.rollout.tree import Tree


def tree_metrics(tree: Tree) -> dict[str, float]:
    """Shares and means over a tree: what a step's curves are drawn from.

    Returns:
        `accuracy` (executions answered correctly, those of broken designs included),
        `valid_designs`, `failed_executions`, `calls_per_execution`, `response_tokens`,
        `prompt_tokens`, `cached_prompt_tokens`.
    """
    executions = [node.value for node in tree.executions]
    calls = [node.value for node in tree.calls]
    return {
        "accuracy": sum(one.grade.verdict == "correct" for one in executions) / len(executions),
        "valid_designs": sum(node.value.design_verdict == "ok" for node in tree.designs) / len(tree.designs),
        "failed_executions": sum(one.result.verdict != "ok" for one in executions) / len(executions),
        "calls_per_execution": sum(one.result.calls for one in executions) / len(executions),
        "response_tokens": float(sum(len(call.completion.ids) for call in calls)),
        "prompt_tokens": float(sum(len(call.prompt) for call in calls)),
        "cached_prompt_tokens": float(sum(call.completion.cached_tokens for call in calls)),
    }
