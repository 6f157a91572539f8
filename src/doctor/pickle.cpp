// A stack machine without recursion. Each opcode takes a byte at least, which bounds all but the
// values and the memo; those have a bound of their own.
#include "doctor/pickle.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text/text.h"

namespace trainctl::job {
namespace {

using Held = PickleValue::Kind;

constexpr std::size_t k_most_pickled = std::size_t{1} << 20;
constexpr std::size_t k_most_pickled_keys = 64;
constexpr std::size_t k_to_mark = 99;

enum class Act { skip, other, is, number, longer, text, mark, list, dict, extend, put, get, stop };

struct Opcode {
  char code;
  Act act;
  std::size_t size;  // of the number or length behind it; a count of values; or a value
  Held kind = Held::other;
};
constexpr Opcode k_opcodes[] = {
    {'\x80', Act::skip, 1},
    {'\x95', Act::skip, 8},  // the length of a frame
    {'N', Act::other, 0},
    {'G', Act::other, 8},
    {'\x88', Act::is, 1},
    {'\x89', Act::is, 0},
    {'K', Act::number, 1},
    {'M', Act::number, 2},
    {'J', Act::number, 4},
    {'\x8a', Act::longer, 1},
    {'\x8c', Act::text, 1},
    {'X', Act::text, 4},
    {'\x8d', Act::text, 8},
    {'(', Act::mark, 0},
    {']', Act::list, 0},
    {')', Act::list, 0},
    {'\x85', Act::list, 1},
    {'\x86', Act::list, 2},
    {'\x87', Act::list, 3},
    {'t', Act::list, k_to_mark},
    {'}', Act::dict, 0},
    {'a', Act::extend, 1, Held::list},
    {'e', Act::extend, k_to_mark, Held::list},
    {'s', Act::extend, 2, Held::dict},
    {'u', Act::extend, k_to_mark, Held::dict},
    {'q', Act::put, 1},
    {'r', Act::put, 4},
    {'\x94', Act::put, 0},
    {'h', Act::get, 1},
    {'j', Act::get, 4},
    {'.', Act::stop, 0},
};

class PickleReader {
 public:
  explicit PickleReader(std::string_view bytes) : rest_(bytes) {}

  Result<Pickle> run() {
    while (!is_whole_ && refusal_.empty()) step();
    if (!refusal_.empty()) return Error{Code::error, refusal_, ""};
    return std::move(pickle_);
  }

 private:
  using Numbers = std::vector<std::uint32_t>;

  void refuse(std::string_view why) {
    if (refusal_.empty()) refusal_ = why;
  }

  std::string_view take(std::uint64_t length) {
    if (length > rest_.size()) refuse("it is cut off");
    const std::string_view bytes = rest_.substr(0, length);
    rest_.remove_prefix(bytes.size());
    return bytes;
  }

  // The least significant byte comes first.
  std::uint64_t take_number(std::size_t length, bool has_sign = false) {
    const std::string_view bytes = take(length);
    const bool is_negative = has_sign && !bytes.empty() && (bytes.back() & 0x80) != 0;
    std::uint64_t number = is_negative ? ~std::uint64_t{0} : 0;
    for (std::size_t at = bytes.size(); at > 0; --at) {
      number = number << 8 | static_cast<unsigned char>(bytes[at - 1]);
    }
    return number;
  }

  void push(PickleValue value) {
    if (pickle_.values.size() == k_most_pickled) return refuse("it has more than a million values");
    stack_.push_back(static_cast<std::uint32_t>(pickle_.values.size()));
    pickle_.values.push_back(std::move(value));
  }

  // How many values lie above the last mark.
  std::size_t height() const { return stack_.size() - (marks_.empty() ? 0 : marks_.back()); }

  Numbers pop(std::size_t count) {
    const bool to_mark = count == k_to_mark;
    if (to_mark) count = height();
    if (count > height() || (to_mark && marks_.empty())) {
      refuse("its stack is too short");
      return {};
    }
    Numbers values(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    if (to_mark) marks_.pop_back();
    return values;
  }

  void extend(Held kind, const Numbers& parts) {
    if (height() == 0) return refuse("its stack is too short");
    PickleValue& whole = pickle_.values[stack_.back()];
    if (whole.kind != kind) return refuse("it adds to a value that has no parts");
    if (kind == Held::dict && parts.size() % 2 != 0) return refuse("a key has no value");
    whole.parts.insert(whole.parts.end(), parts.begin(), parts.end());
  }

  void put(std::uint64_t place) {
    if (height() == 0) return refuse("its stack is too short");
    if (place >= k_most_pickled) return refuse("it remembers more than a million values");
    if (memo_.size() <= place) memo_.resize(place + 1);
    memo_[place] = stack_.back();
  }

  void get(std::uint64_t place) {
    if (place >= memo_.size() || !memo_[place]) return refuse("it recalls what it never had");
    stack_.push_back(*memo_[place]);
  }

  void stop() {
    if (height() == 0) return refuse("its stack is too short");
    pickle_.root = stack_.back();
    is_whole_ = true;
  }

  void step() {
    const std::string_view code = take(1);
    if (code.empty()) return;
    const auto found = std::ranges::find(k_opcodes, code[0], &Opcode::code);
    if (found == std::end(k_opcodes)) {
      return refuse("it holds more than data, or is no pickle of protocol 2 or later");
    }
    switch (const std::size_t size = found->size; found->act) {
      case Act::skip:
        return static_cast<void>(take(size));
      case Act::other:
        take(size);
        return push({});
      case Act::is:
        return push({Held::integer, static_cast<std::int64_t>(size)});
      case Act::number:
        return push({Held::integer, static_cast<std::int64_t>(take_number(size, size == 4))});
      case Act::longer:
        return push({Held::integer, static_cast<std::int64_t>(take_number(take_number(1), true))});
      case Act::text:
        return push({Held::text, 0, take(take_number(size))});
      case Act::mark:
        return marks_.push_back(stack_.size());
      case Act::list:
        return push({Held::list, 0, "", pop(size)});
      case Act::dict:
        return push({Held::dict});
      case Act::extend:
        return extend(found->kind, pop(size));
      case Act::put:
        return put(size == 0 ? memo_.size() : take_number(size));
      case Act::get:
        return get(take_number(size));
      case Act::stop:
        return stop();
    }
  }

  std::string_view rest_;
  Pickle pickle_;
  Numbers stack_;
  std::vector<std::size_t> marks_;  // sizes of the stack
  std::vector<std::optional<std::uint32_t>> memo_;
  bool is_whole_ = false;
  std::string refusal_;
};

}  // namespace

const PickleValue* Pickle::find(const PickleValue& dict, std::string_view key) const {
  if (dict.kind != Held::dict || dict.parts.size() > 2 * k_most_pickled_keys) return nullptr;
  for (std::size_t at = 0; at < dict.parts.size(); at += 2) {
    const PickleValue& name = values[dict.parts[at]];
    if (name.kind == Held::text && name.text == key) return &values[dict.parts[at + 1]];
  }
  return nullptr;
}

Result<Pickle> read_pickle(std::string_view bytes) {
  return PickleReader(bytes).run();
}

}  // namespace trainctl::job
