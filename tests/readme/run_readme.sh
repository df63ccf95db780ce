#!/bin/bash
# Runs the first block of shell commands of the README in a folder that has build/release, as a user would.
#   run_readme.sh README BUILD WORK
set -euo pipefail
readme=$1 build=$2 work=$3
rm -rf "$work" && mkdir -p "$work/build"
ln -s "$build" "$work/build/release"
cd "$work"
awk '/^## Ten lines/ {section = 1} section && /^```/ {if (inside) exit; inside = 1; next} inside' "$readme" >commands.sh
[[ -s commands.sh ]] || { echo "the README has no block of commands below 'Ten lines'" >&2; exit 1; }
bash -euo pipefail commands.sh
[[ -s build/car.h5 && -s build/car.svg && -s build/ball.csv ]] || { echo "the commands did not write car.h5, car.svg and ball.csv" >&2; exit 1; }
