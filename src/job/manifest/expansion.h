// How Kubernetes expands $(NAME) in a container's words and variables, and how a text escapes it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace trainctl::job {

using Variables = std::map<std::string, std::string, std::less<>>;

// What the kubelet makes of a text: $(NAME) of a known variable becomes its value, of any other it
// stays as it is, and $$ becomes $. (k8s.io/kubernetes/third_party/forked/golang/expansion)
std::string expanded(std::string_view text, const Variables& variables);

// The text that expands to `text`, byte for byte, whatever the variables are.
std::string unexpanded(std::string_view text);

}  // namespace trainctl::job
