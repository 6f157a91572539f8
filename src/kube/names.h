// What Kubernetes accepts as names: the rules. Those who refuse a name have words of their own.
#pragma once

#include <cstddef>
#include <string_view>

namespace trainctl::kube {

// a-z, A-Z and 0-9.
bool is_alphanumeric(char c);

struct NameRule {
  std::size_t longest;
  bool (*holds)(char c);
  bool (*begins)(char c);
  bool (*ends)(char c);
  bool by_parts = false;  // each part between dots begins and ends so

  bool holds_all_of(std::string_view text) const;
  // Not empty, of these characters, begun and ended so; its length is another question.
  bool is_form_of(std::string_view text) const;
};

// k8s.io/apimachinery/pkg/util/validation.
extern const NameRule k_dns_label;      // RFC 1123: containers, volumes, namespaces
extern const NameRule k_dns_1035;       // a label that begins with a letter: services
extern const NameRule k_dns_subdomain;  // labels with dots between: most objects
extern const NameRule k_name_part;      // label values; of label keys what stands behind the '/'
extern const NameRule k_config_key;     // data of config maps

// What the server keeps of metadata.generateName, and how many characters it adds.
inline constexpr std::size_t k_generated_stem = 58;
inline constexpr std::size_t k_generated_tail = 5;
// Of all keys and values of an object's annotations together.
inline constexpr std::size_t k_annotation_bytes = 256 * 1024;

}  // namespace trainctl::kube
