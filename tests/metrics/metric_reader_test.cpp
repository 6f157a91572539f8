// The corpus of lines of training programs, lines of other programs, and hostile ones.
#include "metrics/metric_reader.h"

#include <fstream>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "metrics/job_metrics.h"
#include "metrics/metric_words.h"

namespace trainctl::job {
namespace metric_reader_test {

// One framework or habit: what it prints, and what a user would read in it.
struct Sample {
  std::string name;
  std::vector<std::string> lines;
  std::string expected;
};

std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    constexpr std::string_view k_letters = "trbe";
    const auto escape =
        at + 1 < text.size() ? k_letters.find(text[at + 1]) : std::string_view::npos;
    const bool is_escape = text[at] == '\\' && escape != std::string_view::npos;
    plain += is_escape ? "\t\r\b\x1b"[escape] : text[at];
    if (is_escape) ++at;
  }
  return plain;
}

std::vector<Sample> corpus() {
  std::ifstream file(TRAINCTL_SOURCE_DIR "/tests/metrics/corpus.txt");
  std::vector<Sample> samples;
  bool is_between = true;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#') || line.empty()) {
      is_between = true;
    } else if (std::exchange(is_between, false)) {
      samples.push_back({line, {}, ""});
    } else if (line.starts_with('>')) {
      samples.back().lines.push_back(unescaped(std::string_view(line).substr(2)));
    } else {
      samples.back().expected += line + '\n';
    }
  }
  return samples;
}

// "position 2/500", "lm loss: 1=11.7 2=11.5".
std::string words(const MetricRecord& record) {
  const std::string position = position_text(record.position);
  std::string text = cat("position ", position.empty() ? "unknown" : position, '\n');
  for (const MetricSeries& series : record.series) {
    text += series.name() + ':';
    for (const MetricPoint& point : series.points()) {
      text += cat(' ', step_text(point.step), '=', metric_text(point.value));
    }
    text += '\n';
  }
  return text;
}

MetricRecord record_of(const std::vector<std::string>& lines) {
  static const Role k_role;
  JobMetrics metrics;
  Time now(std::chrono::seconds(1000));
  for (const std::string& line : lines) {
    now += std::chrono::seconds(1);
    metrics.take({{&k_role, 0}, 0, 1, now, line});
  }
  return metrics.record();
}

TEST_CASE("each framework and habit of the corpus gives its position and its series") {
  const std::vector<Sample> samples = corpus();
  CHECK(samples.size() >= 60);
  for (const Sample& sample : samples) {
    CAPTURE(sample.name);
    CHECK(words(record_of(sample.lines)) == sample.expected);
  }
}

TEST_CASE("each shape of lines reads its own example") {
  for (const std::string_view example : MetricReader::examples()) {
    CAPTURE(example);
    CHECK(MetricReader().read(example));
  }
}

