"""One `gsd review` by one program: run, watched, and what came of it."""

import json
import os
import secrets
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

import install
import project
from peers import Peer
from server import Cell, Server

# Beyond the lane's own limit: the probe, the time in which a program may end by itself, the report.
SLACK = 20
# How long a process may take to disappear once gsd has ended.
LEAVE = 3


@dataclass
class Outcome:
    peer: str
    fault: str
    state: str = "none"
    reason: str = "-"
    seconds: float = 0.0
    exit: int | None = None
    output: int = 0
    message: str = ""
    requests: int = 0
    # The second run of a cell whose first one was not as expected.
    again: bool = False
    # Sentences, each of which is a defect whatever the state is.
    defects: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        return f"{self.state} {self.reason}"


@dataclass
class World:
    """What all cells share."""

    root: Path
    gsd: Path
    folder: Path
    server: Server
    limit: int


def run(world: World, peer: Peer, fault: str) -> Outcome:
    outcome = Outcome(peer.name, fault)
    folder = world.folder / f"{fault}-{peer.name}"
    if folder.exists():
        folder = folder.with_name(f"{folder.name}-again")
    home, root = folder / "home", folder / "project"
    for path in (home, root, folder / "tmp"):
        path.mkdir(parents=True)
    marker = f"word{secrets.token_hex(8)}"
    project.make(root, marker)
    cell = Cell(folder.name, None if fault == "none" else fault, str(root), marker)
    variables = peer.point(home, world.server.add(cell))
    before = project.digest(root)
    record = folder / "record.json"
    words = [
        str(world.gsd), "-C", str(root), "review", "--phase", "1", "--lanes", peer.lane,
        "--lane-timeout", f"{peer.lane}={world.limit}s", "--no-write", "--json-out", str(record),
        "--format", "json",
    ]
    env = variables | {
        "PATH": install.search_path(world.root),
        "HOME": str(home),
        "TMPDIR": str(folder / "tmp"),
        "LANG": "C.UTF-8",
    }
    began = time.monotonic()
    with (folder / "stdout").open("wb") as out, (folder / "stderr").open("wb") as err:
        child = subprocess.Popen(
            words, env=env, cwd=root, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
            start_new_session=True,
        )
        try:
            outcome.exit = child.wait(world.limit + SLACK)
        except subprocess.TimeoutExpired:
            outcome.defects.append(f"gsd was still running {SLACK} s after the lane's limit")
            child.send_signal(signal.SIGTERM)
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
    outcome.seconds = time.monotonic() - began
    left = left_over(folder)
    if left:
        outcome.defects.append(f"left running: {'; '.join(left.values())}")
        for pid in left:
            end(pid)
    after = project.digest(root)
    changed = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    if changed:
        outcome.defects.append(f"changed in the project: {', '.join(changed)}")
    read_record(outcome, record, peer)
    outcome.requests = len(world.server.requests(cell.name))
    if outcome.state == "reviewed" and not any(r["has_text"] for r in world.server.requests(cell.name)):
        outcome.defects.append("a review, although no request carried the plans")
    if not outcome.defects:
        # A home holds up to 235 MB, which one program unpacks into it.
        shutil.rmtree(home, ignore_errors=True)
    return outcome


def read_record(outcome: Outcome, record: Path, peer: Peer) -> None:
    try:
        lanes = json.loads(record.read_text())["lanes"]
    except (OSError, ValueError, KeyError) as error:
        outcome.defects.append(f"no record: {error!r}")
        return
    lane = next(lane for lane in lanes if lane["slug"] == peer.lane)
    outcome.state = lane["state"]
    outcome.reason = lane.get("reason") or "-"
    outcome.message = lane.get("message") or ""
    outcome.output = (lane.get("sizes") or {}).get("output", 0)
    if lane.get("mutated_worktree"):
        outcome.defects.append("the record says that the lane changed the project")


def left_over(folder: Path) -> dict[int, str]:
    """Processes of this cell that are still there: its folder is in their environment, their
    arguments or their working directory, and each process that has lost its parent is ours."""
    needle = f"{folder}/".encode()
    until = time.monotonic() + LEAVE
    while True:
        found = {}
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                words = (entry / "cmdline").read_bytes()
                place = os.readlink(entry / "cwd").encode() + b"/"
                if needle in (entry / "environ").read_bytes() + words + place:
                    found[int(entry.name)] = words.replace(b"\0", b" ").decode(errors="replace")[:120]
            except OSError:
                continue
        if not found or time.monotonic() > until:
            return found
        time.sleep(0.1)


def end(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
