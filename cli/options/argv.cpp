// Walks the arguments with the command's own flag table, as pflag does: the value of a flag is the
// text behind '=', else the next argument.
#include "cli/options/argv.h"

#include <optional>
#include <string_view>

#include <CLI/CLI.hpp>

#include "base/text/text.h"

namespace trainctl::cli {
namespace {

Error needs_value(std::string_view flag, std::string_view why = "") {
  return {Code::usage, cat(flag, " needs a value", why),
          cat("write ", flag, "=VALUE, or leave the flag out")};
}

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

std::string long_name(const CLI::Option& option) {
  return option.get_lnames().front();
}

class Walk {
 public:
  Walk(const CLI::App& app, const std::vector<std::string>& args, UnknownFlag& unknown)
      : app_(app), args_(args), unknown_(unknown) {}

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
    const CLI::Option* option = app_.get_option_no_throw(halves.first);
    if (option == nullptr) return unknown(halves.first);
    if (halves.found && halves.second.empty()) return needs_value(halves.first);
    if (halves.found) return add(*option, halves.first, halves.second);
    return add(*option, halves.first, std::nullopt);
  }

  // Reads short flags: "-f", "-nteam", "-n=team", "-fn team".
  Status read_short(const std::string& word) {
    for (std::size_t at = 1; at < word.size(); ++at) {
      const std::string flag{'-', word[at]};
      const CLI::Option* option = app_.get_option_no_throw(flag);
      if (option == nullptr) return unknown(at == 1 ? word : flag);
      if (!takes_value(*option)) {
        TRY(add(*option, flag, std::nullopt));
        continue;
      }
      std::string rest = word.substr(at + 1);
      if (rest.empty()) return add(*option, flag, std::nullopt);
      if (rest[0] == '=') rest.erase(0, 1);
      if (rest.empty()) return needs_value(flag);
      return add(*option, flag, rest);
    }
    return {};
  }

  Status add(const CLI::Option& option, const std::string& spelled,
             std::optional<std::string> value) {
    if (!value && takes_value(option)) {
      if (next_ + 1 == args_.size()) return needs_value(spelled);
      value = args_[++next_];
      if (value->empty()) return needs_value(spelled);
      if (names_flag(*value)) {
        return needs_value(spelled, cat(", and the next word, ", *value, ", is a flag"));
      }
    }
    given_.flags.push_back({long_name(option), std::move(value)});
    return {};
  }

  bool names_flag(const std::string& word) const {
    return word.starts_with("--") &&
           app_.get_option_no_throw(split_once(word, '=').first) != nullptr;
  }

  Status unknown(const std::string& flag) {
    unknown_.flag = flag;
    return Error{Code::usage, cat("unknown flag ", flag), ""};
  }

  const CLI::App& app_;
  const std::vector<std::string>& args_;
  UnknownFlag& unknown_;
  std::size_t next_ = 0;
  GivenArgs given_;
};

}  // namespace

std::string GivenFlag::typed() const {
  return value ? cat("--", name, '=', *value) : cat("--", name);
}

Result<GivenArgs> read_args(const CLI::App& app, const std::vector<std::string>& args,
                            UnknownFlag& unknown) {
  return Walk(app, args, unknown).run();
}

}  // namespace trainctl::cli
