"""Every program under every fault, compared with what is expected of it."""

import ctypes
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Iterable

import cell
from canned import FAULTS
from peers import PEERS

EXPECTED = Path(__file__).with_name("expected.tsv")
PR_SET_CHILD_SUBREAPER = 36


def expected() -> dict[tuple[str, str], list[str]]:
    rows = {}
    for line in EXPECTED.read_text().splitlines():
        if line.startswith("#"):
            continue
        fault, peer, outcome, other, _ = line.split("\t")
        rows[fault, peer] = [word for word in (outcome, other) if word != "-"]
    missing = {(fault, peer.name) for fault in FAULTS for peer in PEERS} - rows.keys()
    assert not missing, f"{EXPECTED.name} has no row for {sorted(missing)}"
    return rows


def adopt_orphans() -> None:
    """A process that loses its parent becomes a child of this program, so that none is overlooked."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def orphans(known: Iterable[int] = ()) -> list[str]:
    """The children of this program that it did not start itself, ended ones set aside."""
    found, own = [], str(os.getpid())
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) in known:
            continue
        try:
            state, parent = (entry / "stat").read_text().rsplit(")", 1)[1].split()[:2]
            words = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if parent == own and state != "Z":
            found.append(words.replace(b"\0", b" ").decode(errors="replace")[:120])
    return found


def run(world: cell.World, cells: list[tuple[str, str]], jobs: int) -> list[cell.Outcome]:
    adopt_orphans()
    wanted, peers = expected(), {peer.name: peer for peer in PEERS}
    began = time.monotonic()

    def one(place: tuple[str, str]) -> cell.Outcome:
        fault, peer = place
        outcome = cell.run(world, peers[peer], fault)
        right = wanted.get((fault, peer), ["reviewed -"])
        mark = "ok" if outcome.verdict in right and not outcome.defects else "DIFFERS"
        line = f"{mark:8} {fault:9} {peer:9} {outcome.verdict:26} {outcome.seconds:5.1f} s"
        if outcome.verdict not in right:
            line += f"  expected {' or '.join(right)}: {outcome.message}"
        print(line, *(f"\n         {defect}" for defect in outcome.defects), flush=True)
        return outcome

    with ThreadPoolExecutor(jobs) as pool:
        outcomes = list(pool.map(one, cells))
    # Starting such a program takes seconds, and on a busy machine all of a lane's limit. What is not
    # as expected is run once more with nothing beside it, and then that counts.
    for at, outcome in enumerate(outcomes):
        if outcome.verdict not in wanted.get((outcome.fault, outcome.peer), ["reviewed -"]):
            outcomes[at] = one((outcome.fault, outcome.peer))
            outcomes[at].again = True
            outcomes[at].defects += outcome.defects
    took = time.monotonic() - began
    differ = [o for o in outcomes if o.verdict not in wanted.get((o.fault, o.peer), ["reviewed -"])]
    broken = [o for o in outcomes if o.defects]
    strays, lost = world.server.strays(), orphans()
    again = sum(outcome.again for outcome in outcomes)
    print(f"\n{len(outcomes)} runs in {took / 60:.1f} min, {again} of them twice: {len(differ)} not as expected, {len(broken)} with a defect")
    print(f"requests {len(world.server.log)}, with a project's text at a foreign address: {len(strays)}")
    print(f"processes left without a parent: {len(lost)}", *lost)
    outcomes[0].defects += [f"foreign request {path}" for path in strays] + [f"orphan {who}" for who in lost]
    return outcomes


def table(outcomes: list[cell.Outcome]) -> str:
    """The outcomes as a table in Markdown."""
    names = [peer.name for peer in PEERS if any(o.peer == peer.name for o in outcomes)]
    found = {(o.fault, o.peer): o for o in outcomes}

    def show(outcome: cell.Outcome | None) -> str:
        if outcome is None:
            return ""
        reason = "" if outcome.reason == "-" else f" ({outcome.reason})"
        return f"{outcome.state}{reason}, {outcome.seconds:.0f} s"

    lines = ["| fault | " + " | ".join(names) + " |", "| --- |" + " --- |" * len(names)]
    for fault in dict.fromkeys(o.fault for o in outcomes):
        cells = [show(found.get((fault, name))) for name in names]
        lines.append(f"| {fault} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
