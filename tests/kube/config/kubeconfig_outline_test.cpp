// A large kubeconfig is read in part; that must never change which cluster and user are meant.
#include "kube/config/kubeconfig_outline.h"

#include <random>

#include "kube/config/kubeconfig_machine.h"

namespace kubeconfig_outline_test {

using Names = std::set<std::string, std::less<>>;

// As kubectl writes it; each entry by `write`.
std::string written(int entries, const std::function<std::string(int)>& cluster) {
  std::string text = "apiVersion: v1\nclusters:\n";
  for (int i = 0; i < entries; ++i) text += cluster(i);
  text += "contexts:\n";
  for (int i = 0; i < entries; ++i) {
    text += cat("- context:\n    cluster: k", i, "\n    namespace: n", i, "\n    user: u", i,
                "\n  name: c", i, "\n");
  }
  text += cat("current-context: c", entries / 2, "\nkind: Config\npreferences: {}\nusers:\n");
  for (int i = 0; i < entries; ++i) text += cat("- name: u", i, "\n  user:\n    token: t", i, "\n");
  return text;
}

std::string plain_cluster(int i) {
  return cat("- cluster:\n    server: https://k", i, ".example:6443\n  name: k", i, "\n");
}

TEST_CASE("an outline keeps the chosen entries and one of each shape") {
  const std::string text = written(9, plain_cluster);
  const auto outline = KubeconfigOutline::of(text);
  REQUIRE(outline);
  const std::string kept = outline->with(Names{"k4"});
  CHECK(has(kept, "https://k0.example"));
  CHECK(has(kept, "https://k4.example"));
  CHECK_FALSE(has(kept, "https://k5.example"));
  CHECK(has(kept, "current-context: c4"));
  CHECK(outline->with(Names{"k9"}).size() < kept.size());
}

TEST_CASE("an entry with a value that is no string, or of a shape of its own, always stays") {
  for (const std::string field :
       {"insecure-skip-tls-verify: true", "proxy-url: null", "x: 0x1F", "x: 1e999", "x: .inf",
        "x: Null", "x: two words", "x: - y", "x:\n    - y", "x", "  x: y", "extensions: {}"}) {
    CAPTURE(field);
    const std::string text = written(9, [&](int i) {
      return i == 7 ? cat("- cluster:\n    server: s\n    ", field, "\n  name: k7\n")
                    : cat("- cluster:\n    server: s\n    x: word\n  name: k", i, "\n");
    });
    const auto outline = KubeconfigOutline::of(text);
    REQUIRE(outline);
    CHECK(has(outline->with({}), "name: k7"));
    CHECK_FALSE(has(outline->with({}), "name: k6"));
  }
}

TEST_CASE("a file of any other form is read whole") {
  for (const std::string line : {"# comment",
                                 "\tx: y",
                                 "x: &a y",
                                 "x: *a",
                                 "x: \"y",
                                 "x: 'y' z",
                                 "x: \"\\n\"",
                                 "x: {y: z}",
                                 "x: [y]",
                                 "x: !t y",
                                 "x: y\r",
                                 "%x",
                                 "---",
                                 "...",
                                 "\"x\": y",
                                 "x",
                                 "? x",
                                 "x: \xC3\xBC",
                                 "users:\n  x: y",
                                 "users:\n  - name: a\n - name: b",
                                 "users:\n- name: a\n-\n  name: b",
                                 "users:\n- name: a\n- user: b",
                                 "users:\n- name: a\n- name: a",
                                 "users:\n- name: a\n- name: \"a\""}) {
    CAPTURE(line);
    CHECK_FALSE(KubeconfigOutline::of(cat("kind: Config\n", line, "\n")));
  }
  CHECK_FALSE(KubeconfigOutline::of("{\"kind\": \"Config\"}"));
}

// An entry in one of the forms that tools write, or nearly.
std::string any_entry(std::mt19937& random, const std::string& indent, const std::string& member,
                      int number) {
  const auto one_of = [&random](std::initializer_list<std::string> all) {
    return std::data(all)[random() % all.size()];
  };
  const std::string name =
      cat("name: ", one_of({"n", "n", "n", "\"n", "'n", "1", "true", "a b"}), number);
  const std::string closed = cat(name, name[6] == '"' ? "\"" : name[6] == '\'' ? "'" : "");
  const std::string value = one_of({"word", "https://k.example:6443/x", "\"\"", "\"two words\"",
                                    "LS0tLS1CRUdJTg==", "null", "12", "~", "word\n         goes on",
                                    "|\n        text: here\n        more"});
  const std::string body =
      cat(member, ":\n", indent, "    ", one_of({"server", "token", "cluster"}), ": ", value, "\n",
          indent, "    args:\n", indent, "    - ", one_of({"--region", "eu", "- x", "a: b"}));
  const bool name_first = random() % 2 == 0;
  return cat(indent, "- ", name_first ? closed : body, "\n", indent, "  ",
             name_first ? body : closed, "\n");
}

std::string any_kubeconfig(std::mt19937& random) {
  std::string text = "apiVersion: v1\nkind: Config\ncurrent-context: n1\n";
  const std::string indent(random() % 3, ' ');
  for (const std::string member : {"cluster", "context", "user"}) {
    text += cat(member, "s:\n");
    for (int i = 0; i < 6; ++i) text += any_entry(random, indent, member, i);
  }
  constexpr std::string_view k_strange = " :-\n'\"#{[|>a&*!%\t?,~.0";
  for (auto changes = random() % 3; changes > 0; --changes) {
    text[random() % text.size()] = k_strange[random() % k_strange.size()];
  }
  return text;
}

TEST_CASE("an outline is refused exactly when the file is, and its entries are the file's") {
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same files each time
  const Names names = {"n1", "n4"};
  int outlines = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::string text = any_kubeconfig(random);
    const auto outline = KubeconfigOutline::of(text);
    if (!outline) continue;
    ++outlines;
    CAPTURE(text);
    const auto whole = parse_kubeconfig(text, "f");
    const auto part = parse_kubeconfig(outline->with(names), "f");
    REQUIRE(bool(whole) == bool(part));
    if (!whole) continue;
    CHECK(part->current_context == whole->current_context);
    for (const auto entries : {&Kubeconfig::clusters, &Kubeconfig::contexts, &Kubeconfig::users}) {
      for (const std::string& name : names) {
        CHECK(((*part).*entries).contains(name) == ((*whole).*entries).contains(name));
      }
      for (const auto& [name, entry] : (*part).*entries) {
        REQUIRE(((*whole).*entries).contains(name));
        CHECK(entry.fields == ((*whole).*entries).at(name).fields);
      }
    }
  }
  CHECK(outlines > 200);
}

