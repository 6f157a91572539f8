// The history keeps names and harmless values. Nothing that may be a secret reaches its file.
#include "manifest/kept_values.h"

#include <doctest/doctest.h>

#include "base/text/text.h"

namespace trainctl::job {
namespace kept_values_test {

std::string mark(std::string_view value) {
  return mark_with_key("key-of-ada", value);
}

Json job_with(const Json& args, const Json& env = Json::array()) {
  Json job = {{"kind", "PyTorchJob"}};
  job["spec"]["containers"] = {{{"name", "pytorch"}, {"args", args}, {"env", env}}};
  return job;
}

Json variable(const char* name, const char* value) {
  return {{"name", name}, {"value", value}};
}

TEST_CASE("no planted secret reaches the history's copy of a manifest") {
  struct Planted {
    const char* secret;
    Json job;
  };
  const std::vector<Planted> table = {
      {"hunter2", job_with({}, {variable("DB_PASS", "hunter2")})},
      {"hunter2", job_with({}, {variable("LOGIN", "hunter2")})},
      {"hunter2", job_with({}, {variable("PGCONN", "host=db user=ada password=hunter2")})},
      {"482913", job_with({}, {variable("API_KEY", "482913")})},
      {"hunter2", job_with({}, {variable("MASTER_PASSWORD", "hunter2")})},
      {"abc123", job_with({}, {variable("TRAINCTL_TOKEN", "abc123")})},
      {"hf_0123456789abcdefghij",
       job_with({}, {variable("NCCL_DEBUG", "hf_0123456789abcdefghij")})},
      {"hunter2", job_with({}, {variable("MASTER_ADDR", "http://ada:hunter2@db")})},
      {"/data/of/the/client", job_with({}, {variable("DATA", "/data/of/the/client")})},
      {"hunter2", job_with({"--password", "hunter2"})},
      {"482913", job_with({"--pin-token", "482913"})},
      {"hunter2", job_with({"--password=hunter2"})},
      {"hunter2", job_with({"--password=my hunter2"})},
      {"hunter2", job_with({"--env", "DB_PASSWORD=my hunter2 it is"})},
      {"hunter2", job_with({"-e", "NOTE=my hunter2"})},
      {"hunter2", job_with({"--worker-env=MY_TOKEN=top\nhunter2"})},
      {"hunter2", job_with({"db.password=my hunter2"})},
      {"hunter2", job_with({"-p", "hunter2"})},
      {"hunter2", job_with({"-phunter2"})},
      {"hunter2", job_with({"-u", "ada:hunter2"})},
      {"482913", job_with({"-u", "ada:482913"})},
      {"hunter2", job_with({"--auth", "hunter2"})},
      {"hunter2", job_with({"--db", "ada:hunter2"})},
      {"hunter2", job_with({"ada:hunter2@db/jobs"})},
      {"hunter2", job_with({"--db=postgres://ada:hunter2@db/jobs"})},
      {"0123456789abcdef", job_with({"0123456789abcdef0123456789abcdef"})},
      {"EXAMPLEKEY", job_with({"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"})},
      {"123e4567", job_with({"--id", "123e4567-e89b-12d3-a456-426614174000"})},
      {"XXXXy1Zz", job_with({"https://hooks.test/services/T0/B0/XXXXy1ZzXXXXy1ZzXXXXy1Zz"})},
      {"c2VjcmV0", job_with({"s3://bucket/x?X-Amz-Signature=c2VjcmV0"})},
      {"c2VjcmV0cGFzc3dvcmQ", job_with({"c2VjcmV0cGFzc3dvcmQ="})},
      {"horse", job_with({"correct-horse-battery-staple"})},
      {"hunter2", job_with({"sh", "-c", "mysql --password hunter2 jobs"})},
      {"hunter2", job_with({"sh", "-c", "mysql --password 'my hunter2' jobs"})},
      {"hunter2", job_with({"sh", "-c", "LOGIN=hunter2 python3 train.py"})},
      {"hunter2", job_with({"sh", "-c", "export LOGIN='hunter2'; python3 train.py"})},
      {"abc123", job_with({"sh", "-c", "curl -H 'Authorization: Bearer abc123' u"})},
      {"abc123", job_with({"sh", "-c", "curl -H 'Authorization: abc123' u"})},
      {"abc123", job_with({"python3", "-c", "login(token = 'abc123')"})},
      {"abc123", job_with({"{\"api_key\": \"abc123\", \"lr\": 1}"})},
      {"MIIEow", job_with({"-----BEGIN PRIVATE KEY-----\nMIIEow\n"})},
      {"abc123", {{"metadata", {{"annotations", {{"wandb.ai/api-key", "abc123"}}}}}}},
      {"abc123",
       {{"annotations",
         {{"tool.test/job", R"({"env": [{"name": "LOGIN", "value": "abc123"}], "lr": 1})"}}}}},
      {"abc123", {{"command", {"curl", "--token"}}, {"args", {"abc123"}}}},
      {"abc123", {{"volumeAttributes", {{"clientSecret", "abc123"}}}}},
  };
  for (const Planted& planted : table) {
    CAPTURE(dump(planted.job));
    REQUIRE(dump(planted.job).find(planted.secret) != std::string::npos);
    const Json kept = with_harmless_values(planted.job, mark);
    CAPTURE(dump(kept));
    CHECK(dump(kept).find(planted.secret) == std::string::npos);
    CHECK(values_left_out(kept).any());
  }
}

TEST_CASE("the annotation of kubectl apply is not kept, since it repeats the object") {
  const Json job = {{"metadata",
                     {{"annotations",
                       {{"kubectl.kubernetes.io/last-applied-configuration",
                         R"({"env": [{"name": "LOGIN", "value": "abc123"}]})"},
                        {"tool.test/sizes", R"({ "lr": [1, 2] })"}}}}}};
  const Json kept = with_harmless_values(job, mark);
  CHECK(kept["metadata"]["annotations"] == Json{{"tool.test/sizes", R"({ "lr": [1, 2] })"}});
}

TEST_CASE("ordinary lines are kept whole") {
  const std::vector<std::string> table = {
      "python3 train.py --lr 1e-3 --epochs 3 --data /data/imagenet",
      "torchrun --nproc_per_node=8 --rdzv_endpoint=$(MASTER_ADDR):29500 train.py",
      "python3 -m torch.distributed.run --nnodes 2 train.py --fp16 true",
      "python3 train.py --model resnet50 --optimizer adamw --betas 0.9,0.999",
      "python3 train.py model=bert data.batch_size=64 trainer.max_epochs=3",
      "deepspeed --hostfile /etc/mpi/hostfile train.py --deepspeed configs/zero3.json",
      "mpirun -np 4 -H host-0:2,host-1:2 -x NCCL_DEBUG=INFO python3 train.py",
      "accelerate launch --mixed_precision bf16 train_imagenet_resnet50_distributed.py",
      "python3 train.py --checkpoint s3://bucket/runs/7/model.pt --resume",
      "python3 train.py --tokenizer bert-base-uncased --max-tokens 4096",
      "python3 train.py --model meta-llama/Llama-3.1-8B-Instruct",
      "sh -c 'cd /workspace && python3 train.py --seed 7 | tee log.txt'",
      "OMP_NUM_THREADS=8 WORLD_SIZE=4 python3 train.py --device cuda:0",
      "trainctl submit-pytorch --name ddp -i registry/ddp:1 --workers=2 -e LR=0.1 -- --epochs 3",
      "trainctl submit-pytorch -i registry/ddp@sha256:"
      "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef -g 8",
  };
  for (const std::string& line : table) {
    const Json as_script = Json::array({line});
    const Json as_words(split(line, ' '));
    CHECK(harmless_words(as_script, mark) == as_script);
    CHECK(harmless_words(as_words, mark) == as_words);
    CHECK_FALSE(values_left_out({{"args", as_words}}).any());
  }
}

TEST_CASE("a word behind a secret is kept, whatever the secret looks like") {
  const Json kept = harmless_words({"-e", "MY_TOKEN=top\nsecond_secret", "-e", "LR=1"}, mark);
  CHECK(kept[2] == "-e");
  CHECK(kept[3] == "LR=1");
  const Json line = {"-e", "HF_TOKEN", "-e", "LR=1"};
  CHECK(harmless_words(line, mark) == line);
}

TEST_CASE("variables keep a value that is the operator's, a number or a switch") {
  const Json env = {variable("WORLD_SIZE", "4"),    variable("MASTER_ADDR", "$(NAME)-worker-0"),
                    variable("NCCL_DEBUG", "INFO"), variable("LR", "1e-3"),
                    variable("USE_AMP", "True"),    variable("DATA", "$(VOLUME)"),
                    variable("LOG_LEVEL", "debug"), variable("EMPTY", "")};
  const Json job = job_with({}, env);
  CHECK(with_harmless_values(job, mark) == job);
}

TEST_CASE(
    "a comparison sees that a value differs which was not kept, and a rerun what is missing") {
  const auto kept = [](const char* value, const char* key) {
    const Json job = job_with({"--token", value}, {variable("USER_ID", value), variable("A", "1")});
    return with_harmless_values(job, [key](std::string_view v) { return mark_with_key(key, v); });
  };
  CHECK(kept("abc", "k") == kept("abc", "k"));
  CHECK(kept("abc", "k") != kept("abd", "k"));
  CHECK(kept("abc", "k") != kept("abc", "l"));
  CHECK(values_left_out(kept("abc", "k")).names() == "USER_ID, arguments");
  CHECK(values_left_out(kept("abc", "")).names() == "USER_ID, arguments");
  CHECK(text_at(kept("abc", ""), "/spec/containers/0/env/0/value") == "***");
  CHECK(mark_with_key("k", "abc").size() == std::string("sha256:").size() + 12);
}

}  // namespace kept_values_test
}  // namespace trainctl::job
