"""One experiment in three layers and about 300 lines, as mxspec says it and as Hydra and others would."""

from __future__ import annotations

from pathlib import Path

import yaml

from mxspec.load import load_spec
from mxspec.load.shipped import specs_dir

HYDRA_APP = """\
import hydra
from omegaconf import DictConfig


@hydra.main(version_base=None, config_path=".", config_name="top")
def app(config: DictConfig) -> None:
    print(config.name)


app()
"""

TORCH_FIRST = """\
import sys
import torch  # as training frameworks do before they look at a configuration
import yaml
from mxspec.spec import Spec
data = yaml.safe_load(open(sys.argv[1], encoding="utf-8"))
Spec.model_validate(data, strict=False)
"""
"""What a framework does that validates with pydantic after importing what it trains with."""


def write_layers(folder: Path) -> Path:
    """Writes three layers that add up to the ablation of MetaAgent-X, every default written out.

    Args:
        folder: An empty directory.

    Returns:
        The last layer: `top.yaml`, which extends the others in mxspec's words. `hydra/` has the same values in
        Hydra's, with an app; `whole.yaml` the sum without any extension.
    """
    loaded = load_spec(specs_dir() / "systems/metaagent_x.yaml")
    whole = loaded.whole.model_dump(mode="json", by_alias=True)
    whole["evaluate"] = {f"{name}_{number}": one for name, one in whole["evaluate"].items() for number in range(8)}
    parts = {
        "base": {"language", "policy", "numerics", "structure", "benchmarks"},
        "middle": {"roles", "questions", "rollout", "reward", "credit"},
    }
    layers = {name: {key: whole[key] for key in keys if key in whole} for name, keys in parts.items()}
    top = {key: one for key, one in whole.items() if not any(key in keys for keys in parts.values())}
    hydra = folder / "hydra"
    hydra.mkdir()
    for name, layer in layers.items():
        (hydra / f"{name}.yaml").write_text("# @package _global_\n" + _text(layer))
    (hydra / "top.yaml").write_text(_text({"defaults": ["base", "middle", "_self_"], **top}))
    (hydra / "app.py").write_text(HYDRA_APP)
    (folder / "torch_first.py").write_text(TORCH_FIRST)
    whole.pop("sweep")
    (folder / "whole.yaml").write_text(_text(whole))
    head: dict[str, dict[str, object]] = {"base": {}, "middle": {"extends": ["base.yaml"]}}
    for name, layer in layers.items():
        (folder / f"{name}.yaml").write_text(_text({"part": "base", **head[name], **layer}))
    last = folder / "top.yaml"
    last.write_text(_text({"extends": ["middle.yaml"], **top}))
    lines = sum(len((folder / f"{name}.yaml").read_text().splitlines()) for name in ("base", "middle", "top"))
    assert lines >= 300, lines
    load_spec(last)
    return last


def _text(data: object) -> str:
    return yaml.safe_dump(data, sort_keys=False, width=110)