TEST_CASE("a large kubeconfig gives the chosen context, from whichever file has its parts") {
  constexpr int k_entries = 900;
  Machine machine(written(k_entries, plain_cluster));
  CHECK(machine.connect().endpoint.base_url == "https://k450.example:6443");
  CHECK(machine.connect().auth.token == "t450");
  machine.flags.context = "c899";
  CHECK(machine.connect().ns == "n899");
  CHECK(machine.ns() == "n899");
  machine.flags.user = "u3";
  CHECK(machine.connect().auth.token == "t3");
  machine.flags = {};
  machine.variables["KUBECONFIG"] = "/first:/home/me/.kube/config";
  machine.files.files["/first"] = "current-context: c7\nusers: [{name: u7, user: {token: mine}}]\n";
  CHECK(machine.connect().endpoint.base_url == "https://k7.example:6443");
  CHECK(machine.connect().auth.token == "mine");
}

TEST_CASE("the errors about a large kubeconfig speak of all of it") {
  Machine machine(written(900, plain_cluster));
  machine.flags.context = "missing";
  CHECK(machine.trouble() == "context \"missing\" does not exist");
  CHECK(has(machine.last_hint, "c0, c1, c10, c100"));
  std::string& text = machine.files.files["/home/me/.kube/config"];
  text += "- name: u900\n  user: x\n";
  machine.flags = {};
  CHECK(has(machine.trouble(), "user \"u900\" is not a mapping"));
}

}  // namespace kubeconfig_outline_test
