// An array that makes other jobs than the user had in mind costs GPUs, and nobody reads 200
// manifests.
#include "manifest/array.h"

#include <doctest/doctest.h>

#include "base/text/text.h"

namespace trainctl::job {
namespace array_test {

std::vector<std::string> values(std::string_view text) {
  const auto axis = parse_axis(text);
  return axis ? axis->values : std::vector<std::string>{axis.error().message};
}

std::string described(const ArrayMember& member) {
  std::string text = cat(member.index, ':');
  for (const auto& [name, value] : member.values) text += cat(' ', name, '=', value);
  return text;
}

TEST_CASE("the values of an axis are those that were typed, ranges with both ends") {
  using Values = std::vector<std::string>;
  CHECK(values("lr=1e-3,1e-4") == Values{"1e-3", "1e-4"});
  CHECK(values("seed=1-4") == Values{"1", "2", "3", "4"});
  CHECK(values("shard=08-11") == Values{"08", "09", "10", "11"});
  CHECK(values("date=2026-01-02") == Values{"2026-01-02"});
  CHECK(values("seed=0,7-8") == Values{"0", "7", "8"});
  CHECK(values("day=2026-01-02") == Values{"2026-01-02"});
  CHECK(values(R"(mix=a\,b,c\d,\)") == Values{"a,b", R"(c\d)", R"(\)"});
  CHECK(values("path=a=b") == Values{"a=b"});
}

TEST_CASE("an axis that cannot be meant is refused") {
  CHECK(values("lr").front() == "--array lr: the values are missing");
  CHECK(values("lr=").front() == "--array lr=: a value is empty");
  CHECK(values("lr=1,,2").front() == "--array lr=1,,2: a value is empty");
  CHECK(values("seed=1-3,2").front() == "--array seed=1-3,2: `2` is given twice");
  CHECK(values("seed=1-99999999999999999999").front() ==
        "--array seed=1-99999999999999999999: the range 1-99999999999999999999 is too long");
  CHECK(values("seed=5-1").front() ==
        "--array seed=5-1: the range 5-1 counts down; write 1-5, "
        "or for this text 5\\-1");
  CHECK(
      values("lr=1e-3..1e-1").front() ==
      "--array lr=1e-3..1e-1: 1e-3..1e-1 is no range; write 1-8 for whole numbers, or the values: "
      "1e-3,1e-2");
  CHECK(values("d=../a,2024\\-01,2024\\-2025") ==
        std::vector<std::string>{"../a", "2024-01", "2024-2025"});
  CHECK(values("index=1").front() ==
        "--array index=1: {index} already stands for the job's number");
  CHECK(values("a-b=1").front() == "--array a-b=1: `a-b` is not a name: use letters, digits and _");
  CHECK(values("n=1-9999999").front() == "--array n=1-9999999: the range 1-9999999 is too long");
}

TEST_CASE("an array has each combination once, and the last axis changes first") {
  const auto members = array_members({{"lr", {"a", "b"}}, {"seed", {"1", "2", "3"}}}, 6);
  REQUIRE(members);
  REQUIRE(members->size() == 6);
  CHECK(described(members->at(0)) == "0: lr=a seed=1");
  CHECK(described(members->at(2)) == "2: lr=a seed=3");
  CHECK(described(members->at(5)) == "5: lr=b seed=3");
}

TEST_CASE("too many members are refused before they are made") {
  std::vector<std::string> thousand;
  for (int i = 0; i < 1000; ++i) thousand.push_back(std::to_string(i));
  std::vector<ArrayAxis> axes;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"})
    axes.push_back({name, thousand});
  CHECK(!array_members(axes, 1000));
  CHECK(!array_members({{"a", {"1"}}, {"a", {"2"}}}, 10));
}

TEST_CASE("placeholders are those of the axes, and other braces stay") {
  const ArrayMember member{7, {{"lr", "{index}"}, {"seed", "3"}}};
  CHECK(filled_in("--lr={lr} {seed}{seed}", member) == "--lr={index} 33");
  CHECK(filled_in(R"({"lr": {lr}, "x": {other}})", member) == R"({"lr": {index}, "x": {other}})");
  CHECK(filled_in("run-{index}", member) == "run-7");
  CHECK(filled_in("{lr", member) == "{lr");
  CHECK(filled_in("", member).empty());
}

TEST_CASE("the array is named by what stands before the first placeholder") {
  CHECK(*array_name("sweep") == "sweep");
  CHECK(*array_name("sweep-{lr}-{index}") == "sweep");
  CHECK(*array_name("sweep.{lr}") == "sweep");
  CHECK(!array_name("{lr}"));
  CHECK(!array_name(std::string(64, 'a')));
}

TEST_CASE("a member's line has its values, its own name and the labels of the array") {
  RenderInput line;
  line.flags = {{find_flag("name"), nullptr, {"sweep"}}, {find_flag("env"), nullptr, {"LR={lr}"}}};
  line.words = {"--lr", "{lr}"};
  const RenderInput member = member_line(line, {1, {{"lr", "1e-4"}}}, "sweep", "sweep");
  CHECK(member.words == std::vector<std::string>{"--lr", "1e-4"});
  REQUIRE(member.flags.size() == 1);
  CHECK(member.flags[0].values == std::vector<std::string>{"LR=1e-4"});
  const Json& metadata = object_at(member.overlays.back(), "/metadata");
  CHECK(text_at(metadata, "/name") == "sweep-1");
  CHECK(text_at(metadata, "/labels/trainctl~1array") == "sweep");
  CHECK(text_at(metadata, "/labels/trainctl~1array-index") == "1");
  CHECK(text_at(metadata, "/annotations/trainctl~1array-values") == "lr=1e-4");
  const RenderInput named = member_line(line, {1, {{"lr", "1e-4"}}}, "sweep-{lr}", "sweep");
  CHECK(text_at(named.overlays.back(), "/metadata/name") == "sweep-1e-4");
}

TEST_CASE("an axis that nothing uses would make equal jobs") {
  RenderInput line;
  line.words = {"--seed={seed}"};
  CHECK(check_axes_used(line, {{"seed", {"1"}}}));
  CHECK(!check_axes_used(line, {{"seed", {"1"}}, {"lr", {"1"}}}));
}

}  // namespace array_test
}  // namespace trainctl::job
