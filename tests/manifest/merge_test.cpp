// Strategic merge, case by case and by properties.
#include "manifest/merge.h"

#include <random>

#include <doctest/doctest.h>

#include "support/objects.h"

namespace merge_test {

using namespace trainctl;
using trainctl::job::strategic_merge;
using trainctl::testing::yaml;

Json merged(std::string_view base, std::string_view patch) {
  Json value = yaml(base);
  strategic_merge(value, yaml(patch));
  return value;
}

// Random values over few keys, so that base and patch meet; the lists are those with merge keys.
class Values {
 public:
  explicit Values(unsigned seed) : random_(seed) {}

  Json object(int depth, bool with_nulls) {
    Json value = Json::object();
    for (int i = pick(4); i > 0; --i) {
      const char* keys[] = {"containers", "env",    "volumes", "tolerations", "args", "spec",
                            "name",       "labels", "x"};
      const std::string key = keys[pick(9)];
      value[key] = field(key, depth, with_nulls);
    }
    return value;
  }

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

  Json field(const std::string& key, int depth, bool with_nulls) {
    if (with_nulls && pick(6) == 0) return nullptr;
    if (key == "name" || key == "x" || depth == 0) return std::string(1, "abc"[pick(3)]);
    if (key == "spec" || key == "labels") return object(depth - 1, with_nulls);
    if (key == "args") return Json::array({pick(3), pick(3)});
    return list(depth, with_nulls);
  }

  Json list(int depth, bool with_nulls) {
    Json elements = Json::array();
    for (int i = pick(3); i > 0; --i) {
      Json element = object(depth - 1, with_nulls);
      element["name"] = std::string(1, "abc"[i - 1]);
      elements.push_back(element);
    }
    return elements;
  }

  std::mt19937 random_;
};

TEST_CASE("an empty patch changes nothing, whatever the manifest") {
  Values values(1);
  for (int i = 0; i < 2000; ++i) {
    const Json base = values.object(4, true);
    Json after = base;
    strategic_merge(after, Json::object());
    REQUIRE(dump(after) == dump(base));
  }
}

TEST_CASE("the same patch twice is the patch once: no overlay grows a list without end") {
  Values values(2);
  for (int i = 0; i < 5000; ++i) {
    Json once = values.object(4, false);
    const Json patch = values.object(4, true);
    strategic_merge(once, patch);
    Json twice = once;
    strategic_merge(twice, patch);
    CAPTURE(dump(patch));
    REQUIRE(dump(twice) == dump(once));
  }
}

TEST_CASE("merging into nothing gives the patch without its deletions") {
  Values values(3);
  for (int i = 0; i < 2000; ++i) {
    const Json patch = values.object(4, false);
    Json value = Json::object();
    strategic_merge(value, patch);
    REQUIRE(value == patch);
  }
}

TEST_CASE("objects merge key by key, scalars and plain lists are replaced") {
  CHECK(merged("{a: 1}", "text") == yaml("text"));
  CHECK(merged("{a: {b: 1, c: 2}, args: [x, y], s: old}", "{a: {c: 3}, args: [z], s: new}") ==
        yaml("{a: {b: 1, c: 3}, args: [z], s: new}"));
}

TEST_CASE("null deletes, and leaves no empty husk where there was nothing") {
  CHECK(merged("{a: {b: 1, c: 2}}", "{a: {b: null}}") == yaml("{a: {c: 2}}"));
  CHECK(merged("{a: 1}", "{resources: {limits: {gpu: null}, requests: {gpu: null}}}") ==
        yaml("{a: 1}"));
  CHECK(merged("{a: 1}", "{emptyDir: {}}") == yaml("{a: 1, emptyDir: {}}"));
}

TEST_CASE("containers merge by name and keep their order") {
  CHECK(merged("{containers: [{name: a, image: x}, {name: b, image: y}]}",
               "{containers: [{name: b, image: z}, {name: c, image: w}]}") ==
        yaml("{containers: [{name: a, image: x}, {name: b, image: z}, {name: c, image: w}]}"));
}

TEST_CASE("a variable is replaced whole: never a value and a source at once") {
  CHECK(merged("{env: [{name: A, value: x}]}",
               "{env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}]}") ==
        yaml("{env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}]}"));
}

TEST_CASE("a volume has one source after a merge, and keeps what both agree on") {
  CHECK(merged("{volumes: [{name: v, emptyDir: {}}]}",
               "{volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]}") ==
        yaml("{volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]}"));
  CHECK(merged("{volumes: [{name: v, emptyDir: {medium: Memory, sizeLimit: 1Gi}}]}",
               "{volumes: [{name: v, emptyDir: {sizeLimit: 4Gi}}]}") ==
        yaml("{volumes: [{name: v, emptyDir: {medium: Memory, sizeLimit: 4Gi}}]}"));
}

TEST_CASE("mounts merge by path and ports by number") {
  CHECK(merged("{volumeMounts: [{mountPath: /d, name: a, readOnly: true}]}",
               "{volumeMounts: [{mountPath: /d, name: b, readOnly: null}]}") ==
        yaml("{volumeMounts: [{mountPath: /d, name: b}]}"));
  CHECK(merged("{ports: [{containerPort: 1, name: a}]}",
               "{ports: [{containerPort: 1, name: b}, {containerPort: 2, name: c}]}") ==
        yaml("{ports: [{containerPort: 1, name: b}, {containerPort: 2, name: c}]}"));
}

TEST_CASE("spread constraints merge by topology, so a site's stay beside the user's") {
  CHECK(merged("{topologySpreadConstraints: [{topologyKey: zone, maxSkew: 1}]}",
               "{topologySpreadConstraints: [{topologyKey: host, maxSkew: 2}]}") ==
        yaml("{topologySpreadConstraints: [{topologyKey: zone, maxSkew: 1},"
             " {topologyKey: host, maxSkew: 2}]}"));
}

TEST_CASE("tolerations are collected without repetition") {
  CHECK(merged("{tolerations: [{key: a}]}", "{tolerations: [{key: a}, {key: b}]}") ==
        yaml("{tolerations: [{key: a}, {key: b}]}"));
}

TEST_CASE("an overlay takes an element out with $patch: delete") {
  CHECK(merged("{env: [{name: A, value: x}, {name: B, value: y}]}",
               "{env: [{name: A, $patch: delete}]}") == yaml("{env: [{name: B, value: y}]}"));
  CHECK(merged("{env: []}", "{env: [{name: A, $patch: delete}]}") == yaml("{env: []}"));
}

TEST_CASE("a field of another type is replaced instead of crashing") {
  CHECK(merged("{a: [1], b: text, c: {d: 1}}", "{a: {x: 1}, b: {y: 2}, c: [3]}") ==
        yaml("{a: {x: 1}, b: {y: 2}, c: [3]}"));
  CHECK(merged("{env: text}", "{env: [{name: A, value: x}, text]}") ==
        yaml("{env: [{name: A, value: x}, text]}"));
  CHECK(merged("[1]", "{a: 1}") == yaml("{a: 1}"));
}

}  // namespace merge_test
