#!/usr/bin/python3 -I
# SPDX-License-Identifier: Apache-2.0
"""Which sources cmake/batches.py compiles together: only those that mean the same together as alone."""

import os
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
        return batches.Source(self.root, path)

    def together(self, one, other):
        return self.source(one).bears(self.source(other))

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

    def test_an_alias_may_stand_in_both_if_it_means_the_same(self):
        json = private("using Json = nlohmann::json;")
        self.assertTrue(self.together(json, json))
        self.assertFalse(self.together(json, private("using Json = nlohmann::ordered_json;")))
        self.assertFalse(self.together(json, "Json a;\n"))
        self.assertFalse(self.together("using one::check;\n", "using two::check;\n"))

    def test_what_reaches_on_stays_alone(self):
        for text in ("#define BA 1\n", "#pragma GCC x\n", "using namespace kafka_bounds;\n"):
            self.assertTrue(self.source(text).alone, text)
        for text in ("#include <map>\n", "using namespace std::chrono_literals;\n", "// #define\n"):
            self.assertFalse(self.source(text).alone, text)

    def test_batches_have_at_most_so_many_files_in_their_order(self):
        free = [self.source(f"int f{number}();\n", f"{number}.cpp") for number in range(5)]
        self.assertEqual([[s.path for s in batch] for batch in batches.batches_of(free, 2)],
                         [["0.cpp", "1.cpp"], ["2.cpp", "3.cpp"], ["4.cpp"]])

    def test_a_batch_that_is_the_same_is_not_written_again(self):
        path = os.path.join(self.root, "batches", "batch_0.cpp")
        batches.write(path, "one")
        os.utime(path, (1, 1))
        batches.write(path, "one")
        self.assertEqual(os.stat(path).st_mtime, 1)
        batches.write(path, "two")
        self.assertNotEqual(os.stat(path).st_mtime, 1)


if __name__ == "__main__":
    unittest.main()
