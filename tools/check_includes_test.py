#!/usr/bin/python3
"""Tests check_includes.py with small source trees that violate its rules."""

import pathlib
import tempfile
import unittest

import check_includes

TABLE = """
| folder | what | may include | libraries |
|---|---|---|---|
| `consort` | public headers | – | |
| `base` | ground | – | fmt |
| `fmi` | calls | base | |
| `glue` | export | fmi/headers | |
| *`graph`* | reserved | base | |
| `engine` | the loop | everything above | |

| folder | something else |
|---|---|
| `models/` | not in src |
"""

TREE = {
    "docs/architecture.md": TABLE,
    "include/consort/consort.hpp": "#include <vector>\n",
    "src/base/CMakeLists.txt": "consort_add_folder(base SOURCES a.cpp LIBRARIES fmt::fmt)",
    "src/base/a.hpp": "#include <sys/types.h>\n#include <fmt/core.h>\n",
    "src/fmi/CMakeLists.txt": "consort_add_folder(fmi SOURCES a.cpp LINKS base TESTS t.cpp TEST_LINKS engine)",
    "src/fmi/a.cpp": '#include "fmi/a.hpp"\n#include "base/a.hpp"\n',
    "src/fmi/tests/t.cpp": '#include "engine/a.hpp"\n',
    "src/glue/a.cpp": '#include "fmi/headers/c.h"\n',
    "src/engine/CMakeLists.txt": "consort_add_folder(engine SOURCES a.cpp LINKS fmi)",
    "src/engine/a.hpp": '#include "base/a.hpp"\n#include <consort/consort.hpp>\n',
}


def findings(**changes):
    """Returns the findings in TREE with the given files replaced. Argument names are paths with '__' for '/'."""
    files = TREE | {name.replace("__", "/").replace("_dot_", "."): text for name, text in changes.items()}
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        return check_includes.Checker(root).check()


class CheckIncludes(unittest.TestCase):
    def one(self, text, **changes):
        found = findings(**changes)
        self.assertEqual(len(found), 1, found)
        self.assertIn(text, found[0])

    def test_accepts_a_tree_that_follows_its_table(self):
        self.assertEqual(findings(), [])

    def test_refuses_an_include_upwards_and_names_file_and_line(self):
        self.one('src/base/b.hpp:2: base must not include "fmi/a.hpp"', src__base__b_dot_hpp='\n#include "fmi/a.hpp"')

    def test_refuses_an_include_upwards_in_angle_brackets(self):
        self.one("base must not include", src__base__b_dot_cpp="#  include <engine/a.hpp>")

    def test_refuses_a_library_folder_that_uses_the_public_headers_without_a_row(self):
        self.one("base must not include", src__base__b_dot_cpp="#include <consort/consort.hpp>")

    def test_refuses_a_public_header_that_includes_a_private_one(self):
        self.one("consort must not include", include__consort__b_dot_hpp='#include "base/a.hpp"')

    def test_allows_only_the_named_part_of_a_folder(self):
        self.one("glue must not include", src__glue__b_dot_cpp='#include "fmi/a.hpp"')

    def test_refuses_links_that_the_row_does_not_allow(self):
        self.one("base links fmi", src__base__CMakeLists_dot_txt="consort_add_folder(base SOURCES a.cpp LINKS fmi)")

    def test_refuses_links_written_with_plain_cmake(self):
        self.one("base links engine",
                 src__base__CMakeLists_dot_txt="target_link_libraries(consort_base PUBLIC consort::engine)")

    def test_refuses_an_include_that_is_not_linked(self):
        self.one("fmi does not link base",
                 src__fmi__CMakeLists_dot_txt="consort_add_folder(fmi SOURCES a.cpp # LINKS base\n TEST_LINKS engine)",
                 src__engine__CMakeLists_dot_txt="consort_add_folder(engine SOURCES a.cpp LINKS fmi base)")

    def test_refuses_in_a_test_what_is_neither_in_the_row_nor_in_test_links(self):
        self.one('src/base/tests/t.cpp:1: base must not include "fmi/a.hpp"',
                 src__base__tests__t_dot_cpp='#include "fmi/a.hpp"')

    def test_refuses_a_quoted_include_that_is_not_by_folder(self):
        self.one("include by folder", src__fmi__b_dot_cpp='#include "v2/a.hpp"')

    def test_refuses_a_folder_without_a_row(self):
        self.one("src/extra has no row", src__extra__a_dot_hpp="")

    def test_refuses_a_folder_whose_row_is_still_reserved(self):
        self.one("take its row out of italics", src__graph__a_dot_hpp="")

    def test_refuses_a_row_without_a_folder(self):
        self.one("src/record does not exist",
                 docs__architecture_dot_md=TABLE.replace("| *`graph`*", "| `record` | results | base | |\n| *`graph`*"))

    def test_refuses_a_table_that_points_downwards(self):
        with self.assertRaisesRegex(ValueError, "does not stand above it"):
            check_includes.read_table(TABLE.replace("| – | fmt |", "| engine | fmt |"))

    def test_refuses_a_page_without_the_table(self):
        with self.assertRaisesRegex(ValueError, "restore the table"):
            check_includes.read_table("# Architecture\n")


if __name__ == "__main__":
    unittest.main()