// Compilers, package managers, servers, tests and shells print numbers with names, too. Numbers and
// words are filled in, so that no line owes its fate to one number.
TEST_CASE("300,000 ordinary lines give no metric") {
  const std::vector<std::string_view> templates = {
      "Collecting torch==@ (from -r requirements.txt)",
      "  Downloading numpy-@-cp311-manylinux_x86_64.whl (@ MB)",
      "Successfully installed numpy-@ torch-@ tqdm-@",
      "[@/@] Building CXX object src/CMakeFiles/loss.dir/step.cpp.o",
      "src/loss.cpp:@:@: error: unused parameter 'step'",
      "Step @/@ : RUN pip install torch==@",
      "step @: building image registry/app:@ (layer @ of @)",
      "NCCL INFO Channel @/@ : @ @ @ @",
      "worker-1:@:@ [@] NCCL INFO Bootstrap : Using eth0:10.0.@.@<0>",
      "I1127 10:15:30.@       1 controller.go:@] Starting workers count=@",
      "2026-11-27 10:15:30,@ INFO server.py:@ GET /api/v@/items?step=@ @ms",
      R"(GET /metrics?epoch=@ HTTP/1.1 @ @ "-" "curl/8.1" @)",
      R"(time="2026-11-27T10:00:00Z" level=info msg="step completed" step=@ duration=@s)",
      "loading shard @ of @ from s3://bucket/train/part-@.tar",
      "Loading checkpoint shards: 100%|##########| @/@ [00:05<00:00,  2.7s/it]",
      "Downloading: 100%|##########| 12/12 [00:08<00:00,  @it/s]",
      "100%|##########| 440M/440M [00:08<00:00, @MB/s]",
      "Map: 100%|##########| 1000/1000 [00:01<00:00, @ examples/s]",
      "memory: used @ MiB of @ MiB, free @ MiB",
      "checkpoint saved to /ckpt/step_@/epoch_@.pt in @ s",
      "Saving model checkpoint to out/checkpoint-@ at epoch",
      "using device cuda:@ (NVIDIA H100 @GB HBM3, @ SMs)",
      "process group has @ ranks; this is rank @",
      "process @ of @ step @ of @ completed",
      "tensor([[@, @], [@, @]], device='cuda:@')",
      R"(  File "/app/train.py", line @, in step)",
      "    loss = criterion(output, target) * @",
      "ValueError: loss must be finite (@ of @)",
      "RuntimeError: CUDA out of memory. Tried to allocate @ MiB (GPU @; @ GiB total capacity)",
      "@ packets transmitted, @ received, 0% packet loss, time @ms",
      "ok @ - test number @ (@ ms)",
      "PASS: @ tests, @ failures in @ s",
      "test_step.py::test_loss[@] PASSED [ @]",
      "nginx: worker process @ exited with code @",
      "etcd: term @ epoch @ raft index @",
      "listening on port=@ pid=@",
      "drwxr-xr-x @ root root @ Nov 27 10:00 steps",
      "lr: @",
      "epoch: @",
      "Epoch 1/5 begins at 10:@:@",
      "Starting epoch @ of @",
      "Config: epochs=@ lr=@ batch_size=@",
      "Namespace(batch_size=@, epochs=@, steps=@, lr=@)",
      "+ python train.py --epoch @ --lr @ --loss @ --step=@",
      "$ torchrun --nproc-per-node=@ train.py --steps @ --lr=@ --epochs=@",
      "accessories=@ successes: @",
      "class @: precision of timer is @ns",
      "number of parameters: @M, layers: @, heads: @",
      "gradient accumulation steps: @, warmup steps: @",
      "Trainable params: @ || all params: @ || trainable: @",
      R"({"level":"info","ts":@,"msg":"reconciled","generation":@,"retries":@})",
      "kubelet: pulled image in @s (@ including waiting)",
      "query took @ ms, rows=@, cost=@..@",
      "the map of @ tiles has a score board; updated @ times",
      "[@:@] train set: @ images, test set: @ images",
      "batch: @, seed: @, workers: @",
      "update @ packages, remove @, error: @ conflicts",
      "round trip: @ ms, error: @, retries: @",
      "Test: [@/@] skipped",
      "Sat Nov 27 10:00:@ UTC 2026 load average: @, @, @",
  };
  const std::vector<std::string_view> fillers = {"0",   "1",     "7",      "12",   "64",   "100",
                                                 "512", "3.14",  "0.001",  "1e-5", "4096", "65535",
                                                 "2.5", "17642", "999999", "98%"};
  MetricReader reader;
  std::vector<std::string> read;
  for (unsigned count = 0, seed = 1; count < 300'000; ++count) {
    std::string line;
    for (const char c : templates[count % templates.size()]) {
      seed = seed * 1664525U + 1013904223U;
      if (c == '@') line += fillers[(seed >> 16U) % fillers.size()];
      if (c != '@') line += c;
    }
    if (reader.read(line) && read.size() < 5) read.push_back(line);
  }
  CHECK(read == std::vector<std::string>{});
}

// A number that no step holds, and more of each sign than a line has.
TEST_CASE("hostile lines end as nothing or as numbers, and never hang") {
  MetricReader reader;
  CHECK(!reader.read("step 1 loss " + std::string(400, '9')));
  (void)reader.read("step " + std::string(400, '9') + " loss 0.5");
  CHECK(!reader.read(std::string(1 << 20, '=')));
  CHECK(!reader.read("step 1 " + std::string(4000, ':')));
  for (const std::string_view text :
       {"", "%|", "%||", "]\t", "[]\t", ":\t", "? [", "it [", "/? [", "step", "step=", "loss", "=1",
        "{'loss':", "loss)", "(", "'"}) {
    CAPTURE(text);
    CHECK(!reader.read(text));
  }
  std::string noise;
  for (unsigned seed = 1; seed < 200'000; ++seed) {
    constexpr std::string_view k_chars = "step loss=:0123456789.,|%[]/{}'\"\t epoch()it?-+";
    noise += k_chars[(seed * 2654435761U >> 8U) % k_chars.size()];
    if (seed % 97 != 0) continue;
    (void)reader.read(noise);
    noise.clear();
  }
}

TEST_CASE(
    "a metric is found however a program spells it, and as it was asked for where it can be") {
  CHECK(spelling_among({"lr", "Loss"}, "loss") == "Loss");
  CHECK(spelling_among({"Loss", "loss"}, "loss") == "loss");
  CHECK(spelling_among({"train loss"}, "loss").empty());
}

}  // namespace metric_reader_test
}  // namespace trainctl::job
