"""An installed package that ships a tiny Llama as a GGUF file, written here."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from gguf import GGUFWriter, TokenType

from tests.support.chat import TEMPLATE, chat_tokenizer

HIDDEN, LAYERS, HEADS, INNER = 32, 2, 2, 64


def write_package(site: Path, *, name: str = "tiny_weights", version: str = "1.2.0") -> Path:
    """Puts the package and its metadata into a site directory; returns the GGUF file."""
    package = site / name
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('a package is found, never imported')\n")
    info = site / f"{name}-{version}.dist-info"
    info.mkdir()
    distribution = name.replace("_", "-")
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")
    (info / "top_level.txt").write_text(f"{name}\n")
    file = package / "tiny.F32.gguf"
    _write_model(file)
    return file


def _write_model(file: Path) -> None:
    tokenizer = chat_tokenizer()
    described = json.loads(tokenizer.backend_tokenizer.to_str())
    tokens = [tokenizer.convert_ids_to_tokens(i) for i in range(len(tokenizer))]
    control = set(tokenizer.all_special_ids)
    writer = GGUFWriter(str(file), "llama")
    writer.add_name("tiny")
    writer.add_context_length(4096)
    writer.add_embedding_length(HIDDEN)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(HIDDEN // HEADS)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(tokens)
    writer.add_token_types([TokenType.CONTROL if i in control else TokenType.NORMAL for i in range(len(tokens))])
    writer.add_token_merges([" ".join(pair) for pair in described["model"]["merges"]])
    writer.add_bos_token_id(tokens.index("<|im_start|>"))
    writer.add_eos_token_id(tokens.index("<|im_end|>"))
    writer.add_pad_token_id(tokens.index("<|im_end|>"))
    writer.add_chat_template(TEMPLATE)
    rng = np.random.default_rng(0)
    for name, shape in _shapes(len(tokens)).items():
        values = np.ones(shape) if "norm" in name else rng.normal(0.0, 0.2, shape)
        writer.add_tensor(name, values.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _shapes(vocabulary: int) -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {"token_embd.weight": (vocabulary, HIDDEN), "output_norm.weight": (HIDDEN,)}
    for layer in range(LAYERS):
        block = f"blk.{layer}."
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            shapes[f"{block}{part}.weight"] = (HIDDEN, HIDDEN)
        for part in ("ffn_gate", "ffn_up"):
            shapes[f"{block}{part}.weight"] = (INNER, HIDDEN)
        shapes[f"{block}ffn_down.weight"] = (HIDDEN, INNER)
        shapes[f"{block}attn_norm.weight"] = shapes[f"{block}ffn_norm.weight"] = (HIDDEN,)
    return shapes
