#!/usr/bin/python3
"""Checks that includes go down the dependency table of docs/architecture.md.

Fails for an #include in src/ or include/consort/ that the folder's row does not allow, for LINKS in a folder's
CMakeLists.txt that the row does not allow, for a folder that is included but not linked, and for rows and folders
that do not match. Prints one line per finding, as a compiler would.
"""

import pathlib
import re
import sys

SOURCES = {".c", ".h", ".cpp", ".hpp"}
KEYWORDS = {"SOURCES", "LINKS", "LIBRARIES", "TESTS", "TEST_LINKS", "TEST_DEPENDS"}
PUBLIC = "consort"  # the row of include/consort/
TABLE = "docs/architecture.md"


class Row:
    def __init__(self, allowed, reserved, line):
        self.allowed = allowed  # folders, or paths below one: "fmi/headers"
        self.reserved = reserved
        self.line = line

    def allows(self, path):
        return any(path == entry or path.startswith(entry + "/") for entry in self.allowed)


def read_table(text):
    """Returns the rows of the table whose third column is 'may include', by folder, in order."""
    rows = {}
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if len(cells) < 3:
            inside = False
        elif cells[2] == "may include":
            inside = True
        elif inside and set(cells[0]) - set("-: "):
            name = cells[0].strip("*`")
            if cells[2] == "everything above":
                allowed = list(rows)
            else:
                allowed = [entry.strip(" `*") for entry in cells[2].split(",") if entry.strip(" –-")]
            if name in rows:
                raise ValueError(f"{TABLE}:{number}: a second row for '{name}'; remove one of them")
            unknown = [entry for entry in allowed if entry.split("/")[0] not in rows]
            if unknown:
                raise ValueError(f"{TABLE}:{number}: the row of '{name}' names {', '.join(unknown)}, which does not "
                                 "stand above it; rows stand in the order of dependency")
            rows[name] = Row(allowed, cells[0].startswith("*"), number)
    if not rows:
        raise ValueError(f"{TABLE}: no table has a column 'may include'; restore the table of folders")
    return rows


def includes(file):
    """Yields (line, path, quoted) for every #include whose path has a folder."""
    for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*(["<])([^">]+/[^">]+)[">]', line)
        if match:
            yield number, match.group(2), match.group(1) == '"'


def read_links(file):
    """Returns (folders the target links, folders only its tests link) from a CMakeLists.txt; None without a target."""
    text = re.sub(r"#[^\n]*", "", file.read_text(encoding="utf-8")) if file.exists() else ""
    links, test_links, found = set(), set(), False
    for command, arguments in re.findall(r"(\w+)\s*\(([^()]*)\)", text):
        words = arguments.split()
        if command == "consort_add_folder":
            found = True
            section = None
            for word in words[1:]:
                if word in KEYWORDS:
                    section = word
                elif section == "LINKS":
                    links.add(word)
                elif section == "TEST_LINKS":
                    test_links.add(word)
        elif command in ("target_link_libraries", "consort_add_tests") and words:
            of_tests = command == "consort_add_tests" or words[0].endswith("_tests")
            found = found or not of_tests
            (test_links if of_tests else links).update(w.split("::")[1] for w in words[1:] if w.startswith("consort::"))
    return (links, test_links) if found else None


def closure(folder, links):
    reached, todo = set(), [folder]
    while todo:
        current = todo.pop()
        if current not in reached:
            reached.add(current)
            todo.extend(links[current][0] if links.get(current) else [])
    return reached


class Checker:
    def __init__(self, root):
        self.root = root
        self.findings = []
        self.rows = read_table((root / TABLE).read_text(encoding="utf-8"))
        self.folders = sorted(f.name for f in (root / "src").iterdir() if any(f.rglob("*.*")))
        self.links = {f: read_links(root / "src" / f / "CMakeLists.txt") for f in self.folders}

    def find(self, file, line, text):
        self.findings.append(f"{file.relative_to(self.root)}:{line}: {text}")

    def check(self):
        self.check_rows()
        for folder in self.folders:
            if folder in self.rows:
                self.check_links(folder)
                self.check_files(folder, self.root / "src" / folder)
        if (self.root / "include" / PUBLIC).exists() and PUBLIC in self.rows:
            self.check_files(PUBLIC, self.root / "include" / PUBLIC)
        return self.findings

    def check_rows(self):
        table = self.root / TABLE
        for folder in self.folders:
            if folder not in self.rows:
                self.find(table, 1, f"src/{folder} has no row in the table of folders; add one in its place")
        for name, row in self.rows.items():
            if row.reserved and name in self.folders:
                self.find(table, row.line, f"src/{name} exists; take its row out of italics")
            if not row.reserved and name != PUBLIC and name not in self.folders:
                self.find(table, row.line, f"src/{name} does not exist; put its row in italics or remove it")

    def check_links(self, folder):
        for link in sorted(self.links[folder][0] if self.links[folder] else []):
            # The table does not cover targets that are not folders (the shared library, the warnings).
            if link in self.rows and link != PUBLIC and link != folder and not self.rows[folder].allows(link):
                self.find(self.root / "src" / folder / "CMakeLists.txt", 1,
                          f"{folder} links {link}, which its row in {TABLE} does not allow; "
                          "move the code, or change the row and write down why")

    def check_files(self, folder, path):
        links = self.links.get(folder)
        linked = closure(folder, self.links)
        for file in sorted(f for f in path.rglob("*") if f.suffix in SOURCES):
            is_test = "tests" in file.relative_to(path).parts
            extra = closure_of_tests(links, self.links) if is_test and links else set()
            for line, include, quoted in includes(file):
                self.check_include(folder, (file, line), (include, quoted), (linked | extra, extra))

    def check_include(self, folder, place, what, reach):
        include, quoted = what
        linked, extra = reach
        target = include.split("/")[0]
        if target not in self.rows:
            # Tests may include the models that they run, and the table of models is made of them.
            may_have_models = "tests" in place[0].parts or place[0].name == "built_in.cpp"
            of_models = may_have_models and "models" in include.split("/")[:-1]
            if quoted and not of_models:
                self.find(*place, f'"{include}" does not begin with a folder of src/; include by folder')
            return
        if target == folder or target in extra:
            return
        if not self.rows[folder].allows(include):
            self.find(*place, f'{folder} must not include "{include}": its row in {TABLE} does not allow it; '
                              "move the code, or change the row and write down why")
        elif self.links.get(folder) and target not in linked and self.must_be_linked(folder, include):
            self.find(*place, f'"{include}" is included, but {folder} does not link {target}; add it to LINKS in '
                              f"src/{folder}/CMakeLists.txt")

    def must_be_linked(self, folder, include):
        """False for public headers and parts of a folder ("fmi/headers"), which contain only declarations."""
        target = include.split("/")[0]
        return target != PUBLIC and target in self.rows[folder].allowed


def closure_of_tests(links, all_links):
    return set().union(*(closure(folder, all_links) for folder in links[1])) if links[1] else set()


def main(arguments):
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).parent.parent).resolve()
    try:
        checker = Checker(root)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    findings = checker.check()
    for finding in findings:
        print(finding, file=sys.stderr)
    print(f"include direction: {len(findings)} finding(s) in {len(checker.folders)} folders")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
