// Reading YAML: the types users mean, and errors by line and column.
#include <doctest/doctest.h>

#include "base/value/yaml.h"

namespace yaml_read_test {

using namespace trainctl;

std::string read(std::string_view text) {
  const auto value = from_yaml(text, "job.yaml");
  return value ? dump(*value) : value.error().message;
}

TEST_CASE("a manifest is read with its order, comments and styles") {
  CHECK(read("# a job\nkind: PyTorchJob  # comment\nspec:\n  b: [1, 'two', {x: y}]\n"
             "  a:\n  - |\n    l1\n    l2\n  - >-\n    f1\n    f2\n") ==
        R"({"kind":"PyTorchJob","spec":{"b":[1,"two",{"x":"y"}],"a":["l1\nl2\n","f1 f2"]}})");
  CHECK(read("\xEF\xBB\xBFkind: Pod\r\nspec: {}\r\n") == R"({"kind":"Pod","spec":{}})");
}

TEST_CASE("plain scalars are typed as kubectl types them") {
  CHECK(read("[~, null, Null, NULL, ]") == "[null,null,null,null]");
  CHECK(read("[true, True, TRUE, false, False, FALSE]") == "[true,true,true,false,false,false]");
  CHECK(read("[0, 8080, -5, +7, 08]") == "[0,8080,-5,7,8]");
  CHECK(read("[0644, 0o644, 0x1F, -0x1f]") == "[420,420,31,-31]");
  CHECK(read("[9223372036854775807, 9223372036854775808, -9223372036854775808]") ==
        "[9223372036854775807,9223372036854775808,-9223372036854775808]");
  CHECK(read("[1.5, .5, 5., 1e3, -2.5E-1]") == "[1.5,0.5,5.0,1000.0,-0.25]");
  CHECK(read("[yes, no, on, off, y, n]") == R"(["yes","no","on","off","y","n"])");
  CHECK(read("[1_000, 0b11, 12:30:45, 2024-01-01, 1.2.3, 0x, e3, ., +, tRUE]") ==
        R"(["1_000","0b11","12:30:45","2024-01-01","1.2.3","0x","e3",".","+","tRUE"])");
}

TEST_CASE("a quoted number stays text, so env values reach the API as strings") {
  CHECK(read("['8080', \"true\", '', '~', '0x1F', \"1e3\"]") ==
        R"(["8080","true","","~","0x1F","1e3"])");
  CHECK(read("[! 5, !!str 5, !!int '5', !!float 5, !!str ]") == R"(["5","5",5,5,""])");
  CHECK(read("a: |\n  5\n") == R"({"a":"5\n"})");
}

TEST_CASE("numbers JSON cannot hold are refused instead of becoming null") {
  for (const char* text :
       {"a: .inf", "a: -.Inf", "a: .NaN", "a: 1e999", "a: 0xFFFFFFFFFFFFFFFFF"}) {
    CAPTURE(text);
    CHECK(read(text).find("job.yaml:1:4: JSON has no such number") == 0);
  }
}

TEST_CASE("anchors serve several roles, and merge keys give way to own keys") {
  CHECK(read("Master: &r {replicas: 1, image: a}\nWorker: *r") ==
        R"({"Master":{"replicas":1,"image":"a"},"Worker":{"replicas":1,"image":"a"}})");
  CHECK(read("base: &b {a: 1, b: 2}\nx:\n  b: 3\n  <<: *b\n  c: 4") ==
        R"({"base":{"a":1,"b":2},"x":{"b":3,"c":4,"a":1}})");
  CHECK(read("x: &x {a: 1}\ny: &y {a: 2, b: 3}\nz: {<<: [*x, *y]}") ==
        R"({"x":{"a":1},"y":{"a":2,"b":3},"z":{"a":1,"b":3}})");
  CHECK(read("'<<': {a: 1}") == R"({"<<":{"a":1}})");
  CHECK(read("<<: 5") == "job.yaml:1:5: << merges a map or a list of maps, but this is neither");
}

TEST_CASE("changing what an alias gave leaves the other uses alone") {
  auto value = from_yaml("a: &x {n: 1}\nb: *x", "f");
  REQUIRE(value);
  set_at(*value, "/b/n", 2);
  CHECK(dump(*value) == R"({"a":{"n":1},"b":{"n":2}})");
}

TEST_CASE("JSON is read as JSON: tabs, surrogate pairs and long keys included") {
  CHECK(read("{\n\t\"a\":\"\\ud83d\\ude00\\/\"\n}\n") == "{\"a\":\"\xF0\x9F\x98\x80/\"}");
  const std::string key(5000, 'k');
  CHECK(read("{\"" + key + "\":1}") == "{\"" + key + "\":1}");
  CHECK(read("{\"a\":1,\n\"a\":2}") == "job.yaml:2:1: duplicate key; first on line 1");
}

TEST_CASE("an error quotes nothing of the file, which may be a secret") {
  for (const char* text :
       {"stringData:\n  p: !hunter2\n", "stringData:\n  p: !hunter2 {}\n",
        "p: 8e999999999999hunter2", "data:\n  p: 84123e9999999\n", "key: |\n    a\n  hunter2\n",
        "k: 1\nhunter2\n", "hunter2: 1\nhunter2: 2\n", "84123: a", "? {hunter2: 1}\n: b"}) {
    CAPTURE(text);
    const std::string answer = read(text);
    const bool refused = answer.starts_with("job.yaml:");
    CHECK((!refused || answer.find("hunter2") == std::string::npos));
    CHECK((!refused || answer.find("84123") == std::string::npos));
  }
}

TEST_CASE("errors point at the line and column") {
  CHECK(read("kind: x\nspec:\n  a: b: c\n").find("job.yaml:3:7: not valid YAML: ") == 0);
  CHECK(read("a: 1\nb:\n  x: 1\n  x: 2\n") == "job.yaml:4:3: duplicate key; first on line 3");
  CHECK(read("1: a") == "job.yaml:1:1: a key must be text, but this one is not");
  CHECK(read("true: a") == "job.yaml:1:1: a key must be text, but this one is not");
  CHECK(read("? [a]\n: b") == "job.yaml:1:3: a key must be text, but this one is a list or a map");
  CHECK(read("a: !ours 5") == "job.yaml:1:4: this tag is not supported here");
  CHECK(read("a: !!binary Z?") == "job.yaml:1:4: this is not base64");
  CHECK(read("a: !!binary /w==") == "job.yaml:1:4: these bytes are not text");
  CHECK(read("a: !!set {}") == "job.yaml:1:4: this tag is not supported here");
  CHECK(read("a: *none").find("job.yaml:1:4: ") == 0);
  CHECK(read("a: [1, 2").find("job.yaml:1:") == 0);
  CHECK(from_yaml("a: b: c", "f").error().code == Code::usage);
}

TEST_CASE("an empty file is called empty") {
  for (const char* text : {"", "\n", "# only a comment\n", "---\n", "---\n---\n", "null\n"}) {
    CAPTURE(text);
    CHECK(read(text) == "job.yaml: the document is empty");
  }
}

TEST_CASE("a stream gives its documents in order, empty ones left out") {
  const auto values = from_yaml_stream("---\n# none\n---\na: 1\n---\n---\nb: 2\n...\n", "f");
  REQUIRE(values);
  CHECK(dump(Json(*values)) == R"([{"a":1},{"b":2}])");
  CHECK(from_yaml_stream("", "f")->empty());
  CHECK(*from_yaml("---\na: 1\n---\n", "f") == Json{{"a", 1}});
}

}  // namespace yaml_read_test
