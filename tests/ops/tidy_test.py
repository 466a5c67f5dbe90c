#!/usr/bin/python3 -I
# SPDX-License-Identifier: Apache-2.0
"""Each check of ops/tidy finds what it is for, and nothing in code that is right."""

import json
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "ops"))
sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
from tidy_checks import banned_calls, base_names, co_await, design_names, documents, double_types, folders, formatting
from tidy_checks import includes, knots, migrations, named_paths, namespaces, scripts, sizes, statements, texts
from tidy_checks.cpp_classes import cpp_classes
from tidy_checks.source_tree import SourceTree, blank_noise

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"


class TidyTest(unittest.TestCase):
    def findings(self, check, files):
        with tempfile.TemporaryDirectory() as root:
            for path, text in files.items():
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            return check(SourceTree(root))

    def expect(self, check, path, text, lines):
        """`lines` are the line numbers of the findings."""
        found = self.findings(check, {path: text})
        self.assertEqual([int(f.split(":")[1]) for f in found], lines, found)

    def test_noise_is_blanked_and_lines_stay(self):
        code = 'a(); // x{\n/* {\n */ b("{\\"", \'{\', 1\'000, R"(;\n{)");\n'
        blank = blank_noise(code)
        self.assertEqual(blank.count("\n"), code.count("\n"))
        self.assertEqual(len(blank), len(code))
        self.assertNotIn("{", blank)
        self.assertIn("1'000", blank)

    def test_format(self):
        with open(os.path.join(ROOT, ".clang-format"), encoding="utf-8") as file:
            style = file.read()
        for text, count in (("int  x;\n", 1), ("int x;\n", 0)):
            found = self.findings(formatting.check, {".clang-format": style, "pipeline/a/a.cpp": text})
            self.assertEqual(len(found), count, found)

    def test_format_of_some_files(self):
        with tempfile.TemporaryDirectory() as root:
            for name in ("a.cpp", "b.cpp"):
                with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                    file.write("int  x;\n")
            found = formatting.check(SourceTree(root), ["b.cpp"])
            self.assertEqual([f.split(":")[0] for f in found], ["b.cpp"])

    def test_checks_of_clang_tidy_are_few_and_named(self):
        with open(os.path.join(ROOT, ".clang-tidy"), encoding="utf-8") as file:
            checks = re.findall(r"^  ([\w*-]+),?$", file.read(), re.MULTILINE)
        self.assertEqual(checks[0], "-*")
        self.assertLessEqual(len(checks) - 1, 10)
        self.assertIn("bugprone-use-after-move", checks)
        self.assertFalse([check for check in checks[1:] if "*" in check])

    def run_ast(self, root, *words, finds=""):
        """ops/tidy --ast with a stand-in for clang-tidy, which says `finds`."""
        program = os.path.join(root, "bin/clang-tidy-19")
        os.makedirs(os.path.dirname(program), exist_ok=True)
        with open(program, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\necho \"$*\" >>{root}/calls\nprintf '%b' '{finds}'\n[ -z '{finds}' ]\n")
        os.chmod(program, 0o755)
        return subprocess.run([sys.executable, "-I", os.path.join(ROOT, "ops/tidy"), "--root", root, "--ast", *words],
                              env=os.environ | {"PATH": f"{root}/bin:{os.environ['PATH']}"}, capture_output=True, text=True, check=False)

    def test_syntax_trees_of_what_has_changed(self):
        with tempfile.TemporaryDirectory() as root:
            def git(*words):
                subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words], cwd=root, check=True, capture_output=True)

            entries = [{"file": os.path.join(root, name), "directory": root, "command": "c++"} for name in ("a.cpp", "b.cpp", "c.cpp")]
            os.makedirs(os.path.join(root, "build/release"))
            for name, text in (("a.cpp", ""), ("b.cpp", ""), ("b.hpp", ""), ("c.cpp", ""), (".gitignore", "build\nbin\ncalls\n")):
                with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                    file.write(text)
            done = self.run_ast(root, "a.cpp")
            self.assertIn("compile_commands.json is missing: cmake --preset release", done.stderr)
            with open(os.path.join(root, "build/release/compile_commands.json"), "w", encoding="utf-8") as file:
                json.dump(entries, file)
            git("init", "-q", "-b", "main")
            git("add", "-A")
            git("commit", "-q", "-m", "first")
            with open(os.path.join(root, "b.hpp"), "a", encoding="utf-8") as file:
                file.write("int x;\n")
            done = self.run_ast(root)
            self.assertEqual((done.returncode, done.stdout.split(" in ")[0]), (0, "1 files with clang-tidy"), done.stderr)
            with open(os.path.join(root, "calls"), encoding="utf-8") as file:
                self.assertRegex(file.read(), r"-p build/release .*/b\.cpp$")
            finding = f"{root}/a.cpp:7:3: error: moved [bugprone-use-after-move,-warnings-as-errors]\\n"
            done = self.run_ast(root, "a.cpp", finds=finding)
            self.assertEqual((done.returncode, done.stdout.split("\n")[0]), (1, "a.cpp:7: moved (bugprone-use-after-move)"), done.stderr)
            done = self.run_ast(root, "a.cpp", finds="fatal\\n")
            self.assertIn("a.cpp:1: clang-tidy-19 could not read it", done.stdout)
            self.assertIn("none.cpp is no file of the tree", self.run_ast(root, "none.cpp").stderr)

    def test_include_against_the_rings(self):
        for path, include, wrong in (
            ("pipeline/core/job/a.cpp", '"storage/storage.hpp"', True),
            ("pipeline/core/job/a.cpp", '"pipeline/base/error.hpp"', False),
            ("pipeline/core/job/a.cpp", '"ba/v1/usage.pb.h"', True),
            ("pipeline/text/contract/a.cpp", '"ba/v1/usage.pb.h"', False),
            ("pipeline/core/tool/a.cpp", '"pipeline/core/ledger/ledger.hpp"', True),
            ("pipeline/core/ledger/a.cpp", '"pipeline/core/tool/tool.hpp"', False),
            ("storage/a.cpp", '"worker/kafka/topics.hpp"', True),
            ("worker/kafka/a.cpp", '"storage/storage.hpp"', True),
            ("worker/kafka/a.cpp", '"pipeline/core/ledger/ledger.hpp"', False),
            ("worker/kafka/a.cpp", '"worker/driver/engine.hpp"', True),
            ("worker/driver/a.cpp", '"worker/kafka/topics.hpp"', True),
            ("worker/driver/a.cpp", '"pipeline/core/ledger/ledger.hpp"', False),
            ("worker/runtime/a.cpp", '"worker/driver/engine.hpp"', False),
            ("worker/observe/a.cpp", '"worker/kafka/topics.hpp"', True),
            ("worker/runtime/a.cpp", '"worker/cli/cli.hpp"', True),
            ("worker/main.cpp", '"worker/cli/cli.hpp"', False),
            ("worker/cli/a.cpp", '"worker/runtime/run_worker.hpp"', True),
            ("worker/cli/a.cpp", '"tests/support/fake.hpp"', True),
            ("tests/support/a.cpp", '"storage/storage.hpp"', False),
            ("pipeline/core/context/a.cpp", '"pipeline/text/message/message.hpp"', False),
            ("pipeline/core/context/a.cpp", '"pipeline/text/message/json_reader.hpp"', True),
            ("pipeline/text/contract/a.cpp", '"pipeline/text/message/json_reader.hpp"', False),
            ("pipeline/core/job/a.cpp", '"job.hpp"', True),
            ("pipeline/core/job/a.cpp", '"../base/error.hpp"', True),
        ):
            with self.subTest(path=path, include=include):
                self.expect(includes.check, path, f"{SPDX}#include {include}\n", [2] if wrong else [])

    def test_a_folder_without_a_place_in_the_order(self):
        for path, wrong in (
            ("pipeline/text/carrier/a.cpp", False),
            ("pipeline/novel/a.cpp", True),
            ("pipeline/novel/deep/a.hpp", True),
            ("pipeline/core/novel/a.hpp", True),
            ("pipeline/text/a.hpp", True),
            ("pipeline/a.cpp", False),
            ("worker/novel/a.cpp", True),
            ("worker/llm/novel/a.cpp", False),
            ("worker/main.cpp", False),
            ("storage/novel/a.cpp", False),
        ):
            with self.subTest(path=path):
                self.expect(includes.check, path, SPDX, [1] if wrong else [])
        self.expect(includes.check, "pipeline/text/carrier/a.cpp", '#include "pipeline/core/conversation/state.hpp"\n', [1])

    def test_each_folder_has_a_place_in_the_order(self):
        pipeline = os.path.join(ROOT, "pipeline")
        there = {f"{tree}/{name}" for tree in ("core", "text") for name in os.listdir(os.path.join(pipeline, tree))
                 if "." not in name} | {"base"}
        # pylint: disable=protected-access
        self.assertEqual(there, set(includes._ORDER))

    def test_library_outside_its_folder(self):
        for path, include, wrong in (
            ("pipeline/core/job/a.cpp", "<boost/asio/post.hpp>", True),
            ("pipeline/base/a.cpp", "<boost/system/result.hpp>", False),
            ("pipeline/core/job/a.cpp", "<boost/system/result.hpp>", True),
            ("storage/a.cpp", "<boost/asio/post.hpp>", True),
            ("storage/a.cpp", "<libpq-fe.h>", False),
            ("worker/cli/a.cpp", "<libpq-fe.h>", True),
            ("worker/kafka/a.cpp", "<librdkafka/rdkafka.h>", False),
            ("worker/cli/a.cpp", "<librdkafka/rdkafka.h>", True),
            ("worker/tools/a.cpp", "<curl/curl.h>", True),
            ("worker/llm/a.cpp", "<pg_query.h>", True),
            ("worker/tools/sql/statement/a.cpp", "<pg_query.h>", False),
            ("worker/tools/sql/a.cpp", "<pg_query.h>", True),
            ("worker/tools/sql/connection/a.cpp", "<libpq-fe.h>", False),
            ("worker/tools/vector/a.cpp", "<libpq-fe.h>", True),
            ("pipeline/text/semantic/a.cpp", "<openssl/sha.h>", False),
            ("worker/llm/a.cpp", "<openssl/sha.h>", True),
            ("worker/cli/a.cpp", "<openssl/sha.h>", True),
            ("pipeline/text/message/a.cpp", "<nlohmann/json.hpp>", False),
            ("pipeline/core/conversation/a.cpp", "<nlohmann/json.hpp>", True),
            ("storage/query/a.cpp", "<nlohmann/json.hpp>", True),
            ("worker/cli/a.cpp", "<boost/asio/post.hpp>", True),
        ):
            with self.subTest(path=path, include=include):
                self.expect(includes.check, path, f"{SPDX}#include {include}\n", [2] if wrong else [])

    def test_banned_calls(self):
        for call, wrong in (
            ("auto t = std::chrono::steady_clock::now();", True),
            ("auto t = SteadyClock::now();", True),
            ("auto t = SteadyTime::clock :: now();", True),
            ("SteadyTime Process::now() const { return now_; }", False),
            ("auto t = clock_.now();", False),
            ("auto t = time(nullptr);", True),
            ("auto t = time(job);", False),
            ("std::thread t(run);", True),
            ('const char* e = getenv("HOME");', True),
            ("int r = rand();", True),
            ("std::mt19937 engine(1);", True),
            ("std::this_thread::sleep_for(x);", True),
            ("int s = ::socket(AF_INET, SOCK_STREAM, 0);", True),
            ("transport_.connect(now);", False),
            ("// std::thread, rand() and getenv() are for others", False),
            ('std::snprintf(out, 8, "rand()");', False),
        ):
            with self.subTest(call=call):
                for path in ("pipeline/core/job/a.cpp", "worker/driver/engine.cpp",
                             "worker/driver/ledger_cleaner.hpp", "worker/llm/anthropic/a.cpp",
                             "worker/llm/llm_call.cpp", "worker/llm/model_probe.cpp",
                             "worker/runtime/worker_parts.cpp"):
                    self.expect(banned_calls.check, path, f"{SPDX}{call}\n", [2] if wrong else [])
                for path in ("worker/kafka/a.cpp", "worker/runtime/parts/process_parts.hpp",
                             "worker/http/curl_reactor.cpp"):
                    self.expect(banned_calls.check, path, f"{SPDX}{call}\n", [])

    def test_co_await_trap(self):
        for line, wrong in (
            ("co_await f(Req{1, 2});", True),
            ("co_await f({.a = 1});", True),
            ("auto x = co_await g.f(a, [&] { return 1; });", True),
            ("co_await f(\n  Req{1});", True),
            ("co_await f(std::move(request));", False),
            ("if (co_await f(a)) { g(); }", False),
            ("while ((co_await f(a)) > 1) { g(); }", False),
            ("// co_await f(Req{1})", False),
        ):
            with self.subTest(line=line):
                self.expect(co_await.check, "worker/a.cpp", f"{SPDX}{line}\n", [2] if wrong else [])

    def test_scripts_that_cannot_be_read(self):
        for path, text, lines in (
            ("ops/a.py", "x = 1\ny = (*a if b else c)\n", [2]),
            ("ops/a", "#!/usr/bin/python3 -I\nif x\n", [2]),
            ("ops/a", "#!/usr/bin/env python3\nx = 1\n", []),
            ("ops/a.py", "x = '\\d'\n", [1]),
            ("ops/a", "#!/usr/bin/env bash\nif true; then\n  echo )\nfi\n", [3]),
            ("ops/a.sh", "# a part of others\nif true; then echo; fi\n", []),
            ("ops/notes.md", "if x\n", []),
        ):
            self.expect(scripts.check, path, text, lines)

    def test_texts(self):
        later, user, build = "TO" + "DO", "/ho" + "me/somebody/x", "/ro" + "ot/x"
        for path, text, lines in (
            ("a/a.cpp", "int x;\n", [1]),
            ("a/a.cpp", SPDX + "int x;\n", []),
            ("a/a.cpp", f"{SPDX}// {later}: more\n", [2]),
            ("a/a.cpp", f'{SPDX}auto p = "{user}";\n', [2]),
            ("a/notes.md", f"see {build}\n", [1]),
            ("a/notes.md", "see ops/home/x and https://x.org/home/a\n", []),
            ("a/run", "#!/bin/sh\n", [1]),
            ("a/run", "#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n", []),
            ("a/a_test.cpp", f"{SPDX}TEST(A, {'DIS' + 'ABLED_b'}) {{}}\n", [2]),
            ("a/a.txt", "one\n" + "<" * 7 + " mine\n", [2]),
            ("a/a.txt", "curl x | gr" + "ep -qF y\n", [1]),
            ("a/a.txt", "curl x | grep -F y\n", []),
        ):
            with self.subTest(path=path, text=text):
                self.expect(texts.check, path, text, lines)

    def test_folders(self):
        self.assertEqual(len(self.findings(folders.check, {"a/b/c.cpp": ""})), 1)
        self.assertEqual(self.findings(folders.check, {"a/b/c.cpp": "", "a/b/README.md": "x\n"}), [])
        self.assertEqual(self.findings(folders.check, {"tests/worker/kafka/c.cpp": ""}), [])
        self.assertEqual(len(self.findings(folders.check, {"worker/llm/anthropic/c.cpp": ""})), 1)
        self.assertEqual(self.findings(folders.check, {"ops/demo.d/jobs/1.sql": ""}), [])

    def test_statements_name_tests_that_are_there(self):
        sources = {
            "tests/a/b_test.cpp": SPDX + "TEST(A, IsOne) {}\nTEST_F(LongSuite,\n       IsTwo) {}\nTEST_P(P, IsAny) {}\n",
            "tests/c/d_test.py": 'def files_are_read():\n    pass\nCASES = [Case("kill -9, then on", x)]\n',
        }
        rule = "| statement | tests |\n| --- | --- |\n"
        for row, count in (
            ("| a | `A.IsOne` `LongSuite.IsTwo` |\n| b | `P.IsAny` |", 0),
            ("| a | `files are read` `kill -9, then on` |", 0),
            ("| a | `A.IsTwo` |", 1),
            ("| a | `A.IsOne` `A.IsTwo` |", 1),
            ("| a | `files are written` |", 1),
            ("| a | `IsOne` |", 1),
            ("| a | |", 1),
            ("| a | A.IsOne |", 1),
            ("| | `A.IsOne` |", 1),
            ("| a | `A.IsOne` | b |", 1),
            ("| a | `A.IsOne` |\n| a | `P.IsAny` |", 1),
            ("", 1),
            ("| a | `A.IsOne` |\n\n# More\n\n" + rule + "| b | `A.IsTwo` |", 1),
        ):
            with self.subTest(row=row):
                text = "# List\n\n" + rule + row + "\n"
                found = self.findings(statements.check, {**sources, "tests/statements/a.md": text})
                self.assertEqual(len(found), count, found)

    def test_limits_name_tests_that_are_there(self):
        sources = {
            "tests/a/b_test.cpp": SPDX + "TEST(A, IsOne) {}\nTEST(A, Two) {}\n",
            "tests/a/c_test.cpp": SPDX + "TEST(C, IsThree) {}\n",
        }
        for cell, count in (
            ("IsOne, Two", 0), ("A.IsOne", 0), ("`a/b_test.cpp` IsOne; `c` IsThree", 0), ("`…/b_test.cpp` IsOne", 0),
            ("`b` IsOne, Two, `c_test.cpp` IsThree", 0), ("`b`; IsThree", 0), ("*none*; the first: none", 0), ("`step_limit`", 0),
            ("IsFour", 1), ("C.IsOne", 1), ("`b` IsOne, IsThree", 1), ("`b` IsThree", 1), ("`d` IsOne", 1), ("IsFive; `c` IsSix", 2),
        ):
            with self.subTest(cell=cell):
                text = f"# L\n\n| limit | test |\n| --- | --- |\n| Most | {cell} |\n\n| a | b |\n| - | - |\n| x | Whatever |\n"
                found = self.findings(statements.check, {**sources, "config/LIMITS.md": text})
                self.assertEqual(len(found), count, found)

    def test_names_of_the_design_documents_lead_to_what_is_there(self):
        sources = {
            "pipeline/a/state.hpp": SPDX + "struct State {\n  int wait_max_s = 1;\n};\nvoid advance(State&);\n// struct Gone\n",
            "tests/a/b.hpp": SPDX + "class OnlyInTests;\n",
            "storage/migrations/V001.sql": "-- SPDX\nCREATE TABLE rounds ();\n",
        }
        head = "# Names\n\nThey are here.\n\n"
        for entry, count in (
            ("- **Round, Talk**: `State`, `advance()` (`pipeline/a/state.hpp`, `pipeline/a/state`), rows `rounds`", 0),
            ("- **Lock**: none: one owner in `pipeline/a`; `limits.wait_max_s`", 1),  # "limits" is nowhere
            ("- **Lock**: none; `wait_max_s`", 0),
            ("- **A**: `Stale`", 1),
            ("- **A**: `Gone`", 1),
            ("- **A**: `OnlyInTests`", 1),
            ("- **A**: `retreat()`", 1),
            ("- **A**: `pipeline/b`", 1),
            ("- **A**: `pipeline/a/state.h`", 1),
            ("- **A**: `columns`", 1),
            ("- **A**: ", 1),
            ("- **A**: `State`\n- **B, A**: `State`", 1),
            ("- **A,\n  B**: `State`,\n  `retreat()`", 1),
            ("- A: `State`", 1),
            ("", 1),
        ):
            with self.subTest(entry=entry):
                text = head + entry + "\n\n## More\n\nOther names: `Whatever`.\n"
                found = self.findings(design_names.check, {**sources, "docs/design-names.md": text})
                self.assertEqual(len(found), count, found)
        self.assertEqual(len(self.findings(design_names.check, {"docs/design-names.md": "# A\n"})), 1)
        self.assertEqual(self.findings(design_names.check, {"README.md": "# A\n"}), [])

    def test_each_name_that_people_look_for_has_a_row(self):
        with open(os.path.join(ROOT, "docs/design-names.md"), encoding="utf-8") as file:
            text = file.read()
        there = {name for _, names, _ in design_names.entries(text) for name in names.split(", ")}
        wanted = """DynamicTokenCounter ModelEncoderRegistry AdvancedContextManager IdempotencyCache SummaryCache LLMCompressor
            ToolInvocationRequest ToolExecutionResult ToolRetryPolicy ToolTimeoutHandler DataFileManager SkillLoader
            SkillActivationStack MessageInjectionProtocol ConversationRound MultiRoundConversation MetricsCollector
            VersionedToolResult LockManager StandardMessage to_debug_dict"""
        self.assertEqual(set(wanted.split()) - there, set())

    def test_documents_are_short_enough(self):
        for path, count, wrong in (
            ("README.md", 1100, False), ("README.md", 1101, True),
            ("ARCHITECTURE.md", 4000, False), ("ARCHITECTURE.md", 4001, True),
            ("a/b/README.md", 300, False), ("a/b/README.md", 301, True),
            ("docs/README.md", 301, True), ("docs/proof.md", 9000, False), ("CHANGELOG.md", 9000, False),
        ):
            with self.subTest(path=path, count=count):
                text = ("a - b | " * 10 + "\n") * (count // 20) + "c " * (count % 20)  # signs are no words
                self.expect(documents.check, path, text, [1] if wrong else [])
        table = "| a | b |\n| --- | --- |\n" + "| c | d |\n" * 200
        self.expect(documents.check, "tests/a/README.md", table, [])
        self.expect(documents.check, "pipeline/a/README.md", table, [1])

    def test_documents_have_few_enough_lines(self):
        for path, count, wrong in (
            ("README.md", 120, False), ("README.md", 121, True),
            ("ARCHITECTURE.md", 250, False), ("ARCHITECTURE.md", 251, True), ("docs/a.md", 900, False),
        ):
            with self.subTest(path=path, count=count):
                self.expect(documents.check, path, "-\n" * count, [1] if wrong else [])

    def test_documents_are_not_too_wide(self):
        full, over = "x" * 110, "x" * 111
        for path, text, lines in (
            ("docs/a.md", f"{full}\n", []),
            ("docs/a.md", f"a\n{over}\n", [2]),
            ("docs/a.md", f"```\n{over}\n```\n", [2]),
            ("docs/a.md", f"| {over} |\n", [1]),
            ("docs/a.md", f"{full} \n", []),
            ("docs/a.md", "ä" * 110 + "\n", []),
            ("docs/a.txt", f"{over}\n", []),
            ("a/SKILL.md", f"---\nname: {over}\n---\nx\n", []),
            ("a/SKILL.md", f"---\nname: x\n---\n{over}\n", [4]),
            ("CHANGELOG.md", f"{over}\n", []),
            ("config/LIMITS.md", f"| {over} |\n{over}\n", [2]),
            ("tests/statements/a.md", f"| {over} |\n", []),
        ):
            with self.subTest(path=path, text=text):
                self.expect(documents.check, path, text, lines)

    def test_what_need_not_keep_to_the_width_is_there_and_has_a_reason(self):
        # pylint: disable=protected-access
        for path, reason in {**documents._ANY_WIDTH, **documents._WIDE_TABLES}.items():
            self.assertTrue(os.path.exists(os.path.join(ROOT, path)), path)
            self.assertTrue(reason)

    def test_links_lead_somewhere(self):
        others = {
            "docs/b.md": "# The *first* `one`, or: a_b\n\n## Two\n\n### Two\n\n```sh\n# none\n```\n<a id=\"own\"></a>\n",
            "pipeline/x/y.hpp": SPDX, "README.md": "# Top\n",
        }
        for link, wrong in (
            ("[b](b.md)", False), ("[b](./b.md)", False), ("[x](../pipeline/x/y.hpp)", False), ("[x](../pipeline/x)", False),
            ("[x](../pipeline/x/)", False), ("[top](../README.md#top)", False), ("[root](..)", False),
            ("[b](b.md#the-first-one-or-a_b)", False), ("[b](b.md#two)", False), ("[b](b.md#two-1)", False),
            ("[b](b.md#own)", False), ("[here](#here)", False), ("![b](b.md)", False), ('[b](b.md "told")', False),
            ("[b]: b.md", False), ("[w](https://example.org/none#x)", False), ("[m](mailto:a@example.org)", False),
            ("`[c](c.md)`", False), ("```\n[c](c.md)\n```", False), ("an array a[1](2", False),
            ("[c](c.md)", True), ("[b](docs/b.md)", True), ("[b](/docs/b.md)", True), ("[b](b.md#three)", True),
            ("[b](b.md#two-2)", True), ("[b](b.md#none)", True), ("[b](b.md#Two)", True), ("[here](#there)", True),
            ("[b]: c.md", True), ("![c](c.png)", True), ("[out](../../out.md)", True), ("`a` [c](c.md) `b`", True),
        ):
            with self.subTest(link=link):
                found = self.findings(documents.check, {**others, "docs/a.md": f"# Here\n\n{link}\n"})
                self.assertEqual(len(found), int(wrong), found)
                if wrong:
                    self.assertTrue(found[0].startswith("docs/a.md:3: "), found)

    def test_paths_in_documents_are_there(self):
        there = {"worker/a/one.cpp": "", "worker/a/deep/two.hpp": "", "worker/a/README.md": "x\n", "ops/run": "",
                 "tests/worker/a/one_test.cpp": ""}
        for text, wrong in (
            ("`worker/a/one.cpp`", False), ("`worker/a`", False), ("`worker/a/`", False), ("`worker/a/one`", False),
            ("`worker/b`", True), ("`worker/a/one.hpp`", True), ("`worker/a/o`", True), ("`ops/run worker/b`", True),
            ("`ops/run worker/a --fast`", False), ("(`worker/a`,\n`worker/b`)", True), ("a `ops/run\nworker/b` b", True),
            ("`worker/a/deep/*.hpp`", False), ("`worker/a/*/two.hpp`", False), ("`worker/*.hpp`", True),
            ("`worker/a/NAME.cpp`", False), ("`worker/a/NAME_section.cpp`", True), ("`worker/<name>/one.cpp`", False),
            ("`worker/…_test.cpp`", True), ("`tests/worker/…_test.cpp`", False), ("`somewhere/b`", False),
            ("`/worker/b`", False), ("`https://worker/b`", False), ("`a/b`", False), ("worker/b", False),
            ("```\n`worker/b`\n```", False), ("`config/token_encoders.yaml`", False),
        ):
            with self.subTest(text=text):
                found = self.findings(named_paths.check, {**there, "docs/a.md": f"# A\n\n{text}\n"})
                self.assertEqual(len(found), int(wrong), found)
                if wrong:
                    self.assertRegex(found[0], r"^docs/a\.md:[34]: there is no ")
        self.expect(named_paths.check, "CHANGELOG.md", "`docs/b`\n", [])
        for text, lines in (("`worker/a/one_test.cpp`", []), ("`worker/a/two_test.cpp`", [1])):
            found = self.findings(named_paths.check, {**there, "config/LIMITS.md": text})
            self.assertEqual([int(f.split(":")[1]) for f in found], lines, found)

    def test_files_in_the_tables_of_readmes_are_there(self):
        there = {"a/one.cpp": "", "a/one.hpp": "", "a/b/two.py": "", "a/x_case.cpp": "", "c/three.cpp": ""}
        for head, cell, wrong in (
            ("file", "`one`", False), ("file", "`one.hpp`", False), ("file", "`one.sql`", True), ("file", "`on`", True),
            ("part", "`one`, `four`", True), ("part", "`b/`, `b/two.py`", False), ("folder", "`c/`", False),
            ("folder", "`b/`", False), ("folder", "`d/`", True), ("script", "`b/one`", True), ("file", "`*.cpp`", False),
            ("file", "`*_test`", True), ("file", "`three`", True), ("file", "`../c/three`", False), ("file", "one, four", False),
            ("file (`*_case.cpp`)", "`x`", False), ("file (`*_case.cpp`)", "`one`", True), ("option", "`four`", False), ("", "`four`", False),
        ):
            with self.subTest(head=head, cell=cell):
                text = f"# a\n\n| {head} | what |\n| --- | --- |\n| {cell} | `four` |\n\n`four`\n"
                found = self.findings(named_paths.check, {**there, "a/README.md": text})
                self.assertEqual([f.split(" ")[0] for f in found], ["a/README.md:5:"] if wrong else [], found)

    def test_what_is_no_path_of_the_tree_is_named_and_has_a_reason(self):
        tree = SourceTree(ROOT)
        for path, reason in named_paths.NOT_OURS.items():
            self.assertFalse(os.path.exists(os.path.join(ROOT, path)), path)
            self.assertTrue(any(f"`{path}`" in tree.text(name) for name in tree.paths if name.endswith(".md")), path)
            self.assertTrue(reason)

    def test_types_of_one_name_in_one_namespace(self):
        first = {"a/first.hpp": SPDX + "namespace ba {\nclass Session final : public Base<int> {\n  int x;\n};\n}\n"}
        for path, code, wrong in (
            ("b/b.hpp", "namespace ba {\nstruct Session {};\n}\n", True),
            ("b/b.hpp", "namespace ba {\nenum class Session : int { kA };\n}\n", True),
            ("b/b.hpp", "namespace ba {\nclass [[nodiscard]] Session {};\n}\n", True),
            ("b/b.hpp", "namespace ba {\ntemplate <typename T>\nclass Session {};\n}\n", True),
            ("b/b.hpp", "namespace ba::mcp {\nclass Session {};\n}\n", False),
            ("b/b.hpp", "namespace ba { namespace mcp {\nclass Session {};\n} }\n", False),
            ("b/b.hpp", "namespace ba {\nclass Session;\nvoid f(struct Session&);\n}\n", False),
            ("b/b.hpp", "namespace ba {\nclass Other {\n  struct Session {};\n};\n}\n", False),
            ("b/b.hpp", "namespace ba {\ninline int f() {\n  struct Session {};\n  return 1;\n}\n}\n", False),
            ("b/b.hpp", "namespace ba {\nnamespace {\nclass Session {};\n}\n}\n", False),
            ("b/b.hpp", "namespace ba {\n// class Session {};\n}\n", False),
            ("b/b.cpp", "namespace ba {\nclass Session {};\n}\n", False),
        ):
            with self.subTest(code=code):
                found = self.findings(double_types.check, {**first, path: code})
                self.assertEqual(len(found), int(wrong), found)
        self.assertEqual(found, [])
        found = self.findings(double_types.check, {**first, "b.d/b.hpp": "namespace ba {\n\nclass Session {};\n}\n"})
        self.assertEqual(found, ["b.d/b.hpp:3: ba::Session is also defined in a/first.hpp"])

    def test_a_folder_is_a_namespace(self):
        forward = "namespace ba::http {\nclass Client;\nenum class Way : int;\n}  // namespace ba::http\n\n"
        for path, code, wrong in (
            ("worker/llm/openai/a.hpp", "namespace ba::llm {\nclass A {};\n}  // namespace ba::llm\n", False),
            ("worker/llm/a.hpp", "namespace ba::llm::wire {\nclass A {};\n}  // namespace ba::llm::wire\n", False),
            ("worker/llm/a.hpp", "namespace ba {\nclass A {};\n}  // namespace ba\n", True),
            ("worker/llm/a.hpp", forward + "namespace ba::llm {\nclass A {};\n}  // namespace ba::llm\n", False),
            ("worker/llm/a.hpp", "namespace ba::http {\nclass A {};\n}  // namespace ba::http\n", True),
            ("worker/tools/sql/a.cpp", "namespace ba::sql {\nint a;\n}  // namespace ba::sql\n", False),
            ("worker/tools/sql/a.cpp", "namespace ba::tools {\nint a;\n}  // namespace ba::tools\n", True),
            ("worker/tools/base/a.cpp", "namespace ba::tools {\nint a;\n}  // namespace ba::tools\n", False),
            ("storage/ledger/a.cpp", "namespace ba::storage {\nint a;\n}  // namespace ba::storage\n", False),
            ("storage/a.cpp", "namespace ba {\nint a;\n}  // namespace ba\n", True),
            ("worker/main.cpp", "namespace ba {\nint a;\n}  // namespace ba\n", False),
            ("pipeline/base/a.hpp", "namespace ba {\nclass A {};\n}  // namespace ba\n", False),
        ):
            with self.subTest(path=path, code=code):
                found = self.findings(namespaces.check, {path: SPDX + code})
                self.assertEqual(len(found), int(wrong), found)
        self.assertIn("ba where ba::storage belongs", self.findings(
            namespaces.check, {"storage/a.cpp": "namespace ba {\nint a;\n}\n"})[0])

    def test_headers_of_one_name(self):
        files = {"pipeline/core/a/session.hpp": SPDX, "storage/session.cpp": SPDX, "storage/other.hpp": SPDX}
        self.assertEqual(self.findings(base_names.check, files), [])
        found = self.findings(base_names.check, {**files, "storage/session.hpp": SPDX})
        self.assertEqual(found, ["storage/session.hpp:1: pipeline/core/a/session.hpp has this name, too"])

    def test_migrations_never_change(self):
        folder, name = "storage/migrations/", "V001__jobs.sql"
        whole = {folder + name: "-- jobs\n",
                 folder + "released.sha256": hashlib.sha256(b"-- jobs\n").hexdigest() + f"  {name}\n"}
        self.assertEqual(self.findings(migrations.check, whole), [])
        for change, found in (
            ({folder + name: "-- Jobs\n"}, "has changed"),
            ({folder + "V002__more.sql": "-- more\n"}, "lacks V002__more.sql; in storage/migrations: sha256sum V002__more.sql >>"),
            ({folder + "released.sha256": "nothing\n"}, "no line of sha256sum"),
        ):
            self.assertIn(found, self.findings(migrations.check, {**whole, **change})[0])
        del whole[folder + name]
        self.assertEqual(self.findings(migrations.check, {**whole, folder + "V003__x.sql": ""})[0].count("isn't there"), 1)

    def test_knots(self):
        def chain(*rooms):
            return {f"a/{room}.cpp": f'{SPDX}#include "a/{other}.hpp"\n'
                    for room, other in zip(rooms, rooms[1:])} | {f"a/{room}.hpp": SPDX for room in rooms}

        self.assertEqual(self.findings(knots.check, chain(*"abcdef")), [])
        self.assertEqual(self.findings(knots.check, chain(*"abcda")), [])
        found = self.findings(knots.check, chain(*"abcdea"))
        self.assertEqual(len(found), 1, found)
        self.assertIn("5 files need each other", found[0])
        found = self.findings(knots.check, {**chain(*"abcdef"), "a/f.hpp": f'{SPDX}#include "a/a.hpp"\n'})
        self.assertEqual(len(found), 1, found)

    def test_members_are_counted(self):
        for members, methods, fields in (
            ("int a; std::string b_; const Config& c_; int* d = nullptr;", 0, 4),
            ("int a = 1; int b{2}; std::vector<int> c{1, 2}; Options d = {1, {2}};", 0, 4),
            ("int a, b;", 0, 2),
            ("std::function<void(int, bool)> f_; std::function<void()> g_ = [this](int x) { run(x); };", 0, 2),
            ("void f(); int g(int a = h(1)) const { return a; } virtual void i() = 0; ~A();", 4, 0),
            ("public: A() = default; explicit A(int a) : a_(a), b_{a} {} private: int a_; int b_;", 2, 2),
            ("bool operator==(const A&) const = default; A& operator=(A&&) = delete; bool operator()(int) const;", 3, 0),
            ("friend bool operator==(const A&, const A&) = default; friend class B; using T = int;", 0, 0),
            ("static int made(); static constexpr int kMost = 3; static_assert(sizeof(int) == 4);", 1, 0),
            ("struct B { int x; void f(); }; enum class C { kOne, kTwo }; B b_;", 0, 1),
            ("template <typename T> void f(T&& t) { t(); } auto g() -> std::vector<int>;", 2, 0),
            ("void f(Options o = {}, int b = 2); int x_;", 1, 1),
            ("std::map<std::string, std::vector<int>> m_; std::array<int, 3> n_{};", 0, 2),
        ):
            with self.subTest(members=members):
                found = cpp_classes(f"namespace ba {{\nclass A {{ {members} }};\n}}\n")[0]
                self.assertEqual((found.name, found.methods, found.fields), ("A", methods, fields))

    def test_large_classes_are_listed(self):
        def code(methods, fields):
            return "class A {\n" + "".join(f"  void f{i}();\n" for i in range(methods)) + "".join(
                f"  int x{i}_ = 0;\n" for i in range(fields)) + "};\n"
        self.assertEqual(self.findings(sizes.large, {"a/a.hpp": code(20, 15)}), [])
        self.assertEqual(self.findings(sizes.large, {"a/a.hpp": code(21, 0)}),
                         ["large: a/a.hpp:1: class A has 21 methods, 0 fields"])
        self.assertEqual(self.findings(sizes.large, {"a/a.cpp": code(1, 16)}),
                         ["large: a/a.cpp:1: class A has 1 methods, 16 fields"])

    def test_sizes_are_listed(self):
        body = "  x();\n" * 71
        code = f"namespace ba {{\nvoid A::long_one(int a) const {{\n{body}}}\nvoid b() {{}}\n}}\n"
        found = self.findings(sizes.large, {"a/a.cpp": code, "a/b.py": "def f():\n" + "    x()\n" * 80})
        self.assertEqual(found, ["large: a/a.cpp:2: A::long_one() has 73 lines",
                                 "large: a/b.py:1: f() has 81 lines"])
        self.assertEqual(len(self.findings(sizes.large, {"a/a.hpp": "\n" * 301})), 1)


if __name__ == "__main__":
    unittest.main()
