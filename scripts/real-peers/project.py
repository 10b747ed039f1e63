"""The project under review: two plans, the code that they speak of, and a git repository."""

import hashlib
import os
import subprocess
from pathlib import Path

FILES = {
    ".planning/PROJECT.md": "# Notes\n\nA small service that keeps notes. Word of this copy: {marker}\n",
    ".planning/ROADMAP.md": "# Roadmap\n\n### Phase 1: Store\n**Goal**: notes are kept and listed\n"
    "**Requirements**: N-01, N-02\n",
    ".planning/REQUIREMENTS.md": "# Requirements\n\n- [ ] **N-01**: a note can be removed\n"
    "- [ ] **N-02**: notes are listed\n",
    ".planning/STATE.md": "---\ncurrent_phase: 1\n---\n",
    "src/store.py": "def open_store():\n    return []\n\n\ndef drop_notes(store):\n    store.clear()\n",
}

PLAN = """---
phase: "01"
plan: "{number:02}"
type: execute
wave: {number}
depends_on: [{after}]
files_modified: [src/{file}]
autonomous: true
requirements: [N-{number:02}]
---

<objective>
Fulfil N-{number:02} with `{file}`. Word of this copy: {marker}
</objective>

<tasks>
<task type="auto">
<name>Write src/{file}</name>
<files>src/{file}</files>
<read_first>src/store.py</read_first>
<action>Create src/{file}; it calls `open_store`, then `drop_notes` of `src/store.py`.</action>
<verify><automated>python3 -m unittest</automated></verify>
<acceptance_criteria>
- `python3 -m unittest` exits with 0
</acceptance_criteria>
<done>src/{file} exists and its test passes</done>
</task>
</tasks>
"""


def make(root: Path, marker: str) -> None:
    texts = {path: text.format(marker=marker) for path, text in FILES.items()}
    for number, (file, after) in enumerate([("remove.py", ""), ("list.py", '"01-01"')], start=1):
        path = f".planning/phases/01-store/01-{number:02}-PLAN.md"
        texts[path] = PLAN.format(number=number, file=file, after=after, marker=marker)
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    who = ["-c", "user.name=nobody", "-c", "user.email=nobody@localhost"]
    for words in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "plans"]):
        subprocess.run(["git", *words], cwd=root, env=env, check=True, timeout=60)


def digest(root: Path) -> dict[str, str]:
    """Every file, link and folder with what it holds, the inside of `.git` included."""
    found = {}
    for folder, folders, files in os.walk(root):
        for name in [*folders, *files]:
            path = Path(folder, name)
            what = path.lstat()
            if path.is_symlink():
                held = os.readlink(path)
            elif path.is_file():
                held = hashlib.sha256(path.read_bytes()).hexdigest()
            else:
                held = "folder"
            found[str(path.relative_to(root))] = f"{what.st_mode:o} {held}"
    return found
