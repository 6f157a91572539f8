// Two flags at one path: the last one used to win, and the other data was missing without a word.
#include "manifest/flags/patch.h"

#include <utility>

#include <doctest/doctest.h>

#include "manifest/rendering.h"
#include "support/objects.h"

namespace patch_test {

using namespace trainctl;
using trainctl::testing::refusal;
using trainctl::testing::try_render;

struct Line {
  std::vector<std::string> flags;
  std::string_view message;  // "" = both may stand
};

const Line k_lines[] = {
    {{"--pvc=data:/data", "--pvc=other:/data"},
     "--pvc data:/data and --pvc other:/data both mount at /data"},
    {{"--pvc=data:/data", "--pvc-exists=claimname=other,path=/data"},
     "--pvc data:/data and --pvc-exists claimname=other,path=/data both mount at /data"},
    {{"--pvc=data:/data", "--pvc=data:/data:ro"},
     "--pvc data:/data and --pvc data:/data:ro both mount at /data"},
    {{"--ephemeral-pvc=10Gi:/data", "--scratch=/data/"},
     "--ephemeral-pvc 10Gi:/data and --scratch /data/ both mount at /data"},
    {{"--volume=/mnt:/data", "--pvc-new=new:1Gi:/data"},
     "--volume /mnt:/data and --pvc-new new:1Gi:/data both mount at /data"},
    {{"--secret-volume=keys:/keys", "--configmap-volume=conf:/keys"},
     "--secret-volume keys:/keys and --configmap-volume conf:/keys both mount at /keys"},
    {{"--shm-size=1Gi", "--scratch=/dev/shm:memory"},
     "--shm-size 1Gi and --scratch /dev/shm:memory both mount at /dev/shm"},
    {{"--large-shm", "--pvc=data:/dev/shm"},
     "--large-shm and --pvc data:/dev/shm both mount at /dev/shm"},
    {{"--worker-pvc=a:/data", "--worker-pvc=b:/data"},
     "--worker-pvc a:/data and --worker-pvc b:/data both mount at /data"},
    {{"--pvc=data:/data", "--pvc=data:/data"}, ""},
    {{"--pvc=data:/data", "--pvc=data:/data/more"}, ""},
    {{"--pvc=data:/data", "--worker-pvc=other:/data"}, ""},
    {{"--master-pvc=data:/data", "--worker-pvc=other:/data"}, ""},
    {{"--large-shm", "--shm-size=1Gi"}, ""},
    {{"--pvc=data:/data", "--download=source=https://a.test/x,path=/data"}, ""},
    {{"--pvc=data:/code", "--git-sync=repository=https://a.test/x,path=/code"}, ""},
};

TEST_CASE("two flags that mount at one path are refused by name, and what fills a volume is not") {
  for (const Line& line : k_lines) {
    CAPTURE(line.message);
    CAPTURE(line.flags.back());
    const auto manifest = try_render({"pytorch", line.flags});
    if (line.message.empty()) {
      CHECK(manifest);
      continue;
    }
    REQUIRE_FALSE(manifest);
    CHECK(manifest.error().code == Code::usage);
    CHECK(manifest.error().message == line.message);
  }
}

}  // namespace patch_test

namespace patch_test {

using namespace trainctl;
using namespace trainctl::job;

Json pod() {
  return testing::yaml("{containers: [{name: a, command: [x, y]}], labels: {one: 1}, text: t}");
}

std::string refusal(const std::string& setting) {
  Json manifest = pod();
  const Status status = apply_setting(setting, manifest);
  return status ? "" : status.error().message;
}

TEST_CASE("a setting that leads nowhere is refused instead of changing something else") {
  const std::pair<const char*, const char*> rows[] = {
      {"/containers/0/command/9=z", "--set: /containers/0/command has 2 elements: there is no 9"},
      {"/containers/5/image=z", "--set: /containers has 1 element: there is no 5"},
      {"/containers/a/image=z", "--set: /containers is a list: 'a' is not a position in it"},
      {"/containers/-1/image=z", "--set: /containers is a list: '-1' is not a position in it"},
      {"/containers/5=null", "--set: /containers has 1 element: there is no 5"},
      {"/text/more=z", "--set: /text is a single value: there is nothing below it"},
      {"/new/3/name=z", "--set: /new has 0 elements: there is no 3"},
  };
  for (const auto& [setting, message] : rows) {
    CAPTURE(setting);
    CHECK(refusal(setting) == message);
  }
}

TEST_CASE("a missing list is made where an element is asked for, and null takes out") {
  const std::pair<const char*, const char*> rows[] = {
      {"/env/0/name=A", "/env"},
      {"/env/-=A", "/env"},
      {"/a/b/c=1", "/a/b"},
      {"/containers/0/command/2=z", "/containers/0/command"},
  };
  const char* expected[] = {"[{name: A}]", "[A]", "{c: 1}", "[x, y, z]"};
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    Json manifest = pod();
    REQUIRE(apply_setting(rows[i].first, manifest));
    CHECK(*find(manifest, rows[i].second) == testing::yaml(expected[i]));
  }
  Json manifest = pod();
  for (const char* setting : {"/labels/one=null", "/containers/0/command/0=null", "/text=null",
                              "/none/of/these=null", "/containers/0/command/1=null"}) {
    REQUIRE(apply_setting(setting, manifest));
  }
  CHECK(manifest == testing::yaml("{containers: [{name: a, command: [y]}], labels: {}}"));
  REQUIRE(apply_setting("/text=\"null\"", manifest));
  CHECK(*find(manifest, "/text") == "null");
}

}  // namespace patch_test

// Where --set may lead, and where it must not.
