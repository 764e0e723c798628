"""The mirror: offline without network or login, silent after an error, absent where it is off."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from threading import Event

import pytest
import wandb

from mxspec.compile.job import Job
from mxspec.spec.runtime import Runtime, Track, Wandb
from runners.launch.local import LocalLauncher
from tests.support.small_jobs import TARGET, Watched, small_job


def with_mirror(job: Job, wandb: Wandb) -> Job:
    runtime = Runtime(track=Track(wandb=wandb))
    return job.model_copy(update={"spec": job.spec.model_copy(update={"runtime": runtime})})


@pytest.fixture(autouse=True)
def no_login(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("WANDB_API_KEY", "WANDB_MODE", "WANDB_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NETRC", str(tmp_path / "no netrc"))


@pytest.mark.slow
def test_offline_mirrors_every_step(tmp_path: Path) -> None:
    job = with_mirror(small_job(tmp_path, "mirrored"), Wandb(mode="offline", project="tests"))
    [outcome] = LocalLauncher(run_job=TARGET).launch([job], Watched(), Event())
    assert outcome.state == "done"
    wandb.teardown()  # as at the end of a process: what wandb's own process still holds is written
    [written] = tmp_path.glob("wandb/offline-run-*/run-mirrored.wandb")
    content = written.read_bytes()
    assert b"accuracy" in content and b"stage_step" in content
    assert "mirror" not in (tmp_path / "mirrored" / "run.log").read_text().replace("arms mirrored", "")


@pytest.mark.slow
def test_online_without_a_key_says_so_once_and_training_goes_on(tmp_path: Path) -> None:
    job = with_mirror(small_job(tmp_path, "quiet"), Wandb(mode="online"))
    [outcome] = LocalLauncher(run_job=TARGET).launch([job], Watched(), Event())
    assert outcome.state == "done"
    log = (tmp_path / "quiet" / "run.log").read_text()
    assert log.count("the mirror stops here, training goes on") == 1


def test_off_by_default_and_not_imported(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from threading import Event\n"
        "from runners.launch.local import LocalLauncher\n"
        "from tests.support.small_jobs import TARGET, Watched, small_job\n"
        f"[end] = LocalLauncher(run_job=TARGET).launch([small_job(Path({str(tmp_path)!r}), 'a')], Watched(), Event())\n"
        "assert end.state == 'done' and 'wandb' not in sys.modules and 'torch' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=Path(__file__).parents[2], check=True)
