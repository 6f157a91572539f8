// JSON look-ups that must answer for any shape of object a server may send.
#include "base/value/json.h"

#include <doctest/doctest.h>

namespace json_test {

using namespace trainctl;

const Json k_pod = Json::parse(
    R"({"metadata":{"labels":{"a/b":"x","c~d":"y"}},"status":{"restarts":3,"ready":true,
        "big":18446744073709551615,"part":1.5,"conditions":[{"type":"Ready"}],"none":null}})");

constexpr MemberOf k_left_out{"metadata", "managedFields"};

std::string items(int count) {
  std::string text = R"({"items":[{})";
  for (int i = 1; i < count; ++i) text += ",{}";
  return text + "]}";
}

std::string members(int count) {
  std::string text = R"({"a":0)";
  for (int i = 1; i < count; ++i) text += ",\"" + std::to_string(i) + "\":0";
  return text + "}";
}

TEST_CASE("an answer takes no more memory than it needs") {
  std::string text = R"({"name":"a name that is longer than sixteen bytes","items":[)";
  for (int i = 0; i < 33; ++i) text += (i == 0 ? "" : ",") + std::to_string(i);
  text += R"(],"a":1,"b":2,"c":{"metadata":{"managedFields":[{}],"d":1}}})";
  const Json read = *parse_json(text, "x", k_left_out);
  CHECK(read.get_ref<const Json::object_t&>().capacity() == 5);
  CHECK(read["items"].get_ref<const Json::array_t&>().capacity() == 33);
  const auto& name = read["name"].get_ref<const std::string&>();
  CHECK(name.capacity() == name.size());
  CHECK(read["c"]["metadata"].get_ref<const Json::object_t&>().capacity() == 1);
}

TEST_CASE("a missing or differently shaped field is nothing, not a crash") {
  CHECK(find(k_pod, "") == &k_pod);
  CHECK(find(k_pod, "/status/restarts/deeper") == nullptr);
  CHECK(find(k_pod, "/status/conditions/1") == nullptr);
  CHECK(find(k_pod, "/status/conditions/01") == nullptr);
  CHECK(find(k_pod, "/status/conditions/x") == nullptr);
  CHECK(find(k_pod, "/status/conditions/99999999999999999999") == nullptr);
  CHECK(find(k_pod, "status") == nullptr);
  CHECK(text_at(k_pod, "/status/conditions/0/type") == "Ready");
  CHECK(text_at(k_pod, "/status/restarts", "none") == "none");
  CHECK(int_at(k_pod, "/status/restarts") == 3);
  CHECK_FALSE(int_at(k_pod, "/status/big"));
  CHECK_FALSE(int_at(k_pod, "/status/part"));
  CHECK(true_at(k_pod, "/status/ready"));
  CHECK_FALSE(true_at(k_pod, "/status/restarts"));
  CHECK(array_at(k_pod, "/status/none").empty());
  CHECK(array_at(k_pod, "/status/conditions").size() == 1);
  CHECK(object_at(k_pod, "/status/conditions").empty());
  CHECK(object_at(k_pod, "/metadata/labels").size() == 2);
}

TEST_CASE("label keys with slash and tilde are reachable by pointer") {
  CHECK(text_at(k_pod, "/metadata/labels/a~1b") == "x");
  CHECK(text_at(k_pod, "/metadata/labels/c~0d") == "y");
  CHECK(pointer_step("a/b~c") == "a~1b~0c");
  CHECK(text_at(k_pod, "/metadata/labels/" + pointer_step("c~d")) == "y");
}

TEST_CASE("--set reaches places that do not exist yet") {
  Json value = Json::parse(R"({"a":5,"list":[1,2]})");
  set_at(value, "/spec/x/y", 1);
  set_at(value, "/a/b", 2);
  set_at(value, "/list/0", 7);
  set_at(value, "/list/-", 3);
  set_at(value, "/list/99/name", "n");
  set_at(value, "no-slash", 1);
  CHECK(dump(value) == R"({"a":{"b":2},"list":[7,2,3,{"name":"n"}],"spec":{"x":{"y":1}}})");
  set_at(value, "", nullptr);
  CHECK(value.is_null());
}

