// Reads strict JSON, and leaves every text that needs an error message to the YAML parser.
#include "base/value/yaml_json.h"

#include <string>
#include <unordered_set>
#include <vector>

#include "base/text/text.h"

namespace trainctl {

namespace {

constexpr std::size_t k_most_json_nodes = 200'000;
constexpr std::size_t k_most_json_levels = 100;

// Counts values and detects duplicate keys during parsing.
class JsonLimits : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return count(); }
  bool boolean(bool) override { return count(); }
  bool number_integer(number_integer_t) override { return count(); }
  bool number_unsigned(number_unsigned_t) override { return count(); }
  bool number_float(number_float_t, const string_t&) override { return count(); }
  bool string(string_t&) override { return count(); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return begin(); }
  bool end_object() override { return end(); }
  bool start_array(std::size_t) override { return begin(); }
  bool end_array() override { return end(); }
  bool key(string_t& name) override { return keys_.back().insert(name).second; }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
    return false;
  }

 private:
  bool count() { return ++nodes_ <= k_most_json_nodes; }
  bool begin() {
    keys_.emplace_back();
    return keys_.size() <= k_most_json_levels && count();
  }
  bool end() {
    keys_.pop_back();
    return true;
  }

  std::size_t nodes_ = 0;
  std::vector<std::unordered_set<std::string>> keys_;
};

}  // namespace

std::optional<Json> read_as_json(std::string_view text) {
  text = trim(text);
  if (text.empty() || (text[0] != '{' && text[0] != '[')) return std::nullopt;
  JsonLimits limits;
  if (!Json::sax_parse(text.begin(), text.end(), &limits)) return std::nullopt;
  return Json::parse(text.begin(), text.end(), nullptr, false);
}

}  // namespace trainctl
