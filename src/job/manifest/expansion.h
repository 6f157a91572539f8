// Expands $(NAME) in a container's arguments and variables as Kubernetes does, and escapes text
// from it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace trainctl::job {

using Variables = std::map<std::string, std::string, std::less<>>;

// The text after the kubelet's expansion: $(NAME) of a known variable becomes its value, an unknown
// one is unchanged, and $$ becomes $. (k8s.io/kubernetes/third_party/forked/golang/expansion)
std::string expanded(std::string_view text, const Variables& variables);

// The text that expands to `text`, byte for byte, whatever the variables are.
std::string unexpanded(std::string_view text);

}  // namespace trainctl::job
