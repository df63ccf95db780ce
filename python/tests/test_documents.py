"""The code blocks of the documentation, run as they stand."""

import re
import shutil

import pytest

import consort

def blocks(text):
    return re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


@pytest.fixture
def folder(fmus, tmp_path, monkeypatch):
    """A folder with the files that the pages name."""
    for name in ("BouncingBall", "Feedthrough", "QuarterCarWheel", "QuarterCarChassis", "Bad"):
        shutil.copy(fmus / f"fmi3/{name}.fmu", tmp_path)
    release = tmp_path / "build/release"
    release.mkdir(parents=True)
    (release / "fmus").symlink_to(fmus)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_how_to_page_runs(source, folder):
    found = blocks((source / "docs/howto/use_from_python.md").read_text(encoding="utf-8"))
    assert len(found) >= 5
    names = {"__name__": "how_to"}
    for number, block in enumerate(found, 1):
        exec(compile(block, f"use_from_python.md, block {number}", "exec"), names)


def test_the_example_of_the_readme_runs(source, folder, capsys):
    found = blocks((source / "README.md").read_text(encoding="utf-8"))
    assert found
    for block in found:
        exec(compile(block, "README.md", "exec"), {})
    assert capsys.readouterr().out
