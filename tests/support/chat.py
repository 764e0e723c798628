"""A small tokenizer with a chat template and control tokens, built here."""

from __future__ import annotations

from transformers import PreTrainedTokenizerFast

from runners.policies.tokenizer import train_tokenizer

TEMPLATE = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


def chat_tokenizer() -> PreTrainedTokenizerFast:
    """Ends turns with `<|im_end|>`, as pretrained chat models do."""
    made = train_tokenizer(["system\nuser\nassistant\n", "Answer the question: how many?"] * 4, 300)
    made.add_special_tokens({"additional_special_tokens": ["<|endoftext|>", "<|im_start|>"], "eos_token": "<|im_end|>"})
    made.chat_template = TEMPLATE
    return made
