// Builds a JSON value from a parser's events, in time linear in the size of the text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/value/json.h"

namespace trainctl {

// Handles the parser's events (nlohmann's SAX interface defines the names). The library's own
// builders search the parent again for each member, and with a filter after each value.
class JsonBuilder {
 public:
  enum class Trouble { none, not_json, number_too_large, too_many_values };

  explicit JsonBuilder(const std::optional<MemberOf>& left_out) : left_out_(left_out) {}

  Json take() { return std::move(root_); }
  Trouble trouble() const { return trouble_; }
  std::size_t trouble_at() const { return trouble_at_; }  // offset in the text

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(Json::number_integer_t value) { return add(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return add(value); }
  bool number_float(Json::number_float_t value, const std::string&) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(Json::binary_t&) { return false; }  // JSON has no binary values
  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_object();
  bool end_array() { return close(); }
  bool key(std::string& name);
  bool parse_error(std::size_t at, const std::string& token, const Json::exception& error);

 private:
  // An object or array whose members are being read.
  struct Open {
    Json* value;
    bool is_parent;  // it is the parent of the omitted member
  };

  bool add(Json value);
  bool open(Json value);
  bool close();
  Json* place(Json value);
  bool skips() const { return skipped_depth_ > 0 || skips_next_; }

  std::optional<MemberOf> left_out_;
  Json root_;
  std::vector<Open> open_;
  std::string key_;
  bool skips_next_ = false;        // the next value is omitted
  std::size_t skipped_depth_ = 0;  // open objects and arrays inside an omitted value
  std::size_t values_ = 0;
  Trouble trouble_ = Trouble::none;
  std::size_t trouble_at_ = 0;
};

}  // namespace trainctl
