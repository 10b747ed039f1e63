"""Four formats of model services: how each asks, answers, streams and says what is wrong.

`FORMATS` has one object a format. `read` turns a body into a request, `whole` and `stream` turn a
reply into a body or into the events of a stream.
"""

import json
import uuid
from typing import Iterator

from canned import Reply, Request, Tool

CREATED = 1_764_547_200


def name(prefix: str) -> str:
    return prefix + uuid.uuid4().hex[:20]


def pieces(text: str) -> list[str]:
    size = 48 if len(text) < 100_000 else 4096
    return [text[at : at + size] for at in range(0, len(text), size)]


def plain(content) -> str:
    """The text of a content, which is a text or a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return plain(content.get("text") or content.get("content") or content.get("output") or "")
    if isinstance(content, list):
        return "\n".join(plain(part) for part in content)
    return ""


def event(data, kind: str | None = None) -> str:
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return (f"event: {kind}\n" if kind else "") + f"data: {text}\n\n"


def tokens(text: str) -> int:
    return max(1, len(text) // 4)


def prompt_tokens(request: Request) -> int:
    return sum(tokens(text) for _, text in request.turns)


STATUS_WORDS = {
    401: ("authentication_error", "UNAUTHENTICATED", "invalid_api_key", "Incorrect API key provided."),
    429: ("rate_limit_error", "RESOURCE_EXHAUSTED", "rate_limit_exceeded",
          "Rate limit reached. Please try again in 1s."),
    500: ("api_error", "INTERNAL", None, "Internal server error"),
    404: ("not_found_error", "NOT_FOUND", None, "No such path."),
}


class Chat:
    """OpenAI's chat completions."""

    def read(self, body: dict) -> Request:
        tools = [tool.get("function", {}) for tool in body.get("tools") or []]
        return Request(
            turns=[(m.get("role", ""), plain(m.get("content"))) for m in body.get("messages", [])],
            tools=[Tool(t.get("name", ""), (t.get("parameters") or {}).get("properties") or {}) for t in tools],
            model=body.get("model") or "",
            stream=bool(body.get("stream")),
        )

    def finish(self, reply: Reply) -> str:
        if reply.call:
            return "tool_calls"
        return {"stop": "stop", "length": "length", "refused": "content_filter"}[reply.finish]

    def call(self, reply: Reply) -> list[dict]:
        tool, arguments = reply.call
        function = {"name": tool, "arguments": json.dumps(arguments)}
        return [{"index": 0, "id": name("call_"), "type": "function", "function": function}]

    def usage(self, request: Request, reply: Reply) -> dict:
        asked, said = prompt_tokens(request), tokens(reply.text)
        return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}

    def whole(self, request: Request, reply: Reply) -> dict:
        message = {"role": "assistant", "content": None if reply.call else reply.text}
        if reply.thoughts:
            message["reasoning_content"] = reply.thoughts
        if reply.call:
            message["tool_calls"] = self.call(reply)
        choice = {"index": 0, "message": message, "finish_reason": self.finish(reply)}
        return {"id": name("chatcmpl-"), "object": "chat.completion", "created": CREATED,
                "model": request.model, "choices": [choice], "usage": self.usage(request, reply)}

    def stream(self, request: Request, reply: Reply) -> Iterator[str]:
        head = {"id": name("chatcmpl-"), "object": "chat.completion.chunk", "created": CREATED,
                "model": request.model}

        def delta(delta: dict, finish: str | None = None) -> str:
            return event(head | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

        yield delta({"role": "assistant", "content": ""})
        if reply.thoughts:
            yield delta({"reasoning_content": reply.thoughts})
        if reply.call:
            yield delta({"tool_calls": self.call(reply)})
        for piece in pieces(reply.text):
            yield delta({"content": piece})
        yield delta({}, self.finish(reply))
        yield event(head | {"choices": [], "usage": self.usage(request, reply)})
        yield event("[DONE]")

    def error(self, status: int) -> dict:
        kind, _, code, message = STATUS_WORDS[status]
        return {"error": {"message": message, "type": kind, "param": None, "code": code}}


class Responses:
    """OpenAI's responses."""

    def read(self, body: dict) -> Request:
        turns = [("system", body.get("instructions") or "")]
        given = body.get("input")
        for item in [{"role": "user", "content": given}] if isinstance(given, str) else given or []:
            if item.get("type", "").endswith("call_output"):
                turns.append(("tool", plain(item.get("output"))))
            elif "role" in item:
                turns.append((item["role"], plain(item.get("content"))))
        return Request(
            turns=turns,
            tools=[Tool(tool.get("name") or tool.get("type", ""),
                        (tool.get("parameters") or {}).get("properties") or {})
                   for tool in body.get("tools") or []],
            model=body.get("model") or "",
            stream=bool(body.get("stream")),
        )

    def items(self, reply: Reply) -> list[dict]:
        items = []
        if reply.thoughts:
            summary = [{"type": "summary_text", "text": reply.thoughts}]
            items.append({"type": "reasoning", "id": name("rs_"), "summary": summary})
        if reply.call:
            tool, arguments = reply.call
            items.append({"type": "function_call", "id": name("fc_"), "call_id": name("call_"),
                          "name": tool, "arguments": json.dumps(arguments), "status": "completed"})
            return items
        part = {"type": "output_text", "text": reply.text, "annotations": [], "logprobs": []}
        if reply.finish == "refused":
            part = {"type": "refusal", "refusal": "This cannot be answered."}
        items.append({"type": "message", "id": name("msg_"), "role": "assistant",
                      "status": "completed", "content": [part]})
        return items

    def response(self, request: Request, reply: Reply, status: str, items: list[dict]) -> dict:
        asked, said = prompt_tokens(request), tokens(reply.text)
        usage = {"input_tokens": asked, "input_tokens_details": {"cached_tokens": 0},
                 "output_tokens": said, "output_tokens_details": {"reasoning_tokens": 0},
                 "total_tokens": asked + said}
        cut = {"reason": "max_output_tokens"} if status == "incomplete" else None
        return {"id": "resp_canned", "object": "response", "created_at": CREATED, "status": status,
                "model": request.model, "output": items, "error": None, "incomplete_details": cut,
                "instructions": None, "metadata": {}, "parallel_tool_calls": True, "temperature": 1.0,
                "tool_choice": "auto", "tools": [], "top_p": 1.0,
                "usage": None if status == "in_progress" else usage}

    def whole(self, request: Request, reply: Reply) -> dict:
        status = "incomplete" if reply.finish == "length" else "completed"
        return self.response(request, reply, status, self.items(reply))

    def stream(self, request: Request, reply: Reply) -> Iterator[str]:
        number = 0

        def tell(kind: str, **fields) -> str:
            nonlocal number
            number += 1
            return event({"type": kind, "sequence_number": number} | fields, kind)

        started = self.response(request, reply, "in_progress", [])
        yield tell("response.created", response=started)
        yield tell("response.in_progress", response=started)
        items = self.items(reply)
        for at, item in enumerate(items):
            texts = [part for part in item.get("content", []) if part["type"] == "output_text"]
            shown = item | {"status": "in_progress", "content": []} if texts else item
            yield tell("response.output_item.added", output_index=at, item=shown)
            for part in texts:
                place = {"output_index": at, "item_id": item["id"], "content_index": 0}
                yield tell("response.content_part.added", **place, part=part | {"text": ""})
                for piece in pieces(part["text"]):
                    yield tell("response.output_text.delta", **place, delta=piece, logprobs=[])
                yield tell("response.output_text.done", **place, text=part["text"], logprobs=[])
                yield tell("response.content_part.done", **place, part=part)
            yield tell("response.output_item.done", output_index=at, item=item)
        whole = self.whole(request, reply)
        yield tell(f"response.{whole['status']}", response=whole)

    def error(self, status: int) -> dict:
        return Chat().error(status)


class Messages:
    """Anthropic's messages."""

    def read(self, body: dict) -> Request:
        turns = [("system", plain(body.get("system")))]
        for message in body.get("messages", []):
            content = message.get("content")
            parts = content if isinstance(content, list) else [content]
            for part in parts:
                result = isinstance(part, dict) and part.get("type") == "tool_result"
                turns.append(("tool" if result else message.get("role", ""), plain(part)))
        return Request(
            turns=turns,
            tools=[Tool(tool.get("name", ""), (tool.get("input_schema") or {}).get("properties") or {})
                   for tool in body.get("tools") or []],
            model=body.get("model") or "",
            stream=bool(body.get("stream")),
        )

    def blocks(self, reply: Reply) -> list[dict]:
        blocks = []
        if reply.thoughts:
            blocks.append({"type": "thinking", "thinking": reply.thoughts, "signature": "c2lnbmVk"})
        if reply.call:
            tool, arguments = reply.call
            blocks.append({"type": "tool_use", "id": name("toolu_"), "name": tool, "input": arguments})
        elif reply.finish != "refused":
            blocks.append({"type": "text", "text": reply.text})
        return blocks

    def whole(self, request: Request, reply: Reply) -> dict:
        stop = {"stop": "end_turn", "length": "max_tokens", "refused": "refusal"}[reply.finish]
        return {"id": name("msg_"), "type": "message", "role": "assistant", "model": request.model,
                "content": self.blocks(reply), "stop_reason": "tool_use" if reply.call else stop,
                "stop_sequence": None,
                "usage": {"input_tokens": prompt_tokens(request), "output_tokens": tokens(reply.text)}}

    def stream(self, request: Request, reply: Reply) -> Iterator[str]:
        whole = self.whole(request, reply)

        def tell(kind: str, **fields) -> str:
            return event({"type": kind} | fields, kind)

        yield tell("message_start", message=whole | {"content": [], "stop_reason": None})
        for at, block in enumerate(whole["content"]):
            if block["type"] == "text":
                empty = {"type": "text", "text": ""}
                deltas = [{"type": "text_delta", "text": piece} for piece in pieces(block["text"])]
            elif block["type"] == "thinking":
                empty = {"type": "thinking", "thinking": "", "signature": ""}
                deltas = [{"type": "thinking_delta", "thinking": block["thinking"]},
                          {"type": "signature_delta", "signature": block["signature"]}]
            else:
                empty = block | {"input": {}}
                given = json.dumps(block["input"])
                deltas = [{"type": "input_json_delta", "partial_json": given}]
            yield tell("content_block_start", index=at, content_block=empty)
            for delta in deltas:
                yield tell("content_block_delta", index=at, delta=delta)
            yield tell("content_block_stop", index=at)
        ending = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
        yield tell("message_delta", delta=ending, usage={"output_tokens": tokens(reply.text)})
        yield tell("message_stop")

    def error(self, status: int) -> dict:
        kind, _, _, message = STATUS_WORDS[status]
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_canned"}


class Gemini:
    """Google's generateContent. The model and the stream are named by the path."""

    def read(self, body: dict) -> Request:
        turns = [("system", plain((body.get("systemInstruction") or {}).get("parts")))]
        for content in body.get("contents") or []:
            for part in content.get("parts") or []:
                if "functionResponse" in part:
                    response = part["functionResponse"].get("response")
                    turns.append(("tool", plain(response) or json.dumps(response)))
                else:
                    turns.append((content.get("role", "user"), plain(part)))
        declared = [tool for group in body.get("tools") or [] for tool in group.get("functionDeclarations") or []]
        wanted = body.get("generationConfig") or {}
        schema = None
        if wanted.get("responseMimeType") == "application/json":
            schema = wanted.get("responseJsonSchema") or wanted.get("responseSchema") or {}
        return Request(
            turns=turns,
            tools=[Tool(t.get("name", ""),
                        (t.get("parametersJsonSchema") or t.get("parameters") or {}).get("properties") or {})
                   for t in declared],
            schema=schema,
        )

    def part(self, request: Request, reply: Reply, parts: list[dict], finish: str | None) -> dict:
        candidate = {"content": {"role": "model", "parts": parts}, "index": 0}
        if finish:
            candidate["finishReason"] = finish
        asked, said = prompt_tokens(request), tokens(reply.text)
        usage = {"promptTokenCount": asked, "candidatesTokenCount": said, "totalTokenCount": asked + said}
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": request.model,
                "responseId": "canned"}

    def before(self, reply: Reply) -> list[dict]:
        parts = [{"text": reply.thoughts, "thought": True}] if reply.thoughts else []
        if reply.call:
            tool, arguments = reply.call
            parts.append({"functionCall": {"name": tool, "args": arguments}})
        return parts

    def finish(self, reply: Reply) -> str:
        return {"stop": "STOP", "length": "MAX_TOKENS", "refused": "SAFETY"}[reply.finish]

    def whole(self, request: Request, reply: Reply) -> dict:
        text = [{"text": reply.text}] if reply.text else []
        return self.part(request, reply, self.before(reply) + text, self.finish(reply))

    def stream(self, request: Request, reply: Reply) -> Iterator[str]:
        before = self.before(reply)
        if before:
            yield event(self.part(request, reply, before, None))
        for piece in pieces(reply.text):
            yield event(self.part(request, reply, [{"text": piece}], None))
        yield event(self.part(request, reply, [] if reply.call else [{"text": ""}], self.finish(reply)))

    def error(self, status: int) -> dict:
        _, word, _, message = STATUS_WORDS[status]
        return {"error": {"code": status, "message": message, "status": word}}


FORMATS = {"chat": Chat(), "responses": Responses(), "messages": Messages(), "gemini": Gemini()}
