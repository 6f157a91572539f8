// Compiles patterns with RE2, whose automata never backtrack.
#include "base/text/pattern.h"

#include <array>
#include <cstdint>
#include <string>

#include <re2/re2.h>

#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

namespace trainctl {
namespace {

using re2::RE2;
using re2::StringPiece;

constexpr std::int64_t k_most_memory = std::int64_t{2} << 20U;
// At worst, each byte of a line costs a step of each instruction: so many make 8 seconds for 1 MiB.
constexpr int k_most_instructions = 2000;
// To search for all matches takes quadratic time at worst, so this many bytes are searched.
constexpr std::size_t k_most_searched = std::size_t{64} << 20U;

// A line in which RE2 finds every character. RE2's characters are well-formed, so each malformed
// byte is replaced by a question mark, as on terminals. Offsets are those of the line.
class Subject {
 public:
  explicit Subject(std::string_view line) : text_(line) {
    if (is_utf8(line)) return;
    repaired_ = line;
    for (std::string_view rest = line; !rest.empty();) {
      const std::size_t at = line.size() - rest.size();
      if (!take_code_point(rest)) repaired_[at] = '?';
    }
    text_ = repaired_;
  }
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  std::size_t size() const { return text_.size(); }
  StringPiece piece() const { return {text_.data(), text_.size()}; }
  Match place_of(const StringPiece& part) const {
    const auto begin = static_cast<std::size_t>(part.data() - text_.data());
    return {begin, begin + part.size()};
  }

 private:
  std::string repaired_;
  std::string_view text_;
};

bool search(const RE2& expression, const Subject& subject, std::size_t from, StringPiece* parts,
            int count) {
  return expression.Match(subject.piece(), from, subject.size(), RE2::UNANCHORED, parts, count);
}

// A file that was given instead of a pattern would fill the screen.
std::string excerpt(std::string_view text) {
  constexpr int k_columns = 120;
  return shortened(printable_line(text), k_columns);
}

// RE2 names the part of the pattern that is at fault, which is often all of it.
std::string reason_of(const RE2& expression) {
  const std::string& reason = expression.error();
  const std::string repetition = cat(": ", expression.pattern());
  if (!reason.ends_with(repetition)) return reason;
  return reason.substr(0, reason.size() - repetition.size());
}

}  // namespace

Result<Pattern> Pattern::make(std::string_view text, LetterCase letters) {
  if (text.empty()) return Error{Code::usage, "the pattern is empty", ""};
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(k_most_memory);
  options.set_case_sensitive(letters == LetterCase::matters);
  auto compiled = std::make_shared<const RE2>(StringPiece(text.data(), text.size()), options);
  const bool is_small = compiled->ok() && compiled->ProgramSize() <= k_most_instructions;
  if (is_small) return Pattern(std::move(compiled));
  if (compiled->ok()) {
    return Error{Code::usage, cat("the pattern `", excerpt(text), "` is too large"), ""};
  }
  return Error{Code::usage,
               cat("the pattern `", excerpt(text),
                   "` is not a regular expression: ", excerpt(reason_of(*compiled))),
               ""};
}

bool Pattern::found_in(std::string_view line) const {
  bool is_found = false;
  for_each_state(line, line.size() + 1, [&](std::string_view state) {
    is_found = is_found || search(*compiled_, Subject(state), 0, nullptr, 0);
  });
  return is_found;
}

std::optional<std::string_view> Pattern::group(std::string_view line) const {
  const Subject subject(line);
  std::array<StringPiece, 2> parts;
  const bool has_group = compiled_->NumberOfCapturingGroups() > 0;
  if (!search(*compiled_, subject, 0, parts.data(), has_group ? 2 : 1)) return std::nullopt;
  const StringPiece& part = parts[has_group ? 1 : 0];
  if (part.data() == nullptr) return std::nullopt;
  const Match place = subject.place_of(part);
  return line.substr(place.begin, place.end - place.begin);
}

std::vector<Match> Pattern::matches(std::string_view line) const {
  const Subject subject(line);
  std::vector<Match> found;
  StringPiece part;
  std::size_t from = 0;
  for (std::size_t searched = 0; from < subject.size() && searched <= k_most_searched;) {
    searched += subject.size() - from;
    if (!search(*compiled_, subject, from, &part, 1)) break;
    const Match place = subject.place_of(part);
    const bool is_empty = place.begin == place.end;
    if (!is_empty) found.push_back(place);
    from = is_empty ? place.end + 1 : place.end;
  }
  return found;
}

}  // namespace trainctl
