"""Messages with a role, as OpenAI's and Anthropic's APIs take them, and as many agents store them.

Rule: each assistant message is one request. A system or developer message at the head is the standing part;
one that comes later is words. What a tool returned stands in a message of role tool, in a block, or, where
calls are written as text, in the user's place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeVar

from msgspec import Raw, Struct

from foldcover_harness.transcripts.blocks import RESULTS, TEXTS, Block, Blocks, first_words
from foldcover_harness.transcripts.measures import utf8_size
from foldcover_harness.transcripts.model import Builder, Conversation, Kind, Request
from foldcover_harness.transcripts.refusal import RefusedError
from foldcover_harness.transcripts.text_calls import is_observation, is_prompt_of_client, split_call
from foldcover_harness.transcripts.tolerant import any_size, structs

SYSTEM: Final = ("system", "developer")
SEVERAL: Final = "several conversations, one an object: each needs a file of its own"


class Function(Struct, gc=False):
    """What is called."""

    name: str | None = None
    arguments: Raw = Raw(b"")


class Custom(Struct, gc=False):
    """A custom tool that is called with plain text."""

    name: str | None = None
    input: str = ""


class Call(Struct, gc=False):
    """A tool call."""

    id: str | None = None
    function: Function | None = None
    custom: Custom | None = None


class Details(Struct, gc=False):
    """What of the prompt came from a cache."""

    cached_tokens: int | None = None


class Usage(Struct, gc=False):
    """Tokens as the provider reported them, under the names of OpenAI, Anthropic and some others."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: Details | None = None
    prompt_cache_hit_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None


class Message(Struct, gc=False):
    """A message."""

    role: str = ""
    content: str | list[Block] | None = None
    tool_calls: list[Call] | None = None
    function_call: Function | None = None
    tool_call_id: str | None = None
    name: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None
    usage: Usage | None = None


class Body(Message, gc=False):
    """A request body, or a message that stands alone in a list."""

    messages: list[Message] | None = None


B = TypeVar("B", bound=Body)
M = TypeVar("M")


def read_bodies(
    texts: Iterable[bytes | None], kind: type[B], builder: Builder, answer: Callable[[B], Message | None]
) -> Conversation:
    """Return the conversation in `texts`: one body and its answer, if there was one, or the messages of a
    list. Raises RefusedError where there are several bodies.
    """
    bodies = structs(texts, kind, builder)
    messages = Messages(builder)
    first = next(bodies, None)
    if first is not None and first.messages is not None:
        if next(bodies, None) is not None:
            raise RefusedError(SEVERAL)
        last = answer(first)
        messages.take(placed(first.messages if last is None else [*first.messages, last], builder))
    elif first is not None:
        messages.take(_alone(first, bodies))
    return builder.finish()


def placed(messages: Iterable[M], builder: Builder) -> Iterator[M]:
    """Yield the messages of a file that is one object, each at its index."""
    for builder.place, message in enumerate(messages):
        yield message


def _alone(first: Body, rest: Iterable[Body]) -> Iterator[Message]:
    yield first
    for body in rest:
        if body.messages is not None:
            raise RefusedError(SEVERAL)
        yield body


