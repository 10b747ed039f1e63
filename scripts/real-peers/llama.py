"""A real llama.cpp server with a real, very small model, asked through the lane `llama_cpp`."""

import contextlib
import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Iterator

import install
import project

READY = 120
LIMIT = 300

# So small a model never comes to an end by itself. The grammar lets it say little, in the form of a
# review; what it says is worth nothing, and that is not what is looked at.
GRAMMAR = r'''
root    ::= "## 01-01-PLAN.md\n\n" part "\n## 01-02-PLAN.md\n\n" part
part    ::= "**Summary** " line "\n**Concerns**\n\n- **" level "** " line
level   ::= "HIGH" | "MEDIUM" | "LOW"
line    ::= [A-Z] [a-z]{1,10} (" " [a-z] [a-z]{0,10}){4,12} ".\n"
'''

# Runs in the Python of the environment that holds the server.
SERVE = """
import sys, time
import xllamacpp as llama
params = llama.CommonParams()
params.model.path = sys.argv[1]
params.hostnames, params.port = ["127.0.0.1"], int(sys.argv[2])
params.model_alias = {"smollm2-135m-instruct"}
params.n_ctx, params.n_parallel = 8192, 1
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
params.cpuparams.poll = params.cpuparams_batch.poll = 0
params.ui = False
kind = llama.common_grammar_type.COMMON_GRAMMAR_TYPE_USER
params.sampling.grammar = llama.CommonGrammar(kind, sys.argv[3])
server = llama.Server(params)
print("ready", flush=True)
sys.stdin.read()
"""


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


@contextlib.contextmanager
def serving(root: Path, log: Path) -> Iterator[str]:
    """The address of a server that is there as long as the block; it ends with its stdin."""
    model = install.llama_model(root)
    if model is None:
        sys.exit("error: the model is not there; run `scripts/real-peers/run install`")
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    words = [install.llama_python(root), "-c", SERVE, str(model), str(port), GRAMMAR]
    with log.open("wb") as out:
        server = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=out, stderr=out)
    try:
        until = time.monotonic() + READY
        while not answers(f"{base}/v1/models"):
            if time.monotonic() > until or server.poll() is not None:
                sys.exit(f"error: the llama.cpp server did not start; see {log}")
            time.sleep(0.2)
        yield base
    finally:
        server.stdin.close()
        try:
            server.wait(5)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return answer.status == 200
    except OSError:
        return False


def run(root: Path, gsd: Path, folder: Path) -> int:
    """One review of the project by the model."""
    place, home = folder / "project", folder / "home"
    (folder / "tmp").mkdir(parents=True)
    home.mkdir()
    project.make(place, f"word{secrets.token_hex(8)}")
    before = project.digest(place)
    record = folder / "record.json"
    with serving(root, folder / "server.log") as base:
        (home / ".gsd").mkdir()
        (home / ".gsd/defaults.json").write_text(json.dumps({"review": {"llama_cpp_host": base}}))
        began = time.monotonic()
        ended = subprocess.run(
            [str(gsd), "-C", str(place), "review", "--phase", "1", "--llama-cpp", "--no-write",
             "--lane-timeout", f"llama_cpp={LIMIT}s", "--json-out", str(record)],
            env={"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(folder / "tmp")},
            stdin=subprocess.DEVNULL, timeout=LIMIT + 60,
        )
        took = time.monotonic() - began
    lane = next(lane for lane in json.loads(record.read_text())["lanes"] if lane["slug"] == "llama_cpp")
    print(f"llama_cpp: {lane['state']} {lane['reason'] or '-'}, {took:.1f} s, exit {ended.returncode}, "
          f"model {lane.get('model_served')}")
    print(lane.get("message") or "")
    changed = project.digest(place) != before
    if changed:
        print("the project was changed")
    return 0 if lane["state"] == "reviewed" and not changed else 1
