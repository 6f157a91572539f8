// Builds a JSON value from a parser's events, in time linear in the size of the text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/value/json.h"

namespace trainctl {

// Handles the parser's events (nlohmann's SAX interface defines the names). Members and items wait
// on a stack until their object or array ends, which is then made with the room that it needs: the
// library's own builders grow each one in place, which leaves a third of the memory unused, and
// search an object again for each member.
class JsonBuilder {
 public:
  enum class Trouble { none, not_json, number_too_large, too_many_values };

  explicit JsonBuilder(const std::optional<MemberOf>& left_out) : left_out_(left_out) {}

  // The finished value, once all events were handled without trouble.
  Json take() { return std::move(waiting_.front().second); }
  Trouble trouble() const { return trouble_; }
  std::size_t trouble_at() const { return trouble_at_; }  // offset in the text

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(Json::number_integer_t value) { return add(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return add(value); }
  bool number_float(Json::number_float_t value, const std::string&) { return add(value); }
  bool string(std::string& value);
  bool binary(Json::binary_t&) { return false; }  // JSON has no binary values
  bool start_object(std::size_t);
  bool start_array(std::size_t) { return open(false); }
  bool end_object();
  bool end_array();
  bool key(std::string& name);
  bool parse_error(std::size_t at, const std::string& token, const Json::exception& error);

 private:
  // An object or array whose members or items are being read.
  struct Open {
    std::string key;    // its own, when it is a member
    std::size_t first;  // where its members or items begin among those that wait
    bool is_parent;     // it is the parent of the omitted member
  };
  using Waiting = std::pair<std::string, Json>;  // the key is empty for an item

  bool add(Json value);
  bool open(bool is_parent);
  bool close(Json value);
  bool count();
  bool skips() const { return skipped_depth_ > 0 || skips_next_; }

  std::optional<MemberOf> left_out_;
  std::vector<Waiting> waiting_;
  std::vector<Open> open_;
  std::string key_;
  bool skips_next_ = false;        // the next value is omitted
  std::size_t skipped_depth_ = 0;  // open objects and arrays inside an omitted value
  std::size_t values_ = 0;
  Trouble trouble_ = Trouble::none;
  std::size_t trouble_at_ = 0;
};

}  // namespace trainctl
