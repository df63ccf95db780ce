#!/usr/bin/python3
"""Runs the ten lines of README.md, and those after them, unchanged, to check that they work.

usage: run_readme.py BUILD_FOLDER

The lines run in an empty folder in which build/release is BUILD_FOLDER. Fails if a line fails, or if a file named
after --output-file is missing or empty.
"""

import pathlib
import re
import subprocess
import sys
import tempfile


def ten_lines(readme):
    section = re.search(r"^## Ten lines\n(.*?)^## ", readme, re.DOTALL | re.MULTILINE)
    blocks = re.findall(r"^```sh\n(.*?)^```", section.group(1), re.DOTALL | re.MULTILINE) if section else []
    if not blocks:
        raise SystemExit("README.md: the section 'Ten lines' has no block of shell lines; restore it")
    return "".join(blocks)


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    lines = ten_lines((pathlib.Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8"))
    written = re.findall(r"--output-file (\S+)", lines)
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "build").mkdir()
        (root / "build" / "release").symlink_to(pathlib.Path(arguments[0]).resolve())
        status = subprocess.run(["bash", "-euxc", lines], cwd=root, check=False).returncode
        missing = [name for name in written if not (root / name).is_file() or (root / name).stat().st_size == 0]
    if status != 0:
        print(f"README.md: the last line shown above ended with status {status}; correct it", file=sys.stderr)
    elif missing or not written:
        print(f"README.md: the ten lines ran, but did not write {', '.join(missing) or 'anything'}", file=sys.stderr)
    return 1 if status != 0 or missing or not written else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
