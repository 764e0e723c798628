"""Scripts in the published style: what share runs unmodified, and that the rest is refused by name."""

from __future__ import annotations

from collections import Counter

from mxspec.spec.rollout import Limits
from runners.mas.build import ScriptBuilder
from runners.mas.calls import CallResult
from tests.support.published import COMBINED, corpus

SAID = ("CORRECT. FINAL ANSWER: \\boxed{7}", "INCORRECT, try again", "so \\boxed{8}", "CORRECT")


def test_scripts_in_the_published_style_run_unmodified() -> None:
    scripts = corpus(324)
    verdicts: Counter[str] = Counter()
    patterns: Counter[str] = Counter()
    with ScriptBuilder(Limits(), tools={"python_execute": lambda arguments: "7"}) as builder:
        for number, one in enumerate(scripts):
            design = builder.build(one.text, "What is 3+4?")
            verdicts[design.design_verdict] += 1
            if design.design_verdict != "ok":
                assert design.design_verdict == "unsupported" and design.detail, "what is refused is named"
                continue
            patterns[one.pattern] += 1
            running = builder.execution(design, "What is 3+4?")
            try:
                wave = next(running)
                while True:
                    said = (SAID[(number + request.position) % len(SAID)] for request in wave)
                    wave = running.send(tuple(CallResult(text, 3, "stop") for text in said))
            except StopIteration as end:
                assert end.value.verdict == "ok" and end.value.answer in SAID, (one.text, end.value)
    with ScriptBuilder(Limits()) as builder:
        bare = Counter(builder.build(one.text, "What is 3+4?").design_verdict for one in scripts)
    assert set(bare) == {"ok", "unsupported"} and bare["ok"] >= 0.69 * len(scripts), "as a run has them: no host tool"
    assert patterns.keys() == COMBINED.keys()
    assert set(verdicts) == {"ok", "unsupported"} and verdicts["ok"] >= 0.93 * len(scripts), verdicts
