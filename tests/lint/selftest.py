"""Each lint must be able to fail: a planted violation in a small tree of its own, and its clean twin."""

import os
import subprocess
import sys
import tempfile
import unittest

import cases
import declared
import docs
import layers
import members
import promises
import state
import style

HERE = os.path.dirname(os.path.abspath(__file__))
FIRST = "// A file that exists to be looked at.\n"


class Planted(unittest.TestCase):
    def complaints(self, check, files, *arguments):
        with tempfile.TemporaryDirectory() as root:
            for path, text in files.items():
                os.makedirs(os.path.dirname(os.path.join(root, path)) or root, exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            return check(root, *arguments)

    def refused(self, check, files, fragment, *arguments):
        found = self.complaints(check, files, *arguments)
        self.assertEqual(len(found), 1, found)
        self.assertIn(fragment, found[0])

    def accepted(self, check, files, *arguments):
        self.assertEqual(self.complaints(check, files, *arguments), [])

    def test_upward_include(self):
        self.refused(layers.check_includes, {"src/net/a.h": '#include "kube/client/client.h"\n'}, "src/net/a.h:1: src/net includes upward")
        self.refused(layers.check_includes, {"src/manifest/kind/a.cpp": '\n#  include "cli/run.h"\n'}, "src/manifest/kind/a.cpp:2")
        self.refused(layers.check_includes, {"src/manifest/kind/a.cpp": '#include "local/server.h"\n'}, "upward")
        self.refused(layers.check_includes, {"cli/options/a.cpp": '#include "cli/commands.h"\n'}, "cli/options includes upward")
        self.refused(layers.check_includes, {"src/options/table/a.cpp": '#include "cli/options/bind.h"\n'}, "src/options/table includes upward")
        self.refused(layers.check_includes, {"src/options/table/a.cpp": '#include "options/settings/settings.h"\n'}, "src/options/table includes upward")
        self.accepted(layers.check_includes, {"cli/commands/a.cpp": '#include "cli/commands.h"\n'})
        self.refused(layers.check_includes, {"src/doctor/a.cpp": '#include "check/judges.h"\n'}, "another capability")
        self.accepted(layers.check_includes, {"src/report/a.cpp": '#include "history/run_report.h"\n'})
        self.refused(layers.check_includes, {"src/manifest/kind/a.cpp": '#include "../kube/client.h"\n'}, "in no layer")
        self.accepted(layers.check_includes, {"src/kube/a.h": '#include "net/http.h"\n#include "kube/b.h"\n',
                                              "cli/run.cpp": '#include "local/server.h"\n#include "cli/run.h"\n'})

    def test_library_away_from_home(self):
        for header in ("CLI/CLI.hpp", "curl/curl.h", "yaml-cpp/yaml.h", "uv.h",
                       "re2/re2.h", "utf8proc.h", "sqlite3.h", "microhttpd.h", "openssl/evp.h"):
            self.refused(layers.check_includes, {"src/manifest/kind/a.cpp": f"#include <{header}>\n"}, header)
        self.accepted(layers.check_includes, {"cli/a.cpp": "#include <CLI/CLI.hpp>\n", "src/net/a.cpp": "#include <curl/curl.h>\n",
                                              "src/base/value/yaml.cpp": "#include <yaml-cpp/yaml.h>\n", "src/base/loop/loop.cpp": "#include <uv.h>\n"})

    def test_what_cli_leaves_to_others(self):
        for line in ('#include "local/daemon/control.h"', "net::Request request;"):
            self.refused(layers.check_cli, {"cli/output/a.cpp": f"\n{line}\n"}, "cli/output/a.cpp:2")
            self.accepted(layers.check_cli, {"cli/local_cluster.cpp": f"{line}\n", "src/work/a.cpp": f"{line}\n"})

    def test_call_away_from_home(self):
        for call, home in (("sqlite3_open(p, &d)", "src/base/file/sqlite.cpp"), ("sqlite3_open_v2(p, &d, 0, 0)", "src/base/file/sqlite.cpp"),
                           ("set(CURLOPT_CAINFO, f)", "src/net/curl_transfer.cpp"), ("set(CURLOPT_CAPATH, f)", "src/net/curl_transfer.cpp"),
                           ("set(CURLOPT_PROXY_CAINFO, f)", "src/net/curl_transfer.cpp")):
            self.refused(layers.check_calls, {"src/net/curl_lane.cpp": f"\n{call};\n"}, "src/net/curl_lane.cpp:2")
            self.accepted(layers.check_calls, {home: f"{call};\n", "src/net/a.cpp": f"// {call}\n"})

    def test_forbidden_names(self):
        for call in ('std::getenv("A")', "exit(1)", "std::exit(1)", "std::cout << 1", "std :: cerr << 1", 'printf("x")', "thread_local int a"):
            self.refused(layers.check_forbidden, {"src/base/a.cpp": f"void f() {{\n  {call};\n}}\n"}, "src/base/a.cpp:2")
        self.accepted(layers.check_forbidden, {
            "cli/main.cpp": "int main() { std::exit(1); }\n",
            "src/base/a.cpp": '// exit(1)\nauto a = "getenv(x)"; auto b = R"(exit(1))"; int n = 1\'000; child.exit(2); on_exit(3);\n'})

    def test_missing_first_sentence(self):
        self.refused(style.check_first_sentence, {"src/a.cpp": "#pragma once\n"}, "src/a.cpp:1")
        self.refused(style.check_first_sentence, {"script/run": "#!/bin/sh\nexec true\n"}, "script/run:1")
        self.refused(style.check_first_sentence, {"CMakeLists.txt": "add_library(x)\n"}, "CMakeLists.txt:1")
        self.accepted(style.check_first_sentence, {"src/a.cpp": FIRST, "src/b.h": FIRST, "src/b.cpp": "#include <b>\n", "data.json": "{}\n", "tests/cases/x/y.case": "-- cmd --\nget\n",
                                                   "script/run": "#!/bin/sh\n# Runs what there is to run.\n"})

    def test_case_nobody_can_read(self):
        case = "-- cmd --\ntrainctl get{}\n-- server --\n- request: GET /{}\n-- stdout --\n{}\n"
        long = "x" * 200
        self.refused(cases.check_lines, {"tests/cases/a/b.case": case.format(long, "", "")}, "tests/cases/a/b.case:2: 212 characters")
        self.refused(cases.check_lines, {"tests/cases/a/b.case": case.format("", long, "")}, "tests/cases/a/b.case:4")
        self.refused(cases.check_lines, {"tests/cases/worlds/a.yaml": long + "\n" + long + "x\n"}, "tests/cases/worlds/a.yaml:2: 201")
        self.refused(cases.check_lines, {}, "no cases")
        self.accepted(cases.check_lines, {"tests/cases/a/b.case": case.format("", "", long + long)})

    def test_what_cases_share(self):
        block = "".join(f"- request: GET /{number}\n" for number in range(8))
        one = "-- cmd --\ntrainctl get\n-- server --\n{}-- stdout --\nx\n"
        twice = {"tests/cases/a/b.case": one.format(block), "tests/cases/a/c.case": one.format(block)}
        self.refused(cases.check_repeated, twice, "100.0 %")
        self.accepted(cases.check_repeated, {**twice, "tests/cases/a/c.case": one.format(block.replace("/3", "/x"))})
        world, object = {"tests/cases/worlds/w.yaml": "- {request: /a, reply: o}\n"}, {"tests/cases/objects/all.yaml": "o: {}\n"}
        named = {"tests/cases/a/b.case": "-- cmd --\n-- world --\nw\n"}
        self.refused(cases.check_unused, {**world, **object}, "no case has this world")
        self.refused(cases.check_unused, object, "nothing refers to o")
        self.accepted(cases.check_unused, {**world, **object, **named})
        file = {"tests/cases/files/job.yaml": "kind: Job\n"}
        self.refused(cases.check_unused, file, "no case has this file")
        self.accepted(cases.check_unused, {**file, "tests/cases/a/b.case": "-- cmd --\n-- files/a.yaml --\n@job.yaml\n"})

    def test_class_with_too_much_state(self):
        def one(body):
            return {"src/logs/a.h": f"// A.\nclass A {{\n public:\n  void f() const {{ return; }}\n private:\n{body}}};\n"}
        self.refused(members.check_members, one("  std::map<int, int> a_;  // x\n" * 16), "A has 16 data members")
        self.refused(members.check_members, one("  bool a_, b_, c_;\n  bool d_ = false, e_ = false;\n"), "A has 5 booleans")
        self.refused(members.check_members, {"cli/a.h": "struct A {\n" + "  int a;\n" * 16 + "};\n"}, "A has 16 data members")
        large = {"src/net/a.h": "struct A {\n" + "  int a;\n" * 17 + "};\n"}
        self.accepted(members.check_members, {**large, "tests/lint/large_types.txt": "src/net/a.h A 17 0 one reason\n"})
        self.refused(members.check_members, {**large, "tests/lint/large_types.txt": "src/net/a.h A 18 0 one reason\n"}, "say so in")
        self.refused(members.check_members, {"tests/lint/large_types.txt": "src/net/a.h A 18 0 one reason\n"}, "has no A")
        self.accepted(members.check_members, one("  struct B {\n    bool a, b, c, d;\n  };\n  B b_;\n" + "  std::function<void(int, bool)> f_;\n" * 14))

    def test_unformatted(self):
        layout = {".clang-format": "BasedOnStyle: Google\n"}
        self.refused(style.check_format, {"src/a.cpp": "int   x ;\n", **layout}, "src/a.cpp: not formatted")
        self.accepted(style.check_format, {"src/a.cpp": "int x;\n", **layout})

    def test_room_that_nobody_explains(self):
        self.refused(docs.check_rooms, {"ARCHITECTURE.md": "`src/base/`: errors\n", "src/base/a.h": FIRST, "src/net/a.h": FIRST}, "src/net/")
        self.accepted(docs.check_rooms, {"ARCHITECTURE.md": "`src/base/`: errors\n", "src/base/a.h": FIRST})

    def test_path_that_is_gone(self):
        self.refused(docs.check_paths, {"ARCHITECTURE.md": "see `src/manifest/flags/flags.cpp`.\n"}, "src/manifest/flags/flags.cpp does not exist")
        self.refused(docs.check_paths, {"ARCHITECTURE.md": "src/{a,b}.h\n", "src/a.h": ""}, "src/b.h does not exist")
        self.accepted(docs.check_paths, {"ARCHITECTURE.md": "see `src/a.h`, cli/commands/NAME.cpp, src/ and /etc/src/none\n",
                                         "src/a.h": "", "cli/commands/get.cpp": ""})

    def test_promise_without_a_test(self):
        tests = {"tests/base/a_test.cpp": 'TEST_CASE("a b") {}\n', "tests/conformance/cases/a.yaml": "- id: HS-01 more\n"}
        page = "| promise | test |\n|---|---|\n| it holds | {} |\n"
        for gone in ('"a c"', "HS-02", "`tests/none`", "trust me", 'HS-01; "a c"'):
            self.refused(promises.check_promises, {**tests, "docs/security.md": page.format(gone)}, "docs/security.md:3: there is no test")
        self.refused(promises.check_promises, {**tests, "docs/security.md": "All is well.\n"}, "promises nothing")
        self.accepted(promises.check_promises, {**tests, "docs/security.md": page.format('"a b"; HS-01; `tests/base`')})

    def test_page_that_language_models_do_not_find(self):
        pages = {"docs/README.md": "| [data.md](data.md) | code and data |\n"}
        self.refused(docs.check_llms, {**pages, "docs/llms.txt": "- [data.md](data.md): data\n"}, "code and data")
        self.accepted(docs.check_llms, {**pages, "docs/llms.txt": "- [data.md](data.md): code and data\n"})

    def test_version_that_nobody_described(self):
        project = {"CMakeLists.txt": "project(trainctl VERSION 1.2.0)\n"}
        self.refused(docs.check_version, {**project, "CHANGELOG.md": "## 1.1.0\n"}, "1.1.0")
        self.accepted(docs.check_version, {**project, "CHANGELOG.md": "## 1.2.0\n## 1.1.0\n"})

    def test_stale_table(self):
        table = "| exit status | meaning |\n|---|---|\n| 0 | done |\n"
        block = "<!-- begin: table of each exit status -->\n{}<!-- end -->\n"
        with tempfile.TemporaryDirectory() as directory:
            program = directory + "/trainctl"
            with open(program, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\ncat <<'END'\n{table}END\n")
            os.chmod(program, 0o755)
            self.refused(docs.check_blocks, {"README.md": block.format("| 0 | fine |\n")}, "README.md", program)
            self.accepted(docs.check_blocks, {"README.md": block.format(table)}, program)
            self.refused(docs.check_blocks, {"README.md": "nothing\n"}, "exit status", program)

    def test_state_outside_objects(self):
        constants = 'namespace trainctl { extern const char* const k_names[]; const char* const k_names[] = {"a"}; constexpr int k_one = 1; int f() { return k_one; } }\n'
        for code, name in (("namespace trainctl { int counter; }", "counter"),
                           ("namespace trainctl { namespace { int hidden = 3; } int f() { return ++hidden; } }", "hidden"),
                           ("namespace trainctl { int f() { static int calls = 0; return ++calls; } }", "calls")):
            found = self.compiled(code)
            self.assertEqual(len(found), 1, found)
            self.assertIn(name, found[0])
        self.assertEqual(self.compiled(constants), [])

    def test_constant_that_can_change(self):
        for code in ("int k_limit = 3;", "static int k_names[] = {1};", "namespace a {\nstd::array<int, 2> k_pair{1, 2};\n}"):
            self.refused(state.check_constants, {"src/a.cpp": FIRST + code}, "is not declared const")
        self.accepted(state.check_constants, {"src/a.cpp": FIRST + "constexpr int k_a = 1;\ninline constexpr std::string_view k_b = \"x\";\n"
                                              "static const Json k_none = Json::array();\nint f() { return k_a; }\nint x = k_a;\n"})

    def test_a_header_that_only_a_neighbour_includes(self):
        tree = {"src/base/a.h": "struct Pulse {};\nconstexpr int k_wait = 1;\nint beat(int times);\n", "src/base/b.h": '#include "base/a.h"\n'}
        for use in ("Pulse pulse;", "int x = k_wait;", "int x = beat(1);", "std::deque<int> all;"):
            self.refused(declared.check_declared, tree | {"src/status/a.cpp": use + "\n"}, "src/status/a.cpp:1")
        for header in ("base/a.h", "base/b.h"):
            self.accepted(declared.check_declared, tree | {"src/status/a.cpp": f'#include "{header}"\nPulse pulse;\nint x = beat(k_wait);\n'})
        self.accepted(declared.check_declared, tree | {"src/status/a.cpp": "class Pulse;\nvoid f(Heart& heart) {\n  heart.beat(1);\n}\n"})

    def compiled(self, code):
        with tempfile.TemporaryDirectory() as root:
            subprocess.run(["g++", "-std=c++20", "-fPIC", "-x", "c++", "-c", "-", "-o", root + "/a.o"], input=code, text=True, check=True)
            return state.check_globals([root + "/a.o"])

    def test_a_lint_that_finds_something_fails(self):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(root + "/src/net")
            with open(root + "/src/net/a.h", "w", encoding="utf-8") as file:
                file.write('#include "manifest/kind/kind.h"\n')
            run = subprocess.run([sys.executable, HERE + "/lint", "includes", root], stdout=subprocess.PIPE, text=True, check=False)
            self.assertEqual(run.returncode, 1)
            self.assertIn("upward", run.stdout)


if __name__ == "__main__":
    unittest.main()
