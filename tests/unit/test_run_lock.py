"""One process trains a run; looking whether one does must not keep another from starting."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest

from mxspec.rundir import BusyError, RunLock
from mxspec.rundir import lock as lock_module
from mxspec.rundir.lock import is_locked


def test_one_at_a_time(tmp_path: Path) -> None:
    with RunLock(tmp_path):
        assert is_locked(tmp_path)
        with pytest.raises(BusyError), RunLock(tmp_path):
            pass
    assert not is_locked(tmp_path)
    with RunLock(tmp_path):
        pass


def test_a_glance_in_the_wrong_moment_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lock").touch()
    glance = (tmp_path / "lock").open()
    fcntl.flock(glance, fcntl.LOCK_SH)
    monkeypatch.setattr(lock_module, "sleep", lambda seconds: glance.close())
    with RunLock(tmp_path):
        assert is_locked(tmp_path)
