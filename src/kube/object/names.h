// The rules of Kubernetes for names. Callers word their own refusals.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace trainctl::kube {

struct NameRule {
  std::size_t longest;
  bool (*holds)(char c);
  bool (*begins)(char c);
  bool (*ends)(char c);
  bool by_parts = false;  // each part between dots must begin and end so

  bool holds_all_of(std::string_view text) const;
  // True when the text is not empty, has only these characters, and begins and ends as required;
  // its length is not checked.
  bool is_form_of(std::string_view text) const;
};

// The rules of k8s.io/apimachinery/pkg/util/validation.
extern const NameRule k_dns_label;      // RFC 1123: containers, volumes, namespaces
extern const NameRule k_dns_1035;       // a label that begins with a letter: services
extern const NameRule k_dns_subdomain;  // labels with dots between: most objects
extern const NameRule k_name_part;      // label values, and the part of a label key behind the '/'
extern const NameRule k_config_key;     // data of config maps and secrets

// The length of metadata.generateName that the server keeps, and the number of characters that it
// adds.
inline constexpr std::size_t k_generated_stem = 58;
inline constexpr std::size_t k_generated_tail = 5;
// A suffix for a generated name, derived from a unique text.
std::string generated_tail(const std::string& unique);
// The limit on all keys and values of an object's annotations together.
inline constexpr std::size_t k_annotation_bytes = 256 * 1024;

}  // namespace trainctl::kube
