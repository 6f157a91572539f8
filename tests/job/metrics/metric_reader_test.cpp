// Lines of training programs as they were printed, and what a user would read in them.
#include "job/metrics/metric_reader.h"

#include <array>
#include <cstdio>

#include <doctest/doctest.h>

#include "base/text/text.h"

namespace trainctl::job {
namespace metric_reader_test {

std::string number_words(double value) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.7g", value);
  return buffer.data();
}

// "step 2/500000; epoch 3/5; lm loss 11.77651; grad norm 0.493".
std::string words(const std::optional<Reading>& reading) {
  if (!reading) return "nothing";
  std::vector<std::string> parts;
  const auto position = [&parts](const char* name, std::optional<double> part,
                                 std::optional<double> whole) {
    if (!part) return;
    parts.push_back(cat(name, ' ', number_words(*part), whole ? "/" + number_words(*whole) : ""));
  };
  position(reading->per_epoch ? "step of epoch" : "step", reading->step, reading->total);
  position("epoch", reading->epoch, reading->epochs);
  for (const Metric& one : reading->values) {
    parts.push_back(cat(one.name, ' ', number_words(one.value)));
  }
  return join(parts, "; ");
}

struct Sample {
  const char* framework;
  std::vector<std::string> lines;
  std::string expected;  // of the last line
};

TEST_CASE("the lines of each framework give its position and its values") {
  const std::vector<Sample> samples = {
      {"Megatron-LM (with timestamp, new)",
       {" [2024-10-16 04:23:00] iteration        2/  500000 | consumed samples:          256 | "
        "elapsed time per iteration (ms): 1811.8 | learning rate: 4.000000E-07 | global batch "
        "size:   128 | lm loss: 1.177651E+01 | load_balancing_loss: 1.008666E+00 | loss scale: 1.0 "
        "| grad norm: 0.493 | number of skipped iterations:   0 | number of nan iterations:   0 |"},
       "step 2/500000; consumed samples 256; elapsed time per iteration (ms) 1811.8; learning rate "
       "4e-07; global batch size 128; lm loss 11.77651; load_balancing_loss 1.008666; loss scale "
       "1; grad norm 0.493; number of skipped iterations 0; number of nan iterations 0"},
      {"Megatron-LM (old, no timestamp)",
       {" iteration      200/    5000 | consumed samples:         3200 | elapsed time per "
        "iteration (ms): 1082.6 | learning rate: 8.672E-06 | global batch size:    16 | lm loss: "
        "8.440352E+00 | loss scale: 262144.0 | grad norm: 3.089 | number of skipped iterations:   "
        "0 | number of nan iterations:   0 |"},
       "step 200/5000; consumed samples 3200; elapsed time per iteration (ms) 1082.6; learning "
       "rate 8.672e-06; global batch size 16; lm loss 8.440352; loss scale 262144; grad norm "
       "3.089; number of skipped iterations 0; number of nan iterations 0"},
      {"Megatron-LM behind torchrun `--tee` (prefix, throughput)",
       {"[default7]: [2026-09-08 20:31:37.112485] iteration      561/ 7629408 | consumed samples:  "
        "      17952 | elapsed time per iteration (ms): 1510.4 | throughput per GPU (TFLOP/s/GPU): "
        "54.1 | learning rate: 3.000000E-03 | global batch size:    32 | lm loss: 4.858129E-02 | "
        "loss scale: 1.0 | grad norm: 0.027 | num zeros: 3.0 | params norm: 967.809 | number of "
        "skipped iterations:   0 | number of nan iterations:   0 |"},
       "step 561/7629408; consumed samples 17952; elapsed time per iteration (ms) 1510.4; "
       "throughput per GPU (TFLOP/s/GPU) 54.1; learning rate 0.003; global batch size 32; lm loss "
       "0.04858129; loss scale 1; grad norm 0.027; num zeros 3; params norm 967.809; number of "
       "skipped iterations 0; number of nan iterations 0"},
      {"HF Trainer (train)",
       {"{'loss': 0.28, 'grad_norm': 1.2106271982192993, 'learning_rate': 2.832244008714597e-06, "
        "'epoch': 2.83}"},
       "epoch 2.83; loss 0.28; grad_norm 1.210627; learning_rate 2.832244e-06"},
      {"HF Trainer (eval)",
       {"{'eval_loss': 0.5922794938087463, 'eval_accuracy': 0.8382352941176471, 'eval_f1': "
        "0.8877551020408163, 'eval_runtime': 5.187, 'eval_samples_per_second': 78.658, "
        "'eval_steps_per_second': 9.832, 'epoch': 3.0}"},
       "epoch 3; eval_loss 0.5922795; eval_accuracy 0.8382353; eval_f1 0.8877551; eval_runtime "
       "5.187; eval_samples_per_second 78.658; eval_steps_per_second 9.832"},
      {"HF Trainer (end)",
       {"{'train_runtime': 9117.7233, 'train_samples_per_second': 0.663, 'train_steps_per_second': "
        "0.041, 'train_loss': 0.26855763714149516, 'epoch': 3.0}"},
       "epoch 3; train_runtime 9117.723; train_samples_per_second 0.663; train_steps_per_second "
       "0.041; train_loss 0.2685576"},
      {"tqdm alone", {"100%|██████████| 298/298 [08:35<00:00,  1.73s/it]"}, "step 298/298"},
      {"PyTorch Lightning (old bar, `loss=` inside)",
       {"Epoch 3:  33%|███▉        | 307/938 [00:01<00:02, 289.04it/s, loss=0.198, v_num=51, "
        "acc=0.211, metric_n=0.937]"},
       "step of epoch 307/938; epoch 3; loss 0.198; acc 0.211; metric_n 0.937"},
      {"PyTorch Lightning (bar without loss)",
       {"Epoch 1:   4%|▎         | 40/1095 [00:03<01:37, 10.84it/s, v_num=10]"},
       "step of epoch 40/1095; epoch 1"},
      {"NeMo (Lightning bar)",
       {"Epoch 0: : 100%|██████████| 50/50 [16:26<00:00, v_num=gjbq, reduced_train_loss=11.70, "
        "global_step=49.00, consumed_samples=12600.0, train_step_timing in s=12.80]"},
       "step 49/50; epoch 0; reduced_train_loss 11.7; consumed_samples 12600; train_step_timing in "
       "s 12.8"},
      {"NeMo (unknown total, then other text on the same line)",
       {"Epoch 0: : 100%|██████████| 2000/2000 [43:24:54<00:00, reduced_train_loss=0.139, "
        "global_step=2e+3, consumed_samples=2.56e+5, train_step_timing in s=68.70, "
        "val_loss=0.212][NeMo I 2024-06-17 08:36:41 nlp_overrides:480] Removing checkpoint: "
        "/data/llama/"},
       "step 2000/2000; epoch 0; reduced_train_loss 0.139; consumed_samples 256000; "
       "train_step_timing in s 68.7; val_loss 0.212"},
      {"torchtune (bar)",
       {"1|52|Loss: 2.3697006702423096:   0%|▏                     | 52/25880 [00:24<3:55:01,  "
        "1.83it/s]"},
       "step 52/25880; Loss 2.369701"},
      {"torchtitan",
       {"step: 20  loss: 11.83506  grad_norm:  9.6669  memory: 48.87GiB(51.44%)  tps: 4,376  "
        "tflops: 253.41  mfu: 25.62%"},
       "step 20; loss 11.83506; grad_norm 9.6669; memory 48.87; tps 4376; tflops 253.41; mfu "
       "25.62"},
      {"MaxText (JAX)",
       {"completed step: 1, seconds: 0.319, TFLOP/s/device: 2400.734, Tokens/s/device: 154316.608, "
        "total_weights: 196608, loss: 12.038"},
       "step 1; seconds 0.319; TFLOP/s/device 2400.734; Tokens/s/device 154316.6; total_weights "
       "196608; loss 12.038"},
      {"MaxText with absl prefix",
       {"I0706 16:50:26.230209 140110937163584 metric_logger.py:214] completed step: 1, seconds: "
        "24.930, TFLOP/s/device: 0.861, Tokens/s/device: 164.297, total_weights: 6965, loss: "
        "0.693, lm_loss: 0.000, perplexity: 2.000, reward_accuracy: 0.000"},
       "step 1; seconds 24.93; TFLOP/s/device 0.861; Tokens/s/device 164.297; total_weights 6965; "
       "loss 0.693; lm_loss 0; perplexity 2; reward_accuracy 0"},
      {"fairseq (JSON, numbers are strings)",
       {"2021-03-08 12:32:33 | INFO | train_inner | {\"epoch\": 1, \"update\": 0.0, \"loss\": "
        "\"16.446\", \"ppl\": \"89281.6\", \"wps\": \"288.7\", \"ups\": \"0.02\", \"wpb\": "
        "\"16384\", \"bsz\": \"8\", \"num_updates\": \"2\", \"lr\": \"4e-05\", \"gnorm\": "
        "\"19.777\", \"loss_scale\": \"4\", \"train_wall\": \"57\", \"gb_free\": \"9.3\""},
       "step 2; epoch 1; update 0; loss 16.446; ppl 89281.6; wps 288.7; ups 0.02; wpb 16384; bsz "
       "8; lr 4e-05; gnorm 19.777; loss_scale 4; train_wall 57; gb_free 9.3"},
      {"Keras 3",
       {"422/422 ━━━━━━━━━━━━━━━━━━━━ 47s 108ms/step - accuracy: 0.8659 - loss: 0.4917 - "
        "val_accuracy: 0.9840 - val_loss: 0.0581"},
       "step of epoch 422/422; accuracy 0.8659; loss 0.4917; val_accuracy 0.984; val_loss 0.0581"},
      {"Keras 2",
       {"15/15 [==============================] - 0s 8ms/step - accuracy: 0.9770 - loss: 0.0585"},
       "step of epoch 15/15; accuracy 0.977; loss 0.0585"},
      {"TensorFlow Estimator",
       {"INFO:tensorflow:loss = 0.691962, step = 101 (36.537 sec)"},
       "step 101; loss 0.691962"},
      {"TensorFlow Estimator (rate)",
       {"INFO:tensorflow:global_step/sec: 3.79198"},
       "global_step/sec 3.79198"},
      {"nanoGPT (iteration)",
       {"iter 40: loss 6.2081, time 48.67ms, mfu 10.07%"},
       "step 40; loss 6.2081; mfu 10.07"},
      {"nanoGPT (evaluation)",
       {"step 0: train loss 10.9210, val loss 10.9209"},
       "step 0; train loss 10.921; val loss 10.9209"},
      {"DeepSpeed",
       {"[2023-11-07 01:55:23,714] [INFO] [timer.py:260:stop] "
        "epoch=0/micro_step=40/global_step=10, RunningAvgSamplesPerSec=25.025771473496132, "
        "CurrSamplesPerSec=25.704280480541442, MemAllocated=4.32GB, MaxMemAllocated=38.49GB"},
       "step 10; epoch 0; RunningAvgSamplesPerSec 25.02577; CurrSamplesPerSec 25.70428; "
       "MemAllocated 4.32; MaxMemAllocated 38.49"},
      {"DeepSpeed (no loss)",
       {"worker-0: [INFO 2020-02-06 19:53:56] rank:0 step=0, skipped=0, lr=[0.001], mom=[[0.8, "
        "0.999]]"},
       "step 0; skipped 0; lr 0.001"},
      {"MMEngine / OpenMMLab",
       {"08/21 02:58:41 - mmengine - INFO - Epoch(train) [1][10/25]  lr: 1.0000e-02  eta: 0:00:00  "
        "time: 0.0019  data_time: 0.0004  loss1: 0.8381  loss2: 0.9007  loss: 1.7388"},
       "step of epoch 10/25; epoch 1; lr 0.01; time 0.0019; data_time 0.0004; loss1 0.8381; loss2 "
       "0.9007; loss 1.7388"},
      {"Detectron2",
       {"[08/19 07:13:50 d2.utils.events]:  eta: 0:15:07  iter: 39  total_loss: 0.6021  loss_cls: "
        "0.07519  loss_box_reg: 0.376  loss_mask: 0.1635  loss_rpn_cls: 0.0004425  loss_rpn_loc: "
        "0.004831  time: 3.4435  data_time: 2.7737  lr:"},
       "step 39; total_loss 0.6021; loss_cls 0.07519; loss_box_reg 0.376; loss_mask 0.1635; "
       "loss_rpn_cls 0.0004425; loss_rpn_loc 0.004831; time 3.4435; data_time 2.7737"},
      {"Ultralytics YOLO (header, then row)",
       {"      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size",
        "       1/20      10.1G      1.777      2.573      1.302         79        640: "
        "100%|██████████| 298/298 [08:35<00:00,  1.73s/it]"},
       "step of epoch 298/298; epoch 1/20; GPU_mem 10.1; box_loss 1.777; cls_loss 2.573; dfl_loss "
       "1.302; Instances 79; Size 640"},
      {"OLMo-core (head line, then indented values)",
       {"2026-08-08 12:01:00 INFO [olmo_core.train.callbacks.console_logger:68] "
        "[step=100/2000,epoch=0,eta=5h11m]",
        "    train/CE loss=6.2341", "    train/PPL=511.9"},
       "step 100/2000; epoch 0; train/PPL 511.9"},
      {"verl (RL, many pairs)",
       {"step:1 - timing/gen:23.020 - timing/ref:4.322 - timing/values:5.953 - "
        "actor/reward_kl_penalty:0.000 - actor/reward_kl_penalty:0.001 - timing/adv:0.118 - "
        "timing/update_critic:15.646 - critic/vf_loss:18.472 - critic/vf_clipfrac:0.384 - "
        "critic/vpred_mean:1.038 - critic/grad_norm:942.924 - critic/lr(1e-4):0.100"},
       "step 1; timing/gen 23.02; timing/ref 4.322; timing/values 5.953; actor/reward_kl_penalty "
       "0; timing/adv 0.118; timing/update_critic 15.646; critic/vf_loss 18.472; "
       "critic/vf_clipfrac 0.384; critic/vpred_mean 1.038; critic/grad_norm 942.924; "
       "critic/lr(1e-4) 0.1"},
      {"XGBoost",
       {"[0]\tvalidation_0-logloss:0.65016\tvalidation_1-logloss:0.66183"},
       "step 0; validation_0-logloss 0.65016; validation_1-logloss 0.66183"},
      {"pytorch/examples C++",
       {"Train Epoch: 1 176/7281\tLoss: 0.532111\tAcc: 0.0681818"},
       "step of epoch 176/7281; epoch 1; Loss 0.532111; Acc 0.0681818"},
      {"LitGPT-like (`iter time`)",
       {"iter 44: loss 4.6250, iter time: 385.25ms, t: 4096"},
       "step 44; iter time 385.25; t 4096; loss 4.625"},
      {"NaN (must end as a warning, not a gap)",
       {"iter 1: loss nan, time 1.0ms"},
       "step 1; loss nan"},
      {"pytorch/examples, mnist",
       {"Train Epoch: 3 [25600/60000 (43%)]\tLoss: 0.123456"},
       "step of epoch 25600/60000; epoch 3; Loss 0.123456"},
      {"PyTorch's first tutorial",
       {"loss: 1.079998  [32064/60000]"},
       "step of epoch 32064/60000; loss 1.079998"},
      {"PyTorch's imagenet example",
       {"Epoch: [2][  10/5005]\tTime  0.512 ( 1.6)\tData  0.1 ( 0.9)\tLoss 6.9 (7.0)\tAcc@1 0.39 "
        "(0.1)"},
       "step of epoch 10/5005; epoch 2; Loss 6.9; Acc@1 0.39"},
      {"timm",
       {"Train: 3 [ 550/1251 ( 44%)]  Loss: 6.94 (6.95)  Time: 1.2s,  200/s  LR: 1.0e-05  Data: "
        "0.8"},
       "step of epoch 550/1251; epoch 3; Loss 6.94; Time 1.2; LR 1e-05; Data 0.8"},
      {"torchtune (StdoutLogger)",
       {"Step 7 | loss:2.31 lr:2e-05 tokens_per_second:4.5e+03"},
       "step 7; loss 2.31; lr 2e-05; tokens_per_second 4500"},
      {"Katib", {"Validation-accuracy=0.97 loss=0.12"}, "Validation-accuracy 0.97; loss 0.12"},
      {"JSON lines",
       {"{\"step\": 30, \"epoch\": 1, \"train/loss\": 0.51, \"note\": \"x\"}"},
       "step 30; epoch 1; train/loss 0.51"},
      {"a print of one's own",
       {"Epoch 4/10, train_loss: 0.5, val_acc: 91.2%"},
       "epoch 4/10; train_loss 0.5; val_acc 91.2"},
      {"another",
       {"[2026-11-27 12:01:30] epoch 2 step 40/100 loss 0.25 acc 0.9"},
       "step 40/100; epoch 2; loss 0.25; acc 0.9"},
      {"Keras below its epoch",
       {"Epoch 2/5", "  90/422 \x1b[32m━━━━━\x1b[0m\x1b[37m━━━━━\x1b[0m 0s 1ms/step - loss: 0.31"},
       "step of epoch 90/422; epoch 2/5; loss 0.31"},
      {"a bar with earlier states",
       {"  1%| | 1/100 [00:01<01:39,  1.0s/it]\r  2%| | 2/100 [00:02<01:38,  1.0s/it]\r"},
       "step 2/100"},
      {"transformers, which writes over its bar",
       {"\r 6%|6  | 16/250 [00:02<00:00, 90.3it/s]\r 8%|8  | 20/250 [00:02<00:00, 90.3it/s]\r      "
        "  "
        "      \r{'loss': '0.25', 'epoch': '0.08'}"},
       "step 20/250; epoch 0.08; loss 0.25"},
      {"a bar that was wiped",
       {"100%|#| 250/250 [00:03<00:00, 74.4it/s]\r               "},
       "step 250/250"},
      {"signs for some values only",
       {"step 1/60 loss 2.75 lr 9.8e-04 grad_norm: 0.996"},
       "step 1/60; grad_norm 0.996; loss 2.75; lr 0.00098"},
      {"infinity", {"step 3: loss inf, lr 1e-4"}, "step 3; loss inf; lr 0.0001"},
  };
  for (const Sample& sample : samples) {
    CAPTURE(sample.framework);
    MetricReader reader;
    std::optional<Reading> reading;
    for (const std::string& line : sample.lines) reading = reader.read(line);
    CHECK(words(reading) == sample.expected);
  }
}

// Compilers, package managers, servers, tests and shells print numbers with names, too.
TEST_CASE("lines of other programs give no metric") {
  MetricReader reader;
  for (const char* line : {
           "Step 3/12 : RUN pip install torch==2.3.0",
           "step 4: building image registry/app:1.2.3 (layer 7 of 9)",
           "[12/48] Building CXX object src/CMakeFiles/loss.dir/step.cpp.o",
           "100%|██████████| 440M/440M [00:08<00:00, 52.1MB/s]",
           "Downloading: 100%|██████████| 12/12 [00:08<00:00,  1.5it/s]",
           "Loading checkpoint shards: 100%|██████████| 2/2 [00:05<00:00,  2.7s/it]",
           "Map: 100%|██████████| 1000/1000 [00:01<00:00, 3000.1 examples/s]",
           "2 packets transmitted, 0 received, 100% packet loss, time 1001ms",
           "3 packets transmitted, 3 received, 0% packet loss, time 2003ms",
           "epoch: 1764256000",
           "Starting epoch 3",
           "src/net/loss.cpp:214:17: error: unused parameter 'step'",
           R"(  File "/app/train.py", line 33, in step)",
           "ValueError: loss must be finite",
           "listening on port=8080 pid=1234",
           R"(GET /metrics?step=5 HTTP/1.1 200 1234 "-" "curl/8.1" 0.003)",
           "nginx: worker process 33 exited with code 0",
           "class 7: precision of timer is 1ns",
           "access: 127.0.0.1 - - [27/Nov/2026:10:00:00 +0000]",
           "etcd: term 3 epoch 5 raft index 77123",
           "lr: 0.001",
           "accessories=3 successes: 4",
           "deps: 5",
           "process 1 of 3 step 2 of 4 completed",
           R"(time="2026-11-27T10:00:00Z" level=info msg="step completed" step=3 duration=1.2s)",
           "drwxr-xr-x 2 root root 4096 Nov 27 10:00 steps",
           "collect2: error: ld returned 1 exit status",
           "Epoch 1/5 begins at 10:00:00",
       }) {
    CAPTURE(line);
    CHECK(words(reader.read(line)) == "nothing");
  }
}

TEST_CASE("hostile lines end as nothing or as numbers, and never hang") {
  MetricReader reader;
  CHECK(words(reader.read("step 1 loss " + std::string(400, '9'))) == "nothing");
  CHECK(words(reader.read("step " + std::string(400, '9') + " loss 0.5")) != "");
  CHECK(words(reader.read(std::string(1 << 20, '='))) == "nothing");
  CHECK(words(reader.read("step 1 " + std::string(4000, ':'))) == "nothing");
  for (const std::string_view text :
       {"", "%|", "%||", "]\t", "[]\t", "step", "step=", "loss", "=1", "{'loss':"}) {
    CAPTURE(text);
    CHECK(words(reader.read(text)) == "nothing");
  }
  std::string noise;
  for (unsigned seed = 1; seed < 20'000; ++seed) {
    constexpr std::string_view k_chars = "step loss=:0123456789.,|%[]/{}'\"\t epoch\r-+";
    noise += k_chars[seed * 2654435761U % k_chars.size()];
    if (seed % 97 != 0) continue;
    (void)words(reader.read(noise));
    noise.clear();
  }
}

}  // namespace metric_reader_test
}  // namespace trainctl::job