class Messages:
    """Adds messages to a conversation, in order."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.blocks = Blocks(builder)
        self.begun = False
        # Whether the last answer wrote its call as text, so that the user's place holds the result.
        self.called_in_text = False
        # Whether a fenced block was a call before: then every one is.
        self.fenced = False

    def take(self, messages: Iterable[Message]) -> None:
        """Add all `messages`. Each is told the one after it, so places lag behind what is drawn."""
        waiting: Message | None = None
        place = 0
        for message in messages:
            coming = self.builder.place
            if waiting is not None:
                self.builder.place = place
                self.one(waiting, message)
            waiting, place = message, coming
        if waiting is not None:
            self.builder.place = place
            self.one(waiting, None)

    def one(self, message: Message, following: Message | None) -> None:
        """Add a message, given the one after it."""
        role = message.role
        if role == "assistant":
            self.begun = True
            self.answer(message, following)
        elif role == "user":
            self.begun = True
            self.user(message)
        elif role in ("tool", "function"):
            self.begun = True
            number = self.builder.start_message()
            self.blocks.result(message.content, number, message.tool_call_id or message.name or "")
        elif role in SYSTEM:
            self.system(message)
        else:
            self.builder.unknown(f"role {role[:40]!r}" if role else "message without a role")

    def system(self, message: Message) -> None:
        """Leave out what the standing part stands for; what comes later is words."""
        if not self.begun:
            self.builder.leave_out("system prompts: they are the standing part")
        elif message.content:
            self.blocks.words(message.content, self.builder.start_message())

    def user(self, message: Message) -> None:
        """Add what stands in the user's place: results first, since they answer the turn that goes on."""
        content = message.content or ""
        number = self.builder.start_message()
        if self.called_in_text and is_observation(first_words(content), certain=False):
            self.blocks.result(content, number, "", shell=True)
            return
        rest = content
        if not isinstance(content, str):
            self.blocks.words([block for block in content if block.type in RESULTS], number)
            rest = [block for block in content if block.type not in RESULTS]
        words = human_words(rest)
        if words is not None:
            self.builder.open_turn(words)
        self.blocks.words(rest, number)

    def answer(self, message: Message, following: Message | None) -> None:
        """Add an answer of the model."""
        builder = self.builder
        record(builder.open_request(), message.usage)
        number = builder.start_message()
        thought = message.reasoning_content or message.reasoning
        if thought:
            builder.add(Kind.THINKING, utf8_size(thought), number)
        self.called_in_text = False
        calls = message.tool_calls or ()
        content = message.content
        text = first_words(content) if not calls and single_text(content) else ""
        observed = following is not None and following.role == "user" and is_observation(first_words(following.content))
        split = split_call(text, observed or self.fenced) if text else None
        if split is None:
            self.blocks.answer(content, number)
        else:
            self.called_in_text = True
            self.fenced = self.fenced or observed
            if split[0]:
                builder.say(split[0], number)
            builder.call(utf8_size(split[1]), number)
        if message.refusal:
            builder.say(message.refusal, number)
        for call in calls:
            self.call(call, number)
        if message.function_call is not None and message.function_call.name:
            self.call(Call(message.function_call.name, message.function_call), number)

    def call(self, call: Call, number: int) -> None:
        """Add a tool call."""
        if call.custom is not None:
            name, size = call.custom.name or "", utf8_size(call.custom.input)
        else:
            function = call.function or Function()
            name, size = function.name or "", any_size(function.arguments)
        self.builder.call(utf8_size(name) + size, number, call.id or "")
        self.blocks.called(name, call.id or "")


def single_text(content: str | list[Block] | None) -> bool:
    """Whether a message is one text and nothing else."""
    return isinstance(content, str) or (content is not None and len(content) == 1 and content[0].type == "text")


def human_words(content: str | list[Block]) -> str | None:
    """Return the first words that no client said in the user's place; None where a user said nothing."""
    if isinstance(content, str):
        return None if is_prompt_of_client(content) else content
    texts = [block.text for block in content if block.type in TEXTS]
    if not texts and content:
        return ""
    return next((text for text in texts if not is_prompt_of_client(text)), None)


def record(request: Request, usage: Usage | None) -> None:
    """Take in a usage: OpenAI's prompt includes what was cached, Anthropic's does not."""
    if usage is None:
        return
    details = usage.prompt_tokens_details
    read = usage.cache_read_input_tokens
    if usage.prompt_tokens is not None:
        cached = [each for each in (details and details.cached_tokens, usage.prompt_cache_hit_tokens, read) if each]
        zero = details is not None or usage.prompt_cache_hit_tokens is not None or read is not None
        request.record(
            usage.prompt_tokens,
            max(cached) if cached else 0 if zero else None,
            usage.cache_creation_input_tokens,
            usage.completion_tokens,
        )
    else:
        written = usage.cache_creation_input_tokens
        request.record((usage.input_tokens or 0) + (read or 0) + (written or 0), read, written, usage.output_tokens)
