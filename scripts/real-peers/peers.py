"""The seven programs: where they come from, and how each is pointed at a server on loopback.

A program's own settings decide where it sends a plan. Each `point` writes those settings into a
home folder that was made for one run and returns the variables that go with them. The keys are
words that nobody would take for a secret.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

NODE = ("node", "24.21.0")
MODEL = "canned-reviewer"
NO_KEY = "not-a-key"


@dataclass(frozen=True)
class Peer:
    """A program of a vendor and the lane of gsd that runs it."""

    name: str
    package: str
    version: str
    lane: str
    # Writes settings into a home folder for the base address of a server.
    point: Callable[[Path, str], dict[str, str]]


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def codex(home: Path, base: str) -> dict[str, str]:
    # One retry, as a user would set it who does not want to wait; the others keep their defaults.
    write(
        home / ".codex/config.toml",
        f'model = "{MODEL}"\n'
        'model_provider = "canned"\n\n'
        "[model_providers.canned]\n"
        'name = "canned"\n'
        f'base_url = "{base}/v1"\n'
        'wire_api = "responses"\n'
        'env_key = "OPENAI_API_KEY"\n'
        "request_max_retries = 1\n"
        "stream_max_retries = 1\n"
        "stream_idle_timeout_ms = 20000\n",
    )
    return {"OPENAI_API_KEY": NO_KEY}


def claude(_home: Path, base: str) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": base,
        "ANTHROPIC_API_KEY": NO_KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }


def gemini(home: Path, base: str) -> dict[str, str]:
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {"enableAutoUpdate": False},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
    }
    write(home / ".gemini/settings.json", json.dumps(settings))
    return {"GEMINI_API_KEY": NO_KEY, "GOOGLE_GEMINI_BASE_URL": base}


def qwen(_home: Path, base: str) -> dict[str, str]:
    return {"OPENAI_API_KEY": NO_KEY, "OPENAI_BASE_URL": f"{base}/v1", "OPENAI_MODEL": MODEL}


def opencode(home: Path, base: str) -> dict[str, str]:
    settings = {
        "autoupdate": False,
        "share": "disabled",
        "model": f"canned/{MODEL}",
        "small_model": f"canned/{MODEL}",
        "enabled_providers": ["canned"],
        "provider": {
            "canned": {
                "npm": "@ai-sdk/openai-compatible",
                "name": "canned",
                "options": {"baseURL": f"{base}/v1", "apiKey": NO_KEY},
                "models": {MODEL: {"name": MODEL, "limit": {"context": 131072, "output": 8192}}},
            }
        },
    }
    write(home / ".config/opencode/opencode.json", json.dumps(settings))
    return {"OPENCODE_DISABLE_MODELS_FETCH": "1"}


def kimi(home: Path, base: str) -> dict[str, str]:
    write(
        home / ".kimi-code/config.toml",
        'default_model = "canned"\n\n'
        "[providers.canned]\n"
        'type = "openai"\n'
        f'base_url = "{base}/v1"\n'
        f'api_key = "{NO_KEY}"\n\n'
        "[models.canned]\n"
        'provider = "canned"\n'
        f'model = "{MODEL}"\n'
        "max_context_size = 131072\n",
    )
    return {"KIMI_CODE_HOME": str(home / ".kimi-code")}


def copilot(_home: Path, base: str) -> dict[str, str]:
    return {
        "COPILOT_PROVIDER_BASE_URL": f"{base}/v1",
        "COPILOT_PROVIDER_API_KEY": NO_KEY,
        "COPILOT_MODEL": MODEL,
        "COPILOT_OFFLINE": "true",
    }


PEERS = (
    Peer("codex", "@openai/codex", "0.171.0", "codex", codex),
    Peer("claude", "@anthropic-ai/claude-code", "2.1.332", "claude", claude),
    Peer("gemini", "@google/gemini-cli", "0.61.0", "gemini", gemini),
    Peer("qwen", "@qwen-code/qwen-code", "0.24.4", "qwen", qwen),
    Peer("opencode", "opencode-ai", "1.18.33", "opencode", opencode),
    Peer("kimi", "@moonshot-ai/kimi-code", "2.1.0", "kimi-code", kimi),
    Peer("copilot", "@github/copilot", "1.0.102", "copilot", copilot),
)
