// No credential that a manifest holds is shown.
#include "manifest/secrets.h"

#include <doctest/doctest.h>

namespace trainctl::job {
namespace secrets_test {

TEST_CASE("tokens in the middle of a shell line are left out, the rest is not") {
  const auto clean = [](const char* text) { return text_without_secrets(text); };
  CHECK(clean("HF_TOKEN=abc python train.py --lr=1") == "HF_TOKEN=*** python train.py --lr=1");
  CHECK(clean("curl 'https://ada:pw@host/x'") == "curl 'https://***@host/x'");
  CHECK(clean("login hf_0123456789abcdefghij") == "login ***");
  CHECK(clean("--api-key=x --epochs=3") == "--api-key=*** --epochs=3");
  CHECK(clean("HF_TOKEN= x") == "HF_TOKEN= x");
  CHECK(clean("curl -H 'Authorization: Bearer abc' u") == "curl -H 'Authorization: Bearer ***' u");
  CHECK(clean("--header 'X-Api-Key: abc'") == "--header 'X-Api-Key: ***'");
  CHECK(clean("secret/hub: does not exist") == "secret/hub: does not exist");
  CHECK(clean("example.com/api-token: abc") == "example.com/api-token: ***");
  CHECK(clean("mysql --password abc db") == "mysql --password *** db");
  CHECK(clean("{\"api_key\":\"abc\",\"lr\":\"1\"}") == "{\"api_key\":\"***\",\"lr\":\"1\"}");
  CHECK(clean("DB_PASS=abc --db-pass=abc --pass abc") == "DB_PASS=*** --db-pass=*** --pass ***");
  CHECK(clean("COOKIE=a SESSION_COOKIE=a") == "COOKIE=*** SESSION_COOKIE=***");
  CHECK(clean("curl -H 'Cookie: id=abc' u") == "curl -H 'Cookie: ***' u");
  CHECK(clean("PASS_COUNT=3 BYPASS=1 PASSES=2") == "PASS_COUNT=3 BYPASS=1 PASSES=2");
  CHECK(clean("MYTOK=a PGPASS=b TIKTOK=c") == "MYTOK=*** PGPASS=*** TIKTOK=c");
  CHECK(clean("COOKIE_DOMAIN=a --cookies=1") == "COOKIE_DOMAIN=a --cookies=1");
  CHECK(clean("MYSQL_PWD=abc SSHPASS=abc AUTH=abc") == "MYSQL_PWD=*** SSHPASS=*** AUTH=***");
  CHECK(clean("Server=db;Uid=ada;Pwd=abc;Port=1") == "Server=db;Uid=ada;Pwd=***;Port=1");
  CHECK(clean("BEARER=abc SLACK_WEBHOOK_URL=abc TEAMS_HOOK=abc") ==
        "BEARER=*** SLACK_WEBHOOK_URL=*** TEAMS_HOOK=***");
  CHECK(clean("curl -u ada:abc --auth abc u") == "curl -u *** --auth *** u");
  CHECK(clean("PWD=/work -u train AUTHOR=ada --hooks=2") ==
        "PWD=/work -u train AUTHOR=ada --hooks=2");
  CHECK(clean("-----BEGIN PRIVATE KEY-----\nabc") == "***");
  CHECK(clean("").empty());
}

TEST_CASE("a manifest keeps its shape without its secrets") {
  const Json manifest = {
      {"env", {{{"name", "HF_TOKEN"}, {"value", "x"}}, {{"name", "LR"}, {"value", "0.1"}}}},
      {"from",
       {{"name", "DB_PASSWORD"},
        {"valueFrom", {{"secretKeyRef", {{"name", "db"}, {"key", "token"}}}}}}},
      {"args", {"--token", "abc", "-u", "ada:abc", "--epochs", "3"}},
      {"annotations", {{"wandb.ai/api-key", "abc"}}},
      {"replicas", 2}};
  const Json clean = without_secrets(manifest);
  CHECK(text_at(clean, "/env/0/value") == "***");
  CHECK(text_at(clean, "/env/1/value") == "0.1");
  CHECK(clean["from"] == manifest["from"]);
  CHECK(clean["args"] == Json({"--token", "***", "-u", "***", "--epochs", "3"}));
  CHECK(text_at(clean, "/annotations/wandb.ai~1api-key") == "***");
  CHECK(int_at(clean, "/replicas") == 2);
}

TEST_CASE("a report repeats no credential that the program or an event has printed") {
  const Json report = {
      {"object",
       {{"env",
         {{{"name", "DB_PASSWORD"}, {"value", "correct horse"}},
          {{"name", "PIN"}, {"value", "1"}},
          {{"name", "API_TOKEN"}, {"value", "$(TOKEN)"}}}}}},
      {"digest", {{"lastLines", {"login with correct horse", "step 1 of $(TOKEN)"}}}},
      {"events", {{{"message", "terminated message: hf_abcdefghijklmnopqrstuvwxyzabcdef"}}}}};
  const Json clean = report_without_secrets(report);
  CHECK(clean["digest"]["lastLines"] == Json({"login with ***", "step 1 of $(TOKEN)"}));
  CHECK(text_at(clean, "/events/0/message") == "terminated message: ***");
}

}  // namespace secrets_test
}  // namespace trainctl::job
