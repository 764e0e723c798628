"""Prompts: what a role reads at a call, as text and as token ids, and its responses as text.

Token ids go one way. A prompt is tokenised once, here; a response is decoded for
agents, graders and readers, and its text is never tokenised again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from jinja2 import TemplateError
from transformers import PreTrainedTokenizerBase

from mxspec.spec.roles import Prompt
from runners.mas.calls import CallRequest

REMEMBERED = 16_384
"""Prompts and responses that a renderer keeps."""

_PLACEHOLDER = re.compile(r"\{(question|agent|instructions|previous|history)\}")


class PromptError(ValueError):
    """A prompt that the model's tokenizer cannot render.

    Attributes:
        format: The prompt's format.
        problem: What is wrong.
    """

    def __init__(self, format: str, problem: str) -> None:
        super().__init__(f"prompt of format {format}: {problem}")
        self.format = format
        self.problem = problem


def fill(prompt: Prompt, request: CallRequest) -> str:
    """The text of a prompt for a call, system message and earlier turns aside."""
    return _filled(_text(prompt), _values(request))


class PromptRenderer:
    """Renders one role's prompt with one tokenizer, and reads the responses.

    `{question}`, `{agent}`, `{instructions}`, `{previous}` and `{history}` (one entry a
    line) are replaced in one pass, in the text, the system message and the turns; what is put in
    is never expanded again. The name of a control token in it (`<|im_end|>`) becomes
    ordinary characters by a space after the first, so that neither a question nor another
    agent can end a turn or speak for someone else. A blank system message is left out.
    """

    def __init__(self, prompt: Prompt, tokenizer: PreTrainedTokenizerBase) -> None:
        """Prepares rendering.

        Args:
            prompt: What the role reads; its text is loaded.
            tokenizer: Of the policy that serves the role.

        Raises:
            PromptError: The tokenizer lacks a chat template or an end token.
        """
        if prompt.format == "chat" and not tokenizer.chat_template:
            raise PromptError("chat", "the tokenizer of the model has no chat template; use `format: plain`")
        if tokenizer.eos_token_id is None:
            raise PromptError(prompt.format, "the tokenizer of the model has no end token")
        self._prompt = prompt
        self._tokenizer = tokenizer
        self._end = int(tokenizer.eos_token_id)
        names = sorted((str(token) for token in tokenizer.added_tokens_decoder.values()), key=len, reverse=True)
        self._control = re.compile("|".join(map(re.escape, names))) if names else None
        self._prefix = _begin(tokenizer) if prompt.format == "plain" else ()
        self._remembered = lru_cache(maxsize=REMEMBERED)(self._render)
        self._decoded = lru_cache(maxsize=REMEMBERED)(self._decode)
        self._responses = lru_cache(maxsize=REMEMBERED)(self._response)

    def render(
        self,
        *,
        question: str,
        agent: str = "",
        instructions: str = "",
        previous: str = "",
        history: tuple[str, ...] = (),
    ) -> tuple[tuple[int, ...], str]:
        """Token ids and text of a prompt (control tokens of a chat template included)."""
        return self._remembered(question, agent, instructions, previous, history)

    def ids(
        self,
        *,
        question: str,
        agent: str = "",
        instructions: str = "",
        previous: str = "",
        history: tuple[str, ...] = (),
    ) -> tuple[int, ...]:
        """Token ids of a prompt."""
        return self._remembered(question, agent, instructions, previous, history)[0]

    def text(
        self,
        *,
        question: str,
        agent: str = "",
        instructions: str = "",
        previous: str = "",
        history: tuple[str, ...] = (),
    ) -> str:
        """Text of a prompt."""
        return self._remembered(question, agent, instructions, previous, history)[1]

    def decode(self, ids: Sequence[int]) -> str:
        """Text of a response, up to the first end token, control tokens left out."""
        return self._decoded(tuple(map(int, ids)))

    def response_ids(self, text: str) -> tuple[int, ...]:
        """Token ids of a demonstrated response, ended by the end token; names of control tokens are plain text."""
        return self._responses(text)

    def _response(self, text: str) -> tuple[int, ...]:
        ids = self._tokenizer.encode(text, add_special_tokens=False, split_special_tokens=True)
        return (*(int(i) for i in ids), self._end)

    def _render(
        self, question: str, agent: str, instructions: str, previous: str, history: tuple[str, ...]
    ) -> tuple[tuple[int, ...], str]:
        request = CallRequest(0, agent, 0, instructions, question, previous, history)
        values = {name: self._harmless(value) for name, value in _values(request).items()}
        text = _filled(_text(self._prompt), values)
        if self._prompt.format == "chat":
            text = self._chat(values, text)
        ids = self._tokenizer.encode(text, add_special_tokens=False)
        return (*self._prefix, *(int(i) for i in ids)), text

    def _chat(self, values: dict[str, str], text: str) -> str:
        system = _filled(self._prompt.system or "", values)
        messages = [{"role": "system", "content": system}] if system.strip() else []
        for turn in self._prompt.turns:
            messages.append({"role": "user", "content": _filled(turn.ask, values)})
            messages.append({"role": "assistant", "content": _filled(turn.reply, values)})
        messages.append({"role": "user", "content": text})
        try:
            rendered = self._tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        except TemplateError as error:
            raise PromptError("chat", f"the model's chat template refuses it: {error}") from None
        assert isinstance(rendered, str)
        return rendered

    def _decode(self, ids: tuple[int, ...]) -> str:
        end = ids.index(self._end) if self._end in ids else len(ids)
        text = self._tokenizer.decode(list(ids[:end]), skip_special_tokens=True, clean_up_tokenization_spaces=False)
        assert isinstance(text, str)
        return text

    def _harmless(self, value: str) -> str:
        if self._control is None:
            return value
        return self._control.sub(lambda found: f"{found[0][0]} {found[0][1:]}", value)


def _text(prompt: Prompt) -> str:
    assert prompt.text is not None, "the loader puts a prompt's text into the spec"
    return prompt.text


def _values(request: CallRequest) -> dict[str, str]:
    return {
        "question": request.question,
        "agent": request.agent,
        "instructions": request.instructions,
        "previous": request.previous,
        "history": "\n".join(request.history),
    }


def _filled(text: str, values: dict[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda found: values[found[1]], text)


def _begin(tokenizer: PreTrainedTokenizerBase) -> tuple[int, ...]:
    """The token that the tokenizer puts before every text, if it does."""
    begin = tokenizer.bos_token_id
    framed = tokenizer.encode("a")
    return (int(begin),) if begin is not None and framed and framed[0] == begin else ()
