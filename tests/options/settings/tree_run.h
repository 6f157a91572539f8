// Runs commands in a working tree that has a file of its own.
#pragma once

#include <string>
#include <vector>

#include "cli/run_command.h"

namespace trainctl::testing {

inline constexpr const char* k_tree = "/work/.trainctl.yaml";
inline const std::vector<std::string> k_submit = {"submit-pytorch", "--name=ddp",
                                                  "--dry-run=client", "-o", "json"};

struct TreeRun : CommandRun {
  explicit TreeRun(const std::string& text = "") {
    environment = Environment(
        std::map<std::string, std::string, std::less<>>{{"HOME", "/home/ada"}, {"PWD", "/work"}});
    files.files["/work/train.py"] = "";
    files.files["/home/ada/.kube/config"] =
        "{apiVersion: v1, kind: Config, current-context: c, "
        "clusters: [{name: c, cluster: {server: 'https://cluster.test'}}], "
        "contexts: [{name: c, context: {cluster: c, user: u}}], "
        "users: [{name: u, user: {token: t}}]}";
    if (!text.empty()) files.files[k_tree] = text;
  }
  bool says(const std::string& text) const {
    return console.stderr_text.find(text) != std::string::npos;
  }
  bool prints(const std::string& text) const {
    return console.stdout_text.find(text) != std::string::npos;
  }
  int submit(std::vector<std::string> more = {}) {
    std::vector<std::string> words = k_submit;
    words.insert(words.end(), more.begin(), more.end());
    return (*this)(words);
  }
};

}  // namespace trainctl::testing
