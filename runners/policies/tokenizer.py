"""A small byte-level tokenizer trained on the texts that a fresh model learns from.

Merges may span the spaces of a line, so that a line of a script that occurs often
becomes one token; they never cross a line end, and digits and `+ - =` stay tokens of
their own, so that arithmetic is seen digit by digit.
"""

from __future__ import annotations

from collections.abc import Iterable

from tokenizers import Regex, Tokenizer
from tokenizers.decoders import ByteLevel as ByteLevelDecoder
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel, Sequence, Split
from tokenizers.trainers import BpeTrainer
from transformers import PreTrainedTokenizerFast

PAD, END = "<pad>", "<eos>"

_ALONE = Regex(r"[0-9+\-=\r\n]")


def train_tokenizer(corpus: Iterable[str], vocab_size: int) -> PreTrainedTokenizerFast:
    """Trains a byte-level BPE tokenizer; equal texts in equal order give an equal tokenizer.

    Every text can be encoded and decodes to itself, whatever the corpus was.

    Args:
        corpus: Texts to learn merges from.
        vocab_size: Upper bound of the vocabulary: 256 bytes, `<pad>` (0), `<eos>` (1), and merges.

    Raises:
        ValueError: The vocabulary is too small for the bytes.
    """
    alphabet = sorted(ByteLevel.alphabet())
    if vocab_size < len(alphabet) + 2:
        raise ValueError(f"vocab_size {vocab_size} is too small; bytes and control tokens are {len(alphabet) + 2}")
    tokenizer = Tokenizer(BPE())
    tokenizer.pre_tokenizer = Sequence(
        [Split(_ALONE, behavior="isolated"), ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    tokenizer.decoder = ByteLevelDecoder()
    trainer = BpeTrainer(
        vocab_size=vocab_size,
        min_frequency=2,
        special_tokens=[PAD, END],
        initial_alphabet=alphabet,
        show_progress=False,
    )
    tokenizer.train_from_iterator(corpus, trainer)
    wrapped: PreTrainedTokenizerFast = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, pad_token=PAD, eos_token=END, clean_up_tokenization_spaces=False
    )
    return wrapped
