#!/usr/bin/python3 -I
# SPDX-License-Identifier: Apache-2.0
"""Which sources cmake/batches.py compiles together: only those that mean the same together as alone."""

import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "cmake"))
sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
import batches


def private(text):
    return "namespace ba {\nnamespace {\n\n" + text + "\n\n}  // namespace\n}  // namespace ba\n"


class BatchesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name

    def source(self, text, name="a.cpp"):
        path = os.path.join(self.root, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return batches.Source(batches.Headers(self.root), path)

    def together(self, one, other):
        return self.source(one, "a.cpp").bears(self.source(other, "b.cpp"))

    def header(self, name, text):
        with open(os.path.join(self.root, name), "w", encoding="utf-8") as file:
            file.write("#pragma once\n" + text)

    def test_private_names(self):
        for text, name in (
            ("constexpr std::size_t kShownBytes = 200;", "kShownBytes"),
            ("constexpr std::array<std::string_view, 2> kNames{\"a\", \"b\"};", "kNames"),
            ("std::function<void(int)> kept;", "kept"),
            ("const char kLetters[] = \"abc\";", "kLetters"),
            ("Result<std::map<int, int>> read_all(std::istream& in, int max) {\n  return f(in);\n}", "read_all"),
            ("std::optional<std::string> of_two_lines(const std::string& first,\n"
             "                                        int second) {\n}", "of_two_lines"),
            ("template <typename T, std::size_t N>\nbool among(const std::array<T, N>& list) {\n}", "among"),
            ("class Writer final : public Base {\n public:\n  int inner();\n};", "Writer"),
            ("struct Place {\n  int index = 0;\n};", "Place"),
            ("enum class Kind { A, B };", "Kind"),
            ("[[nodiscard]] bool is_port(std::string_view text) {\n}", "is_port"),
        ):
            self.assertEqual(self.source(private(text)).names, {name}, text)

    def test_static_names_are_private_too(self):
        self.assertEqual(self.source("static int count(int a) {\n}\n").names, {"count"})

    def test_a_private_name_in_another_file_keeps_both_apart(self):
        quoted = private("std::string quoted(std::string_view text) {\n  return {};\n}")
        self.assertFalse(self.together(quoted, quoted))
        self.assertFalse(self.together(quoted, "auto a = quoted(name);\n"))
        self.assertFalse(self.together("auto a = quoted(name);\n", quoted))
        self.assertTrue(self.together(quoted, "// quoted\nauto a = \"quoted\"; /* quoted */\n"))

    def test_a_member_of_that_name_is_no_private_name(self):
        found = private("int found(int text) {\n  return text;\n}")
        for text in ("auto a = list.found();\n", "auto a = list->found();\n", "auto a = std::found(list);\n",
                     "int List::found() {\n}\n"):
            self.assertTrue(self.together(found, text), text)
        for text in ("auto a = found(1);\n", "auto a = ba::found(1);\n", "auto a = {rows...found};\n",
                     "auto f() -> found {\n}\n"):
            self.assertFalse(self.together(found, text), text)

    def test_a_header_of_the_other_that_declares_a_private_name_keeps_both_apart(self):
        self.header("deep.hpp", "namespace ba {\n\nint quoted(int a);\n\nstruct Place {\n  int kept;\n};\n\n}\n")
        self.header("b.hpp", '#include "deep.hpp"\n')
        with_header = '#include "b.hpp"\nint f();\n'
        quoted = private("int quoted(const char* a) {\n  return 0;\n}")
        self.assertFalse(self.together(quoted, with_header))
        self.assertFalse(self.together(with_header, quoted))
        self.assertTrue(self.together('#include "deep.hpp"\n' + quoted, with_header))
        self.assertTrue(self.together(private("int kept = 0;"), with_header))
        self.assertFalse(self.together(private("using other::Place;"), with_header))
        self.assertTrue(self.together(quoted.replace("namespace ba", "namespace other"), with_header))

    def test_an_alias_may_stand_in_both_if_it_means_the_same(self):
        json = private("using Json = nlohmann::json;")
        self.assertTrue(self.together(json, json))
        self.assertFalse(self.together(json, private("using Json = nlohmann::ordered_json;")))
        self.assertFalse(self.together(json, "Json a;\n"))
        self.assertFalse(self.together("using one::check;\n", "using two::check;\n"))

    def test_what_reaches_on_stays_alone(self):
        for text in ("#define BA 1\n", "#undef BA\n", "#pragma GCC x\n", "using namespace kafka_bounds;\n",
                     "#ifdef __clang__\n#include <map>\n#endif\n", "int a;\n#include <map>\n"):
            self.assertTrue(self.source(text).alone, text)
        for text in ("#include <map>\n", "using namespace std::chrono_literals;\n", "// #define\n",
                     "const int kAll[] = {\n#include \"all.inc\"\n};\n"):
            self.assertFalse(self.source(text).alone, text)

    def test_batches_have_their_size_at_most_and_their_order(self):
        free = [self.source(f"int f{number}();\n", f"{number}.cpp") for number in range(5)]
        self.assertEqual([[s.path for s in batch] for batch in batches.batches_of(free, 2)],
                         [["0.cpp", "1.cpp"], ["2.cpp", "3.cpp"], ["4.cpp"]])
        free[0] = self.source("\n" * 100, "0.cpp")
        self.assertEqual([[s.path for s in batch] for batch in batches.batches_of(free, 2)],
                         [["0.cpp"], ["1.cpp", "2.cpp"], ["3.cpp", "4.cpp"]])

    def test_a_batch_has_the_headers_first_and_each_once(self):
        one = self.source('// One.\n#include "a.hpp"\n\n#include <map>\n\nint a;\n', "a.cpp")
        other = self.source('/* Two.\n\n */\n#include "b.hpp"\n\n#include <map>\n#include <set>\n\nint b;\n', "b.cpp")
        self.assertEqual(batches.text_of([one, other]),
                         '#include "a.hpp"\n#include <map>\n#include "b.hpp"\n#include <set>\n'
                         '#include "a.cpp"\n#include "b.cpp"\n')

    def test_a_batch_that_is_the_same_is_not_written_again(self):
        path = os.path.join(self.root, "batches", "batch_0.cpp")
        batches.write(path, "one")
        os.utime(path, (1, 1))
        batches.write(path, "one")
        self.assertEqual(os.stat(path).st_mtime, 1)
        batches.write(path, "two")
        self.assertNotEqual(os.stat(path).st_mtime, 1)


PROJECT = """cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES CXX)
list(APPEND CMAKE_MODULE_PATH ${CMAKE_SOURCE_DIR}/cmake)
include(BaBatches)
add_library(one STATIC)
ba_batches(one a.cpp b.cpp)
"""


class ProjectTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = os.path.realpath(folder.name)
        self.build = os.path.join(self.root, "build")
        os.symlink(os.path.join(ROOT, "cmake"), os.path.join(self.root, "cmake"))
        self.write("a.cpp", private("int once(int a) {\n  return a;\n}"))
        self.write("b.cpp", private("int twice(int a) {\n  return a;\n}"))

    def write(self, name, text):
        with open(os.path.join(self.root, name), "w", encoding="utf-8") as file:
            file.write(text)

    def configure(self, more=""):
        self.write("CMakeLists.txt", PROJECT + more)
        return subprocess.run(["cmake", "-S", self.root, "-B", self.build, "-G", "Ninja", "-DBA_BATCH_SIZE=8"],
                              capture_output=True, text=True, check=False)

    def compiled(self):
        with open(os.path.join(self.build, "batches", "plan.cmake"), encoding="utf-8") as file:
            return [os.path.basename(name.strip(")\n")) for name in file.read().split(" ")[1:]]

    def test_a_source_that_gains_a_private_name_leaves_its_batch_without_being_told(self):
        self.assertEqual(self.configure().returncode, 0)
        self.assertEqual(self.compiled(), ["batch_0.cpp"])
        self.write("b.cpp", private("int once(int a) {\n  return a;\n}"))
        built = subprocess.run(["cmake", "--build", self.build, "--target", "ba_batches_plan"],
                               capture_output=True, text=True, check=False)
        self.assertIn("Generating done", built.stdout)
        self.assertEqual(self.compiled(), ["a.cpp", "b.cpp"])
        with open(os.path.join(self.build, "build.ninja"), encoding="utf-8") as file:
            self.assertNotIn("batch_0.cpp", file.read())

    def test_an_edit_that_changes_no_batch_configures_nothing(self):
        self.assertEqual(self.configure().returncode, 0)
        self.write("b.cpp", private("int thrice(int a) {\n  return a;\n}"))
        built = subprocess.run(["cmake", "--build", self.build, "--target", "ba_batches_plan"],
                               capture_output=True, text=True, check=False)
        self.assertEqual(built.returncode, 0, built.stdout + built.stderr)
        self.assertNotIn("Generating done", built.stdout)

    def test_a_property_of_a_file_that_a_batch_would_lose_is_an_error(self):
        done = self.configure('set_source_files_properties(a.cpp PROPERTIES COMPILE_DEFINITIONS BA=1)\n')
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("a.cpp has COMPILE_DEFINITIONS of its own", " ".join(done.stderr.split()))


if __name__ == "__main__":
    unittest.main()
