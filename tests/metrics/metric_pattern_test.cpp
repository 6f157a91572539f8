// Values that only the user's own patterns find, and those that they take over.
#include "metrics/metric_pattern.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "metrics/job_metrics.h"
#include "metrics/metric_words.h"

namespace trainctl::job {
namespace metric_pattern_test {

const Role k_worker{};

MetricPatterns patterns(const std::vector<std::string>& texts) {
  MetricPatterns all;
  for (const std::string& text : texts) {
    auto one = parse_metric_pattern(text);
    REQUIRE(one);
    all.push_back(*std::move(one));
  }
  return all;
}

MetricRecord record_of(const std::vector<std::string>& own, const std::vector<std::string>& lines) {
  JobMetrics metrics(patterns(own));
  Time now(std::chrono::seconds(1000));
  for (const std::string& line : lines) {
    now += std::chrono::seconds(1);
    metrics.take({{&k_worker, 0}, 0, 1, now, line});
  }
  return metrics.record();
}

TEST_CASE("a program that prints like no other has a curve and a progress by one's own patterns") {
  const MetricRecord record =
      record_of({R"(reward=mean reward (\S+))", R"(step=^\[(\d+)\])", R"(total=for (\S+) rounds)"},
                {"training for 4,000 rounds", "[1000] mean reward -3.5 (best)",
                 "[2000] mean reward 2e1 (best)", "[3000] mean reward unknown"});
  REQUIRE(record.series.size() == 1);
  CHECK(record.series[0].name() == "reward");
  REQUIRE(record.series[0].points().size() == 2);
  CHECK(record.series[0].points()[0].value == -3.5);
  CHECK(record.series[0].points()[1].step == 2000);
  CHECK(position_text(record.position) == "3000/4000");
  CHECK(record.main() == record.series.data());
}

TEST_CASE("a metric of one's own comes first, and only its pattern gives its values") {
  const MetricRecord record = record_of(
      {R"(acc=top5: ([0-9.]+))"},
      {"step 1 loss: 5 acc: 0.1 top5: 0.5", "step 2 loss: 4 acc: 0.2 \x1b[1mtop5:\x1b[0m 0.6"});
  REQUIRE(record.main() != nullptr);
  CHECK(record.main()->name() == "acc");
  REQUIRE(record.main()->points().size() == 2);
  CHECK(record.main()->points()[1].value == 0.6);
  CHECK(record.main()->points()[1].step == 2);
  CHECK(record.find("loss") != nullptr);
}

TEST_CASE("a pattern without a group means its whole match, and the first of two that match") {
  const auto reading = with_own_metrics(
      "speed 7 of 9", patterns({R"(x=\d+ of|\d+)", "y=of (\\d+)", "y=speed (\\d+)"}), std::nullopt);
  REQUIRE(reading);
  REQUIRE(reading->values.size() == 1);
  CHECK(reading->values[0].name == "y");
  CHECK(reading->values[0].value == 9);
  CHECK(!with_own_metrics("speed fast", patterns({R"(x=speed (\w+))"}), std::nullopt));
}

TEST_CASE("steps of one's own replace those that lines name, with their number") {
  const auto reading =
      with_own_metrics("epoch 2 step 5/10 update 77 loss: 1", patterns({R"(step=update (\d+))"}),
                       MetricReader().read("epoch 2 step 5/10 update 77 loss: 1"));
  REQUIRE(reading);
  CHECK(reading->step == 77);
  CHECK(!reading->total);
  CHECK(reading->epoch == 2);
}

TEST_CASE("a value that is no NAME=REGEX is refused with its fault") {
  for (const char* wrong : {"reward", "=x", " =x", "", "x=", "x=(", "a\tb=x"}) {
    CAPTURE(wrong);
    const auto parsed = parse_metric_pattern(wrong);
    REQUIRE(!parsed);
    CHECK(parsed.error().code == Code::usage);
    CHECK(!parsed.error().message.empty());
  }
}

}  // namespace metric_pattern_test
}  // namespace trainctl::job
