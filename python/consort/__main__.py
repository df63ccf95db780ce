"""`python3 -m consort run SYSTEM`: runs systems whose units are classes in Python, which the program `consort` cannot."""

import argparse
import sys

from . import Error, load_system


def seconds(text):
    """A number, or a text with a unit."""
    try:
        return float(text)
    except ValueError:
        return text


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m consort", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="runs a system file and prints the report")
    run.add_argument("system", help="a system file")
    run.add_argument("--start-time", type=seconds, help='in seconds, or with a unit: "500 ms"')
    run.add_argument("--stop-time", type=seconds)
    run.add_argument("--step-size", type=seconds)
    run.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help="a start value")
    run.add_argument("--output-file", help="the rows are written there")
    run.add_argument("--quiet", action="store_true", help="prints no report")
    options = parser.parse_args()
    values = {}
    for text in options.set:
        path, sign, value = text.partition("=")
        if not sign:
            parser.error(f"--set takes PATH=VALUE, not '{text}'")
        values[path] = value
    try:
        result = load_system(options.system).run(options.start_time, options.stop_time, options.step_size, set=values,
                                                 output_file=options.output_file)
    except Error as error:
        print(f"consort: {error}", file=sys.stderr)
        return 2 if isinstance(error, ValueError) else 1
    if not options.quiet:
        print(result.report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
