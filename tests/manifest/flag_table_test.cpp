// The flag table as a whole: names, letters, and rows that are complete.
#include <map>
#include <set>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "manifest/flags/flags.h"

namespace flag_table_test {

using namespace trainctl;
using namespace trainctl::job;

TEST_CASE("every flag of Run:ai's submit-pytorch and submit-tf is known, with its letter") {
  const std::map<std::string_view, char> letters = {
      {"annotation", 'a'}, {"environment", 0}, {"env", 'e'},     {"image", 'i'},
      {"gpu", 'g'},        {"label", 'l'},     {"tty", 't'},     {"volume", 'v'},
      {"workers", 0},      {"replicas", 0},    {"no-master", 0}, {"service-type", 's'}};
  for (const auto& [name, letter] : letters) {
    CAPTURE(name);
    REQUIRE(find_flag(name) != nullptr);
    CHECK(find_flag(name)->letter == letter);
  }
  for (const char* name : {"min-replicas",
                           "max-replicas",
                           "clean-pod-policy",
                           "non-preemptible",
                           "name",
                           "job-name-prefix",
                           "add-capability",
                           "attach",
                           "command",
                           "create-home-dir",
                           "image-pull-policy",
                           "preferred-pod-topology-key",
                           "required-pod-topology-key",
                           "stdin",
                           "working-dir",
                           "cpu",
                           "cpu-limit",
                           "memory",
                           "memory-limit",
                           "gpu-memory",
                           "mig-profile",
                           "extended-resource",
                           "backoff-limit",
                           "ttl-after-finish",
                           "git-sync",
                           "large-shm",
                           "mount-propagation",
                           "nfs-server",
                           "pvc",
                           "pvc-exists",
                           "pvc-new",
                           "s3",
                           "configmap-volume",
                           "address",
                           "host-ipc",
                           "host-network",
                           "port",
                           "allow-privilege-escalation",
                           "run-as-user",
                           "node-pools",
                           "node-type",
                           "toleration",
                           "loglevel",
                           "slots-per-worker"}) {
    CHECK_MESSAGE(find_flag(name) != nullptr, name);
  }
}

TEST_CASE("no two flags share a name or a letter, per-role ones included") {
  std::set<char> letters;
  for (const Flag& flag : flags()) {
    if (flag.letter != 0) CHECK_MESSAGE(letters.insert(flag.letter).second, flag.name);
  }
  for (const Kind& kind : operator_kinds()) {
    std::set<std::string> names;
    for (const Flag& flag : flags()) {
      CHECK_MESSAGE(names.insert(std::string(flag.name)).second, flag.name);
      if (!per_role(flag)) continue;
      for (const Role& role : kind.roles) {
        const std::string name = cat(role.prefix, '-', flag.name);
        CHECK_MESSAGE(names.insert(name).second, name);
      }
    }
  }
}

TEST_CASE("every row is whole: a field or a builder, a heading, a help of one line") {
  for (const Flag& flag : flags()) {
    CAPTURE(flag.name);
    if (!flag.instead.empty()) continue;
    CHECK_FALSE(flag.help.empty());
    CHECK_FALSE(flag.group.empty());
    CHECK((flag.build != nullptr) != !flag.pointer.empty());
    CHECK((flag.check == nullptr || !flag.value_name.empty()));
    for (const std::string& alias : split(flag.kinds, ' ')) {
      if (!alias.empty()) CHECK(find_kind(alias) != nullptr);
    }
  }
}

TEST_CASE("only flags of replicas, pods, containers and their metadata exist per role") {
  CHECK(per_role(*find_flag("image")));
  CHECK(per_role(*find_flag("restart-policy")));
  CHECK(per_role(*find_flag("pvc")));
  CHECK(per_role(*find_flag("label")));
  for (const char* name :
       {"name", "workers", "backoff-limit", "no-master", "queue", "mig-profile"}) {
    CHECK_FALSE(per_role(*find_flag(name)));
  }
}

}  // namespace flag_table_test
