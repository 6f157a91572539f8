// Walks the arguments with the command's own flag table, as pflag does: the value of a flag is the
// text behind '=', else the next argument.
#include "options/table/argv.h"

#include <algorithm>

#include "base/text/text.h"

namespace trainctl::options {
namespace {

Error needs_value(std::string_view flag, std::string_view why = "") {
  return {Code::usage, cat(flag, " needs a value", why),
          cat("write ", flag, "=VALUE, or leave the flag out")};
}

class Walk {
 public:
  Walk(const KnownFlags& flags, const std::vector<std::string>& args, UnknownFlag& unknown)
      : flags_(flags), args_(args), unknown_(unknown) {}

  Result<GivenArgs> run() {
    for (; next_ < args_.size(); ++next_) {
      const std::string& word = args_[next_];
      if (word.size() < 2 || word[0] != '-') {
        given_.positionals.push_back(word);
      } else if (word[1] == '-') {
        TRY(read_long(word));
      } else {
        TRY(read_short(word));
      }
    }
    return std::move(given_);
  }

 private:
  Status read_long(const std::string& word) {
    const Halves halves = split_once(word, '=');
    const KnownFlag* known = known_flag(flags_, halves.first);
    if (known == nullptr) return unknown(halves.first);
    if (halves.found && halves.second.empty()) return needs_value(halves.first);
    if (halves.found) return add(*known, halves.first, halves.second);
    return add(*known, halves.first, std::nullopt);
  }

  // Reads short flags: "-f", "-nteam", "-n=team", "-fn team".
  Status read_short(const std::string& word) {
    for (std::size_t at = 1; at < word.size(); ++at) {
      const std::string flag{'-', word[at]};
      const KnownFlag* known = known_flag(flags_, flag);
      if (known == nullptr) return unknown(at == 1 ? word : flag);
      if (!known->takes_value) {
        TRY(add(*known, flag, std::nullopt));
        continue;
      }
      std::string rest = word.substr(at + 1);
      if (rest.empty()) return add(*known, flag, std::nullopt);
      if (rest[0] == '=') rest.erase(0, 1);
      if (rest.empty()) return needs_value(flag);
      return add(*known, flag, rest);
    }
    return {};
  }

  Status add(const KnownFlag& known, const std::string& spelled, std::optional<std::string> value) {
    if (!value && known.takes_value) {
      if (next_ + 1 == args_.size()) return needs_value(spelled);
      value = args_[++next_];
      if (value->empty()) return needs_value(spelled);
      if (names_flag(*value)) {
        return needs_value(spelled, cat(", and the next argument, ", *value, ", is a flag"));
      }
    }
    given_.flags.push_back({known.name, std::move(value)});
    return {};
  }

  bool names_flag(const std::string& word) const {
    return word.starts_with("--") && known_flag(flags_, split_once(word, '=').first) != nullptr;
  }

  Status unknown(const std::string& flag) {
    unknown_.flag = flag;
    return Error{Code::usage, cat("unknown flag ", flag), ""};
  }

  const KnownFlags& flags_;
  const std::vector<std::string>& args_;
  UnknownFlag& unknown_;
  std::size_t next_ = 0;
  GivenArgs given_;
};

}  // namespace

const KnownFlag* known_flag(const KnownFlags& flags, std::string_view typed) {
  const auto found = std::ranges::find_if(flags, [typed](const KnownFlag& flag) {
    return typed.starts_with("--") ? typed.substr(2) == flag.name
                                   : typed.size() == 2 && typed.substr(1) == flag.letter;
  });
  return found == flags.end() ? nullptr : &*found;
}

std::string GivenFlag::typed() const {
  return value ? cat("--", name, '=', *value) : cat("--", name);
}

Result<GivenArgs> read_args(const KnownFlags& flags, const std::vector<std::string>& args,
                            UnknownFlag& unknown) {
  return Walk(flags, args, unknown).run();
}

}  // namespace trainctl::options
