"""The trained tokenizer: exact round trip, determinism, what merges may and may not join."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoTokenizer

from runners.policies.tokenizer import train_tokenizer

SCRIPT = 'w.add_node(AgentNode(name="reduce"))\nprint(w.run(question).content)\n'
CORPUS = [f"design {a}+{b}-{c}\n{SCRIPT}" for a in range(5) for b in range(5) for c in range(5)]
TOKENIZER = train_tokenizer(CORPUS, 400)


def encode(text: str) -> list[int]:
    return list(TOKENIZER.encode(text, add_special_tokens=False))


@given(st.text())
def test_any_text_decodes_to_itself(text: str) -> None:
    assert TOKENIZER.decode(encode(text)) == text


@given(st.text(alphabet="designAgentNode(reduce)+-=0123456789 \n\r\t\"'.{}"))
def test_text_like_the_corpus_decodes_to_itself(text: str) -> None:
    assert TOKENIZER.decode(encode(text)) == text


def test_a_frequent_line_becomes_one_token() -> None:
    lines = SCRIPT.splitlines(keepends=True)
    assert [len(encode(line)) for line in lines] == [4, 2]  # `=` and the line end stand alone


def test_merges_join_neither_lines_nor_digits_nor_operators() -> None:
    for text in TOKENIZER.get_vocab():
        if text in ("<pad>", "<eos>"):
            continue
        shown = TOKENIZER.convert_tokens_to_string([text])
        assert len(shown) == 1 or not set(shown) & set("0123456789+-=\r\n"), shown
    assert len(encode("12+34-5=")) == 8


def test_the_ends_are_distinct() -> None:
    assert (TOKENIZER.pad_token_id, TOKENIZER.eos_token_id) == (0, 1)
    assert len(TOKENIZER) <= 400


def test_equal_corpora_give_equal_tokenizers() -> None:
    again = train_tokenizer(iter(CORPUS), 400)
    assert again.backend_tokenizer.to_str() == TOKENIZER.backend_tokenizer.to_str()


def test_saved_and_loaded_it_is_the_same(tmp_path: Path) -> None:
    TOKENIZER.save_pretrained(tmp_path)
    loaded = AutoTokenizer.from_pretrained(tmp_path)
    text = CORPUS[7] + "<eos> é 日本\r\n  x"
    assert loaded.encode(text, add_special_tokens=False) == encode(text)
    assert loaded.decode(encode(text)) == text
    assert (loaded.pad_token_id, loaded.eos_token_id, len(loaded)) == (0, 1, len(TOKENIZER))


def test_a_vocabulary_below_the_bytes_is_refused() -> None:
    with pytest.raises(ValueError, match="vocab_size 257 is too small"):
        train_tokenizer(["a"], 257)
