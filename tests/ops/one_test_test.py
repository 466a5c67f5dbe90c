#!/usr/bin/python3 -I
# SPDX-License-Identifier: Apache-2.0
"""`ops/test NAME` finds what is meant, builds only that, and says what is near a wrong name."""

import json
import os
import stat
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
BUILD = os.path.join(ROOT, "build/release")
sys.path.insert(0, os.path.join(ROOT, "ops"))
sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
from one_test.building import Build
from one_test.catalog import Catalog
from one_test.choice import Finder, NotFound, Run
from one_test.running import Runner, needs_stack

TREE = {
    "tests/pipeline/fruit/CMakeLists.txt": "ba_test(fruit_test  # two files\n  SOURCES apple_test.cpp pear_test.cpp\n  DEPENDS ba_fruit)\n",
    "tests/pipeline/fruit/apple_test.cpp": "TEST(Apple, IsRound) {}\nTEST_F(Apple, IsRed) {}\nTEST_P(AppleSorts, Keep) {}\n",
    "tests/pipeline/fruit/pear_test.cpp": "TEST(Pear, IsSoft) {}\nTYPED_TEST(PearSorts, Keep) {}\n",
    "pipeline/fruit/apple.cpp": "", "pipeline/fruit/apple.hpp": "", "pipeline/fruit/seed.cpp": "",
    "tests/storage/CMakeLists.txt": "ba_test(rows_server_test SERVERS postgres SOURCES rows_test.cpp DEPENDS x)\n"
                                    "ba_test(own_server_test SERVERS own SOURCES own_test.cpp DEPENDS x)\n",
    "tests/storage/own_test.cpp": "TEST(Own, Server) {}\n",
    "tests/storage/rows_test.cpp": "TEST(Rows, Stay) {}\n",
    "storage/rows.cpp": "",
    "tests/contract/CMakeLists.txt": "add_library(ba_box_contract OBJECT box_contract.cpp)\n"
                                     "ba_test(real_box_test SOURCES real.cpp DEPENDS ba_box_contract)\n"
                                     "ba_test(fake_box_test SOURCES fake.cpp DEPENDS ba_box_contract)\n",
    "tests/contract/box_contract.cpp": "TEST_P(BoxContract, Opens) {}\n",
    "tests/contract/real.cpp": "", "tests/contract/fake.cpp": "",
    "tests/ops/CMakeLists.txt": "add_test(NAME plain_test COMMAND /usr/bin/python3 -I ${CMAKE_CURRENT_SOURCE_DIR}/plain_test.py $<TARGET_FILE:ba-tool>)\n"
                                "set_tests_properties(plain_test PROPERTIES LABELS quick TIMEOUT 300)\n",
    "tests/ops/plain_test.py": "class PlainTest(unittest.TestCase):\n    def test_it(self):\n        pass\n",
    "tests/domain/cases/thinking/job.json": "{}", "tests/domain/cases/other/job.json": "{}",
    "tests/domain/run": "ba-run-job",
    "tests/tool/CMakeLists.txt": "add_executable(ba-run-job a.cpp)\nadd_executable(ba-tool b.cpp)\n",
    "tests/integration/kill_test.py": 'CASES = [("a worker is killed")]\n',
    "tests/integration/run": "#!/bin/sh\necho 'a worker is killed'\n",
    "tests/chaos/checker_test.py": "",
    "tests/worker/dish/CMakeLists.txt": "ba_test(dish_server_test SERVERS kafka SOURCES oven_test.cpp DEPENDS x)\n"
                                        "ba_test(dish_test SOURCES plate_test.cpp soup/broth_test.cpp DEPENDS x)\n",
    "tests/worker/dish/oven_test.cpp": "TEST(Oven, Bakes) {}\n", "tests/worker/dish/plate_test.cpp": "TEST(Plate, Holds) {}\n",
    "tests/worker/dish/soup/broth_test.cpp": "TEST(Broth, Boils) {}\n",
    "tests/worker/dish/cake/CMakeLists.txt": "ba_test(cake_test SOURCES icing_test.cpp DEPENDS x)\n",
    "tests/worker/dish/cake/icing_test.cpp": "TEST(Icing, Sets) {}\n",
    "worker/dish/soup/leek.cpp": "", "worker/dish/stew/deep/plate.hpp": "", "worker/dish/stew/deep/carrot.cpp": "", "worker/lone.cpp": "",
    "docs/page.md": "",
}


class OneTestTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        for path, text in TREE.items():
            whole = os.path.join(cls.folder.name, path)
            os.makedirs(os.path.dirname(whole), exist_ok=True)
            with open(whole, "w", encoding="utf-8") as file:
                file.write(text)
            if text.startswith("#!"):
                os.chmod(whole, stat.S_IRWXU)
        cls.catalog = Catalog(cls.folder.name)
        cls.finder = Finder(cls.catalog)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def runs(self, name):
        return [(run.name, run.only, run.cases) for run in self.finder.find(name)[1]]

    def expect(self, name, *runs):
        self.assertEqual(self.runs(name), [run + (None, ())[len(run) - 1:] for run in runs], name)

    def test_what_ctest_knows_is_found_here(self):
        told = subprocess.run(["ctest", "--test-dir", BUILD, "--show-only=json-v1"], capture_output=True, text=True, check=True)
        labels = {test["name"]: next(p["value"] for p in test["properties"] if p["name"] == "LABELS")
                  for test in json.loads(told.stdout)["tests"]}
        self.assertGreater(len(labels), 50)
        self.assertEqual({test.name: [test.label] for test in Catalog(ROOT).tests()}, labels)

    def test_a_program(self):
        self.expect("fruit_test", ("fruit_test",))
        self.expect("fruit_test:Pear*", ("fruit_test", "Pear*"))
        self.expect("plain_test", ("plain_test",))

    def test_a_folder_of_tests_or_of_what_they_test(self):
        for name in ("tests/pipeline/fruit", "pipeline/fruit", "pipeline/fruit/", "./pipeline/fruit", "fruit", "pipeline"):
            self.expect(name, ("fruit_test",))
        self.expect("tests/domain", ("tests/domain",))

    def test_a_file_of_tests_runs_its_cases(self):
        for name in ("tests/pipeline/fruit/pear_test.cpp", "pear_test", "pear_test.cpp"):
            self.expect(name, ("fruit_test", "Pear.*:PearSorts/*.*"))
        self.expect("rows_test", ("rows_server_test",))
        self.expect("tests/ops/plain_test.py", ("plain_test",))

    def test_a_file_of_the_product_runs_the_test_of_its_name_or_its_folder(self):
        for name in ("pipeline/fruit/apple.cpp", "pipeline/fruit/apple.hpp", "apple.hpp", "apple"):
            self.expect(name, ("fruit_test", "*/AppleSorts.*/*:Apple.*"))
        self.expect("pipeline/fruit/seed.cpp", ("fruit_test",))

    def test_a_folder_whose_cases_belong_to_a_program_of_the_folder_above(self):
        for name in ("worker/dish/soup", "tests/worker/dish/soup", "worker/dish/soup/leek.cpp", "leek", "soup"):
            self.expect(name, ("dish_test", "Broth.*"))

    def test_without_tests_of_its_folder_those_of_the_next_above_run_quick_ones_first(self):
        for name in ("worker/dish/stew/deep", "worker/dish/stew", "worker/dish/stew/deep/carrot.cpp", "carrot", "deep", "stew"):
            self.expect(name, ("dish_test",), ("dish_server_test",))
        self.assertEqual(self.finder.find("worker/dish/stew/deep/carrot.cpp")[0],
                         "worker/dish/stew/deep/carrot.cpp has no test of its own name or folder: "
                         "the tests of tests/worker/dish, without those of the folders below")
        self.expect("worker/lone.cpp", ("dish_test",), ("cake_test",), ("dish_server_test",))
        self.expect("worker/dish", ("dish_test",), ("cake_test",), ("dish_server_test",))
        self.expect("worker/dish/stew/deep/plate.hpp", ("dish_test", "Plate.*"))
        for name in ("docs/page.md", "docs", "tests", "tests/chaos"):
            with self.assertRaises(NotFound):
                self.finder.find(name)

    def test_each_source_of_the_product_finds_some_test(self):
        catalog = Catalog(ROOT)
        finder = Finder(catalog)
        sources = [path for path in catalog.paths if path.startswith(("pipeline/", "storage/", "worker/"))
                   and path.endswith((".cpp", ".hpp", ".sql"))]
        self.assertGreater(len(sources), 1000)
        for name in {*sources, *map(os.path.dirname, sources)}:
            self.assertTrue(finder.find(name)[1], name)

    def test_a_suite_or_a_case(self):
        self.expect("Pear", ("fruit_test", "Pear.*"))
        self.expect("Apple.IsR*", ("fruit_test", "Apple.*"))
        self.expect("Apple.IsRed", ("fruit_test", "Apple.IsRed"))
        self.expect("PlainTest.test_it", ("plain_test", None, ("PlainTest.test_it",)))

    def test_a_suite_of_several_programs_runs_in_each(self):
        self.assertEqual([name for name, _, _ in self.runs("BoxContract")], ["real_box_test", "fake_box_test"])
        self.assertEqual([name for name, _, _ in self.runs("box_contract")], ["real_box_test", "fake_box_test"])

    def test_cases_of_whole_programs(self):
        self.expect("thinking", ("tests/domain", None, ("thinking",)))
        self.expect("tests/domain/cases/thinking", ("tests/domain", None, ("thinking",)))
        for name in ("is killed", "kill_test", "tests/integration/kill_test.py", "kill"):
            self.expect(name, ("tests/integration", None, ("a worker is killed",)))

    def test_a_wrong_name_says_what_is_near(self):
        for name, near in (("fruits_test", "fruit_test"), ("Aple", "Apple"), ("thinkin", "thinking"), ("Pear.IsSofd", "Pear.IsSoft"),
                           ("tests/pipeline/fruits", "tests/pipeline/fruit")):
            with self.assertRaisesRegex(NotFound, f"{name}: no such test; near it: .*{near}"):
                self.finder.find(name)
        with self.assertRaises(NotFound) as raised:
            self.finder.find("tests/worker/dishes")
        told = str(raised.exception).split("near it: ")[1].split(";", maxsplit=1)[0].split(", ")
        for name in told:
            self.assertTrue(self.finder.find(name)[1], name)
        with self.assertRaisesRegex(NotFound, "tests/chaos/checker_test.py: not run by itself, ops/chaos plays it"):
            self.finder.find("tests/chaos/checker_test.py")

    def test_builds_what_is_needed_and_nothing_else(self):
        build = Build(self.catalog, "release", 2)
        for name, targets in (("fruit_test", ["fruit_test"]), ("plain_test", ["ba-tool"]), ("thinking", ["ba-run-job"]),
                              ("BoxContract", ["real_box_test", "fake_box_test"])):
            self.assertEqual(build.targets(self.finder.find(name)[1]), targets)

    def test_commands(self):
        build = Build(self.catalog, "asan", 2)
        program = os.path.join(build.folder, "fruit_test")
        fruit = Run(self.catalog.programs["fruit_test"], "Pear.*")
        self.assertEqual(Runner(self.catalog, build).command(fruit), [program, "--gtest_filter=Pear.*"])
        debug = Runner(self.catalog, build, debug=True).command(fruit)
        self.assertEqual((debug[0], debug[-3:]), ("gdb", ["--args", program, "--gtest_filter=Pear.*"]))
        self.assertTrue(needs_stack(Run(self.catalog.programs["rows_server_test"])))
        self.assertFalse(needs_stack(Run(self.catalog.programs["own_server_test"])))
        self.assertFalse(needs_stack(fruit))

    def test_what_failed_is_told_and_is_the_exit_code(self):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "tests/ops"))
            for name, code in (("good_test", 0), ("bad_test", 1)):
                with open(os.path.join(root, f"tests/ops/{name}.py"), "w", encoding="utf-8") as file:
                    file.write(f"import sys\nsys.exit({code})\n")
            with open(os.path.join(root, "tests/ops/CMakeLists.txt"), "w", encoding="utf-8") as file:
                file.write("".join(f"add_test(NAME {name} COMMAND /usr/bin/python3 -I ${{CMAKE_CURRENT_SOURCE_DIR}}/{name}.py)\n"
                                   for name in ("good_test", "bad_test")))
            program = os.path.join(ROOT, "ops/one_test/main.py")
            done = subprocess.run([sys.executable, "-I", program, "--root", root, "good_test", "bad_test"],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertTrue(done.stdout.endswith("failed: bad_test\n1 passed, 1 failed\n"), done.stdout)
            done = subprocess.run([sys.executable, "-I", program, "--root", root, "--debug", "good_test"],
                                  capture_output=True, text=True, check=False)
            self.assertIn("--debug needs one program in C++", done.stderr)


if __name__ == "__main__":
    if len(sys.argv) > 1 and os.path.isdir(sys.argv[1]):
        BUILD = sys.argv.pop(1)
    unittest.main()
