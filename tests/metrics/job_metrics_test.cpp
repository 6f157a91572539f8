// How far, how good, which replica lags: what a user sees of a job while it prints.
#include "metrics/job_metrics.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "metrics/chart_input.h"
#include "metrics/metric_json.h"
#include "metrics/metric_words.h"

namespace trainctl::job {
namespace job_metrics_test {

using std::chrono::seconds;

const Role k_worker{"Worker", "worker"};

// A job whose replicas print a line a second.
struct World {
  JobMetrics metrics;
  Time now = Time(seconds(1000));
  std::vector<std::string> news;

  void print(const std::string& text, int rank = 0, int attempt = 1) {
    now += seconds(1);
    std::string told = metrics.take({{&k_worker, rank}, rank, attempt, now, text}).news;
    if (!told.empty()) news.push_back(std::move(told));
  }
  std::string position() const { return position_text(metrics.record().position); }
};

TEST_CASE("a bar and the values between its states make one curve over the steps") {
  World world;
  for (int step = 10; step <= 50; step += 10) {
    world.print(cat(" ", step, "%|##  | ", step, "/100 [00:01<00:02, 10.0it/s]"));
    world.print(cat("{'loss': 0.", 60 - step, ", 'epoch': 0.", step, "}"));
  }
  const MetricRecord& record = world.metrics.record();
  REQUIRE(record.series.size() == 1);
  CHECK(record.series[0].points().size() == 5);
  CHECK(record.series[0].points().back().step == 50);
  CHECK(world.position() == "50/100");
  REQUIRE(world.metrics.rate(world.now));
  CHECK(*world.metrics.rate(world.now) == 10);
  REQUIRE(world.metrics.left(world.now));
  CHECK(*world.metrics.left(world.now) / seconds(1) == 5);
}

// A log has the whole line again when the bar has ended.
TEST_CASE("the states of a bar that were seen while it moved are the curve that is kept") {
  const std::string begin = "\r 10%|#  | 10/40 [00:01<00:03, 9.9it/s, loss=0.9]";
  const std::string soon = "\r 25%|#  | 15/40 [00:01<00:02, 9.9it/s, loss=0.8]";
  const std::string middle = "\r 50%|## | 20/40 [00:02<00:02, 9.9it/s, loss=0.7]";
  const std::string end = "\r100%|###| 40/40 [00:04<00:00, 9.9it/s, loss=0.5]";
  World kept;
  kept.print(begin + soon + middle + end);
  World seen;
  for (const std::string& states : {begin, soon + middle}) {
    seen.now += seconds(1);
    seen.metrics.take({{&k_worker, 0}, 0, 1, seen.now, std::string_view(states).substr(1), true});
  }
  seen.print(begin + soon + middle + end);
  for (const World* const world : {&kept, &seen}) {
    REQUIRE(world->metrics.record().series.size() == 1);
    const auto& points = world->metrics.record().series[0].points();
    REQUIRE(points.size() == 4);
    CHECK(points[0].step == 10);
    CHECK(points[1].step == 15);
    CHECK(points[3].value == 0.5);
  }
}

TEST_CASE("a line with a thousand states of a bar gives a few hundred points, with the last") {
  World world;
  std::string line;
  for (int step = 1; step <= 1000; ++step) {
    line += cat('\r', step / 10, "%|#  | ", step, "/1000 [00:01<00:03, 9.9it/s, loss=", step, "]");
  }
  world.print(line);
  const auto& points = world.metrics.record().series[0].points();
  CHECK(points.size() > 100);
  CHECK(points.size() <= 256);
  CHECK(points.back().step == 1000);
}

TEST_CASE("a program that stands still has no speed and no time left, whatever its bar said") {
  World world;
  for (int step = 1; step < 20; ++step) world.print(cat("step ", step, "/60 loss: 0.5"));
  REQUIRE(world.metrics.rate(world.now + seconds(9)));
  CHECK(!world.metrics.rate(world.now + seconds(11)));
  CHECK(!world.metrics.left(world.now + seconds(11)));
  World bar;
  bar.print(" 10%|#  | 10/100 [00:01<00:09, 1901it/s]");
  CHECK(bar.metrics.rate(bar.now) == 1901);
  CHECK(!bar.metrics.rate(bar.now + seconds(11)));
}

TEST_CASE("the speed is the bar's own, also while a bar of the next epoch does not know it yet") {
  const struct {
    const char* state;
    double rate;
  } rows[] = {{"epoch 1:   0%|          | 0/200 [00:00<?, ?it/s]", 0},
              {"epoch 1:  50%|#####     | 100/200 [00:05<00:05, 19.7it/s]", 19.7},
              {"epoch 1: 100%|##########| 200/200 [00:10<00:00, 19.8it/s]", 19.8},
              {"epoch 2:   0%|          | 0/200 [00:00<?, ?it/s]", 19.8},
              {"epoch 2:   1%|          | 1/200 [00:02<06:38, 2.00s/it]", 0.5}};
  World world;
  for (const auto& row : rows) {
    CAPTURE(row.state);
    world.print(row.state);
    CHECK(world.metrics.rate(world.now).value_or(0) == doctest::Approx(row.rate));
  }
}

TEST_CASE(
    "no line beside a bar for each epoch shows a step above its total, nor hides the time left") {
  World world;
  for (int step = 10; step <= 90; step += 10) {
    const int epoch = (step - 1) / 20 + 1;
    const int of_epoch = step - 20 * (epoch - 1);
    const std::string position = cat("epoch ", epoch, "/5 ", of_epoch, "/20");
    for (const std::string& line :
         {cat("Epoch ", epoch, "/5:  50%|##  | ", of_epoch, "/20 [00:01<00:02, 10.0it/s]"),
          cat("epoch ", epoch, " step ", step, " loss 0.5"), cat("step ", step, " lr 0.1")}) {
      CAPTURE(line);
      world.print(line);
      CHECK(world.position() == position);
      CHECK(world.metrics.left(world.now).has_value() == (step > 10 || line.starts_with("Epoch")));
    }
  }
}

TEST_CASE("the bar of an evaluation does not change how far the training is") {
  World world;
  world.print(" 10%|#  | 10/100 [00:01<00:09, 10.0it/s]");
  world.print(" 50%|###  | 4/8 [00:01<00:01, 4.0it/s]");
  CHECK(world.position() == "10/100");
}

TEST_CASE("steps that begin anew with each epoch count on, with numbered epochs and without") {
  World numbered;
  numbered.print("Epoch 1/3, Batch 500/1000, Loss: 0.5");
  numbered.print("Epoch 2/3, Batch 500/1000, Loss: 0.4");
  CHECK(numbered.metrics.record().series[0].points()[1].step -
            numbered.metrics.record().series[0].points()[0].step ==
        1000);
  World keras;
  keras.print("400/422 ━━━━ 0s 1ms/step - loss: 0.5");
  keras.print(" 90/422 ━━━━ 0s 1ms/step - loss: 0.4");
  CHECK(keras.metrics.record().series[0].points()[1].step == 512);
}

TEST_CASE("the first epoch that a bar names begins at step 0, whether it is called 0 or 1") {
  for (const int first : {0, 1}) {
    CAPTURE(first);
    World world;
    world.print(
        cat("Epoch ", first, ":  50%|#####     | 20/40 [00:01<00:01, 20.00it/s, loss=0.5]"));
    world.print(
        cat("Epoch ", first + 1, ":  50%|#####     | 20/40 [00:01<00:01, 20.00it/s, loss=0.4]"));
    const auto& points = world.metrics.record().series[0].points();
    CHECK(points.front().step == 20);
    CHECK(points.back().step == 60);
  }
}

TEST_CASE("a loss that is no number is told once, with its step, and is not part of the curve") {
  World world;
  world.print("iter 1: loss 0.5, time 1ms");
  world.print("iter 2: loss nan, time 1ms");
  world.print("iter 3: loss nan, time 1ms");
  CHECK(world.news == std::vector<std::string>{"loss is nan since step 2"});
  const MetricSeries& loss = world.metrics.record().series[0];
  CHECK(loss.points().size() == 1);
  CHECK(loss.not_finite_since == 2);
  CHECK(value_words(loss) == "loss nan @2");
  CHECK(metric_words(series_json(loss, false), StepUnit::step) ==
        "loss nan since 2 (best 0.5 at 1)");
  CHECK(metric_cell(metrics_json(world.metrics.record(), false)) == "loss nan @2");
}

TEST_CASE("the loss that is no number is named, not the norm of its gradients") {
  World world;
  world.print("step 1 loss 0.5 grad_norm 1");
  world.print("step 2 loss nan grad_norm nan");
  CHECK(world.news == std::vector<std::string>{"loss is nan since step 2"});
}

TEST_CASE("a program that prints no steps has its curve, and its failure, in epochs or lines") {
  const struct {
    std::vector<const char*> lines;
    StepUnit unit;
    const char* words;
  } rows[] = {
      {{"step 1 loss: 0.6", "step 2 loss: nan"}, StepUnit::step, "loss is nan since step 2"},
      {{"epoch 1 loss: 0.6", "epoch 2 loss: nan"}, StepUnit::epoch, "loss is nan since epoch 2"},
      {{"loss: 0.6", "loss: nan"}, StepUnit::line, "loss is nan since line 2"}};
  for (const auto& row : rows) {
    CAPTURE(row.words);
    World world;
    for (const char* line : row.lines) world.print(line);
    const MetricRecord again = read_metrics(metrics_json(world.metrics.record(), true));
    for (const MetricRecord* record : {&world.metrics.record(), &again}) {
      CHECK(record->unit == row.unit);
      CHECK(not_finite_words(*record) == row.words);
      const auto curve = view::curve_of("loss", record->series[0], *record, {});
      CHECK(view::ChartInput{.curves = {curve}}.x_name() ==
            view::ChartInput{.curves = {curve, curve}}.x_name());
      CHECK(view::ChartInput{.curves = {curve}}.x_name() == unit_name(row.unit));
    }
  }
}

TEST_CASE("a run that is counted in epochs has its best value at an epoch") {
  World world;
  for (const char* line : {"Epoch 1/2", "loss: 0.6", "Epoch 2/2", "loss: 0.7"}) world.print(line);
  const Json json = metrics_json(world.metrics.record(), false);
  CHECK(metric_words(array_at(json, "/series")[0], step_unit(json)) ==
        "loss 0.7 (best 0.6 at epoch 1)");
}

TEST_CASE(
    "several lines below each heading of an epoch are a curve, and not one point above another") {
  World world;
  for (const char* line :
       {"Epoch 1/2", "loss: 0.9", "loss: 0.8", "Epoch 2/2", "loss: 0.7", "loss: 0.6"}) {
    world.print(line);
  }
  std::vector<double> steps;
  for (const MetricPoint& point : world.metrics.record().series[0].points()) {
    steps.push_back(point.step);
  }
  CHECK(steps == std::vector<double>{1, 2, 3, 4});
}

TEST_CASE("one function says for which metric a run is no good, and its JSON keeps the answer") {
  const struct {
    const char* last;  // the last line of a run that went well until then
    const char* words;
  } rows[] = {{"step 2 loss: nan, grad_norm: inf, val_loss: 0.5", "loss is nan since step 2"},
              {"step 2 grad_norm: nan, loss: nan, val_loss: 0.5", "loss is nan since step 2"},
              {"step 2 loss: -inf, grad_norm: 1, val_loss: nan", "loss is inf since step 2"},
              {"step 2 loss: 0.5, grad_norm: inf, val_loss: inf", "val_loss is inf since step 2"},
              {"step 2 loss: 0.5, grad_norm: inf, val_loss: 0.5", ""},
              {"step 2 loss: 0.5, grad_norm: 1, val_loss: 0.5", ""}};
  for (const auto& row : rows) {
    CAPTURE(row.last);
    World world;
    world.print("step 1 loss: 0.6, grad_norm: 1, val_loss: 0.6");
    world.print(row.last);
    CHECK(not_finite_words(world.metrics.record()) == row.words);
    for (const bool with_points : {true, false}) {
      const Json json = metrics_json(world.metrics.record(), with_points);
      CHECK(not_finite_words(read_metrics(json)) == row.words);
    }
  }
  const Json of_older_version =
      Json::parse(R"({"series": [{"name": "loss", "notFiniteSince": 7}]})");
  CHECK(not_finite_words(read_metrics(of_older_version)) == "loss is not finite since step 7");
}

TEST_CASE("a metric that is a number again is as any other, and is not told of again") {
  World world;
  world.print("iter 1: loss inf, time 1ms");
  world.print("iter 2: loss 0.5, time 1ms");
  const MetricSeries& loss = world.metrics.record().series[0];
  CHECK_FALSE(loss.not_finite_since);
  CHECK(metric_words(series_json(loss, false), StepUnit::step) == "loss 0.5 (best 0.5 at 2)");
  world.print("iter 3: loss nan, time 1ms");
  CHECK(loss.not_finite_since == 3);
  CHECK(world.news == std::vector<std::string>{"loss is inf since step 1"});
  const MetricRecord read = read_metrics(metrics_json(world.metrics.record(), true));
  CHECK(read.series[0].not_finite_since == 3);
}

TEST_CASE("several ranks that print are one curve: rank 0's, although another printed first") {
  World world;
  world.print("step 1 loss 9", 3);
  world.print("step 1 loss 5", 0);
  world.print("step 2 loss 9", 3);
  world.print("step 2 loss 4", 0);
  const MetricSeries& loss = world.metrics.record().series[0];
  REQUIRE(loss.points().size() == 2);
  CHECK(loss.points()[0].value == 5);
  CHECK(loss.points()[1].value == 4);
}

TEST_CASE("a worker's values are shown while the leader prints none, though it has a bar") {
  for (const bool bar_is_first : {true, false}) {
    CAPTURE(bar_is_first);
    World world;
    const std::string bar = " 10%|#  | 10/100 [00:01<00:09, 10.0it/s]";
    if (bar_is_first) world.print(bar, 0);
    world.print("step 10 loss 5", 7);
    world.print("step 10 loss 6", 3);
    world.print(bar, 0);
    world.print("step 20 loss 4", 7);
    REQUIRE(world.metrics.record().series.size() == 1);
    CHECK(world.metrics.record().series[0].points().size() == 2);
    CHECK(world.metrics.record().series[0].points()[1].value == 4);
    world.print("step 30 loss 3", 0);
    world.print("step 30 loss 9", 7);
    REQUIRE(world.metrics.record().series.size() == 1);
    REQUIRE(world.metrics.record().series[0].points().size() == 1);
    CHECK(world.metrics.record().series[0].points()[0].value == 3);
  }
}

TEST_CASE("a replica lags when it is behind by more than the steps between its lines") {
  World world;
  for (int step = 10; step <= 50; step += 10) {
    world.print(cat("step ", step, " loss 1"), 0);
    if (step <= 30) world.print(cat("step ", step, " loss 1"), 1);
    if (step == 30) CHECK(!world.metrics.lag());
  }
  CHECK(!world.metrics.lag());  // 20 steps are two lines
  world.print("step 60 loss 1", 0);
  REQUIRE(world.metrics.lag());
  CHECK(world.metrics.lag()->replica == "worker-1");
  CHECK(world.metrics.lag()->steps == 30);
}

TEST_CASE("ends of logs that were read a moment apart show no lag, those of a slow replica do") {
  const auto lag_between = [](int fast, int slow) {
    World world;
    for (int line = 9; line >= 0; --line) {
      world.now -= seconds(1);  // both print once a second
      world.print(cat("step ", slow - line, " loss 1"), 1);
      world.print(cat("step ", fast - 100 * line, " loss 1"), 0);
    }
    return world.metrics.lag_of_ends(world.now);
  };
  CHECK(!lag_between(1000, 950));
  REQUIRE(lag_between(1000, 400));
  CHECK(lag_between(1000, 400)->replica == "worker-1");
}

TEST_CASE("ends of logs whose epochs have no numbers cannot be compared") {
  World world;
  world.print("400/422 ━━━━ 0s 1ms/step - loss: 0.5", 0);
  world.print(" 90/422 ━━━━ 0s 1ms/step - loss: 0.4", 0);
  world.print(" 91/422 ━━━━ 0s 1ms/step - loss: 0.4", 0);
  world.print(" 89/422 ━━━━ 0s 1ms/step - loss: 0.4", 1);
  world.print(" 90/422 ━━━━ 0s 1ms/step - loss: 0.4", 1);
  CHECK(world.metrics.lag());
  CHECK(!world.metrics.lag_of_ends(world.now));
}

TEST_CASE("a lag survives the JSON of a record, and says who lags by how much") {
  MetricRecord record;
  record.position = {100, 200, {}, {}};
  record.lag = MetricLag{"worker-0", 60};
  const Json json = metrics_json(record, false);
  CHECK(trouble_words(read_metrics(json)) == "worker-0 lags 60 steps");
  CHECK(progress_cell(json) == "100/200, worker-0 lags 60 steps");
  CHECK(!read_metrics(Json::parse(R"({"lag": {"replica": "x", "steps": -1}})")).lag);
  CHECK(!read_metrics(Json::parse(R"({"lag": 7})")).lag);
}

TEST_CASE("a restart is marked, and the curve goes on from its step") {
  World world;
  world.print("step 10 loss 1", 0, 1);
  world.print("step 20 loss 0.9", 0, 1);
  world.print("step 15 loss 0.95", 0, 2);
  CHECK(world.metrics.record().restarts == std::vector<double>{15});
  CHECK(world.metrics.record().series[0].points().size() == 3);
}

TEST_CASE("ten thousand names and a hundred thousand lines at once keep memory bounded") {
  World world;
  for (int name = 0; name < 10'000; ++name) world.print(cat("step 1 loss", name, "_a: 1"));
  CHECK(world.metrics.record().series.size() == MetricRecord::k_most_series);
  CHECK(world.news.size() == 1);
  JobMetrics fast;
  const Time now(seconds(5));
  for (int step = 0; step < 100'000; ++step) {
    const std::string text = cat("step ", step, " loss 0.5");
    if (fast.has_room(now)) fast.take({{&k_worker, 0}, 0, 1, now, text});
  }
  CHECK(fast.record().series[0].points().size() <= MetricSeries::k_most_points);
  CHECK(fast.record().series[0].points().back().step >= 20'000 - 1);
  CHECK(!fast.has_room(now));
  CHECK(fast.has_room(now + seconds(1)));
}

TEST_CASE("a thinned curve keeps its first, last, lowest and highest point") {
  MetricSeries series("loss");
  for (int step = 0; step < 20'000; ++step) {
    const double value = step == 7777 ? -5 : step == 12'345 ? 99 : step % 7;
    series.add({static_cast<double>(step), Time(seconds(step)), value});
  }
  const auto& points = series.points();
  CHECK(points.size() <= MetricSeries::k_most_points);
  CHECK(points.front().step == 0);
  CHECK(points.back().step == 19'999);
  CHECK(std::ranges::any_of(points, [](const MetricPoint& one) { return one.step == 7777; }));
  CHECK(std::ranges::any_of(points, [](const MetricPoint& one) { return one.step == 12'345; }));
  REQUIRE(series.best() != nullptr);
  CHECK(series.best()->step == 7777);
}

TEST_CASE("of equal best values the first stays, whichever way the metric goes") {
  for (const char* name : {"loss", "acc"}) {
    CAPTURE(name);
    MetricSeries series(name);
    for (int step = 0; step < 20'000; ++step) {
      const bool is_best = step == 7000 || step == 7001 || step == 7002;
      const double value = is_best ? 1 : 0.5;
      series.add({static_cast<double>(step), Time(seconds(step)),
                  std::string_view(name) == "acc" ? value : -value});
    }
    REQUIRE(series.best() != nullptr);
    CHECK(series.best()->step == 7000);
  }
}

TEST_CASE("a record survives its JSON, and hostile JSON gives an empty one") {
  World world;
  world.print("Epoch 1/5, step 10/20, loss: 0.5, lr: 1e-4");
  world.print("Epoch 1/5, step 12/20, loss: inf, lr: 1e-4", 0, 2);
  const Json json = metrics_json(world.metrics.record(), true);
  CHECK(metrics_json(read_metrics(json), true) == json);
  CHECK(text_at(json, "/series/0/name") == "loss");
  CHECK(find(metrics_json(world.metrics.record(), false), "/series/0/points") == nullptr);
  for (const char* hostile :
       {"7", R"({"series": 3, "step": "x", "restarts": ["a"]})",
        R"({"series": [{"name": ""}, 7, {"points": [[1]]}]})",
        R"({"series": [{"name": "x", "points": [[1, 2], "y", [1, "2", 3], [1, 1e300, 2]]}]})"}) {
    CAPTURE(hostile);
    const MetricRecord record = read_metrics(Json::parse(hostile));
    CHECK(!record.position.step);
    for (const MetricSeries& one : record.series) CHECK(one.points().empty());
  }
}

TEST_CASE("steps are shown whole, however many there are") {
  World world;
  world.print("step 123456/200000 loss 0.5");
  CHECK(world.position() == "123456/200000");
  CHECK(metric_words(series_json(*world.metrics.record().main(), false), StepUnit::step) ==
        "loss 0.5 (best 0.5 at 123456)");
  CHECK(step_text(2.83) == "2.83");
}

TEST_CASE("the loss of the training is shown first, not its scale nor an evaluation's") {
  World world;
  world.print(
      "step 1 | lr: 1 | loss scale: 4 | eval_loss: 3 | acc: 2 | load_balancing_loss: 1 | lm loss: "
      "7");
  REQUIRE(world.metrics.record().main() != nullptr);
  CHECK(world.metrics.record().main()->name() == "lm loss");
}

}  // namespace job_metrics_test
}  // namespace trainctl::job
