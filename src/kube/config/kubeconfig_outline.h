// Leaves the entries that nothing names out of a large kubeconfig, so that it is parsed in a
// moment.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace trainctl::kube {

// The text of a file as tools write it: block style, an entry after another. An entry is left out
// only when another one stays that differs in plain words alone (names, URLs, base64), so that the
// parser refuses the rest exactly when it refuses the whole. Two texts that it would refuse may
// pass: one that is too large as a whole, and one with a name of several lines twice.
class KubeconfigOutline {
 public:
  struct Part {
    std::string_view text;
    std::string_view name = {};  // of an entry
    bool always_stays = true;    // no entry, or the first of its shape
  };
  // nullopt for every other form: flow style, JSON, anchors, comments, tabs, quotes within a line,
  // a name that occurs twice. The outline refers to the text.
  static std::optional<KubeconfigOutline> of(std::string_view text);

  // The text with at least the clusters, contexts and users of these names.
  std::string with(const std::set<std::string, std::less<>>& names) const;

 private:
  std::vector<Part> parts_;
};

}  // namespace trainctl::kube
