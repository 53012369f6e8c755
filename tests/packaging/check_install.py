"""Build a wheel from the tree and one from the sdist, and import each from elsewhere.

Each goes into a clean virtual environment that sees the dependencies of this one
through a path file, so nothing is fetched twice.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

PROBE = """
import gymnasium as gym, gym_desks, gym_desks.wrappers, gym_desks.cli
from gym_desks.reference import remake
assert not gym_desks.__file__.startswith({root!r}), gym_desks.__file__
env = gym_desks.wrappers.StepLimit(gym.make("Desks/deshuffle-v1"), 3)
for env_id in gym_desks.registered_ids():
    assert remake(env_id, seed=0).task.brief
print("imports", gym_desks.__version__, "from", gym_desks.__file__.split("/")[-3])
"""


def main() -> None:
    link = ROOT / "gym_desks" / "wrappers"
    assert link.is_symlink(), "gym_desks/wrappers must be a link to ../wrappers"
    for how in (["--wheel"], []):
        check(how)


def check(how: list[str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run([sys.executable, "-m", "build", *how, "--outdir", name, str(ROOT)], cwd=folder)
        (wheel,) = folder.glob("*.whl")
        check_contents(wheel)
        python = clean_environment(folder / "env")
        run([python, "-m", "pip", "install", "--quiet", "--no-deps", str(wheel)], cwd=folder)
        run([python, "-c", PROBE.format(root=str(ROOT))], cwd=folder)


def check_contents(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for part in ("gym_desks/wrappers/__init__.py", "gym_desks/py.typed"):
        assert part in names, f"the wheel lacks {part}"
    papers = [n for n in names if n.startswith("gym_desks/desks/deshuffle/papers/")]
    assert len(papers) >= 24, f"the wheel has {len(papers)} papers"
    strangers = [
        n for n in names if n.split("/")[0] not in ("gym_desks",) and ".dist-info" not in n
    ]
    assert not strangers, f"the wheel has files outside the package: {strangers[:5]}"


def clean_environment(folder: Path) -> str:
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    site = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    # The editable install's own path file lies there too, and is not followed from here.
    Path(site, "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return str(python)


def run(command: list[str], cwd: Path) -> None:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}\n{done.stderr}")
    if done.stdout.startswith("imports"):
        print(done.stdout.strip(), flush=True)


if __name__ == "__main__":
    main()