TEST_CASE("an answer that is not JSON is said to be none, by line and column") {
  const auto broken = parse_json("{\n  \"a\": ]\n}", "answer of the server");
  REQUIRE_FALSE(broken);
  CHECK(broken.error().message == "answer of the server is not JSON (line 2, column 8)");
  CHECK(parse_json("  ", "output of aws").error().message == "output of aws is empty, not JSON");
  CHECK_FALSE(parse_json("{} x", "x"));
  CHECK_FALSE(parse_json("[1e999]", "x"));
  CHECK_FALSE(parse_json("\"\xFF\"", "x"));
}

TEST_CASE("only the named part is left out of an answer, and nothing else of its name") {
  const auto parsed = parse_json(
      R"({"metadata":{"name":"a","managedFields":[{"fieldsV1":{"metadata":{}}}],"uid":"1"},)"
      R"("items":[{"metadata":{"managedFields":[],"labels":{"managedFields":"x"}}},{"metadata":7}],)"
      R"("data":{"managedFields":"mine"},"managedFields":[1]})",
      "answer", k_left_out);
  REQUIRE(parsed);
  CHECK(dump(*parsed) ==
        R"({"metadata":{"name":"a","uid":"1"},)"
        R"("items":[{"metadata":{"labels":{"managedFields":"x"}}},{"metadata":7}],)"
        R"("data":{"managedFields":"mine"},"managedFields":[1]})");
}

// Time that grew with the square would take an hour, and so more than a test is given.
TEST_CASE("a hostile answer of many small values is read to its end") {
  CHECK(parse_json(items(2'000'000), "x"));
  CHECK(parse_json(members(1'000'000), "x"));
}

TEST_CASE("a hostile answer of small values is refused before they take all memory") {
  std::string text = "[[]";
  for (int i = 0; i < 4'200'000; ++i) text += ",1";
  const auto refused = parse_json(text + "]", "answer");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "answer holds more values than trainctl reads");
}

TEST_CASE("a name that an object repeats has its last value, as other parsers read it") {
  CHECK(dump(*parse_json(R"({"a":1,"b":2,"a":{"c":3}})", "x")) == R"({"a":{"c":3},"b":2})");
  std::string text = R"({"first":0)";
  for (int i = 0; i < 40; ++i) text += ",\"k" + std::to_string(i % 20) + "\":" + std::to_string(i);
  const auto parsed = parse_json(text + "}", "x", k_left_out);
  REQUIRE(parsed);
  CHECK(parsed->size() == 21);
  CHECK(int_at(*parsed, "/k0") == 20);
  CHECK(int_at(*parsed, "/k19") == 39);
  CHECK(parsed->begin().key() == "first");
}

TEST_CASE("a hostile answer nested without end is refused instead of overflowing the stack") {
  CHECK_FALSE(parse_json(std::string(1'000'000, '['), "x"));
  CHECK_FALSE(parse_json(std::string(501, '[') + std::string(501, ']'), "x"));
  CHECK(parse_json(std::string(500, '[') + std::string(500, ']'), "x"));
  CHECK(parse_json("\"" + std::string(9999, '[') + "\"", "x"));
  CHECK(parse_json(R"(["\"[[[[", "\\"])", "x"));
}

TEST_CASE("printing never fails, whatever bytes a log line or a name held") {
  CHECK(dump(Json{{"a", "x\xFFy"}}) == "{\"a\":\"x\xEF\xBF\xBDy\"}");
  CHECK(dump(Json{{"b", 1}, {"a", 2}}) == R"({"b":1,"a":2})");
  CHECK(dump(Json{{"a", 1}}, 2) == "{\n  \"a\": 1\n}");
}

}  // namespace json_test
