// Finds words in one table, by a hash that is computed when this is compiled.
#include "metrics/metric_names.h"

#include <algorithm>
#include <array>
#include <string>
#include <variant>

#include "base/text/text.h"

namespace trainctl::job {
namespace {

using Meaning = std::variant<Better, PositionIs, DataSet>;

struct WordRow {
  std::string_view words;
  Meaning means;
  bool bare = false;       // also known without a sign before its number, as in "loss 6.2"
  bool is_common = false;  // other programs use it as well: it shows no line to be a trainer's
};

constexpr std::array k_rows = {
    WordRow{"loss ppl perplexity", Better::lower, true},
    WordRow{"nll mae mse rmse rmsle mape merror bpb bpc wer cer fid", Better::lower},
    WordRow{"error l1 l2 learn", Better::lower, false, true},
    WordRow{"acc accuracy", Better::higher, true},
    WordRow{"auc auroc aucpr f1 precision recall map ndcg iou miou dice bleu rouge",
            Better::higher},
    WordRow{"psnr ssim reward score elbo", Better::higher},
    WordRow{"lr mfu", Better::neither, true},
    WordRow{"learning grad gnorm entropy kl tflop tflops tps wps throughput", Better::neither},
    WordRow{"runningavgsamplespersec", Better::neither},
    WordRow{"step iter iteration episode", PositionIs::step},
    WordRow{"update round", PositionIs::step, false, true},
    WordRow{"batch", PositionIs::step_of_epoch, false, true},
    WordRow{"steps iters iterations", PositionIs::steps},
    WordRow{"global_step num_updates", PositionIs::run_step},
    WordRow{"epoch", PositionIs::epoch},
    WordRow{"train", PositionIs::epoch_before_step},
    WordRow{"training", DataSet::training},
    WordRow{"valid val validation eval evaluation test dev", DataSet::other},
};

constexpr char small_letter(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

struct Slot {
  std::string_view word;
  const WordRow* row = nullptr;
};

constexpr std::size_t k_slot_count = 512;

constexpr std::size_t slot_of(std::string_view word) {
  const auto at = [word](std::size_t place) {
    return static_cast<std::size_t>(static_cast<unsigned char>(small_letter(word[place])));
  };
  return (at(0) * 31 + at(word.size() / 2) * 7 + at(word.size() - 1) * 131 + word.size() * 57) %
         k_slot_count;
}

// A search for a word begins at its slot_of() and ends at an empty slot.
constexpr auto k_slots = [] {
  std::array<Slot, k_slot_count> slots{};
  for (const WordRow& row : k_rows) {
    for (std::string_view rest = row.words; !rest.empty();) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      std::size_t slot = slot_of(word);
      while (slots[slot].row != nullptr) slot = (slot + 1) % k_slot_count;
      slots[slot] = {word, &row};
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
  }
  return slots;
}();

const WordRow* exact_word(std::string_view word) {
  if (word.empty()) return nullptr;
  std::size_t slot = slot_of(word);
  while (k_slots[slot].row != nullptr &&
         !std::ranges::equal(word, k_slots[slot].word, {}, small_letter)) {
    slot = (slot + 1) % k_slot_count;
  }
  return k_slots[slot].row;
}

// "loss1" and "logloss" are losses.
const WordRow* known_word(std::string_view word) {
  constexpr std::string_view k_loss = "loss";
  const WordRow* const known = exact_word(word);
  if (known != nullptr || (!is_digit(word.back()) && word.back() != 's')) return known;
  word = word.substr(0, word.find_last_not_of("0123456789") + 1);
  return exact_word(word.ends_with(k_loss) ? k_loss : word);
}

// Calls sink(word) for each run of letters and digits until it returns true.
template <typename Sink>
bool any_word(std::string_view text, const Sink& sink) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t begin = at;
    if (!is_letter(text[at])) continue;
    while (at < text.size() && is_letter_or_digit(text[at])) ++at;
    if (sink(text.substr(begin, at - begin))) return true;
  }
  return false;
}

// Scores of a classifier count before the norm of its gradients: the first word that says which
// value is better decides, else the first known one.
const WordRow* known_name(std::string_view name) {
  const WordRow* known = nullptr;
  any_word(name, [&known](std::string_view word) {
    const WordRow* const one = known_word(word);
    const auto* const better = one == nullptr ? nullptr : std::get_if<Better>(&one->means);
    if (better == nullptr) return false;
    if (known == nullptr || *better != Better::neither) known = one;
    return *better != Better::neither;
  });
  return known;
}

// "%|" of tqdm, "? [" and "it [" of a bar without a total, "]\t" and ":\t" of boosting rounds.
bool has_sign(std::string_view line) {
  constexpr std::array<std::string_view, 5> k_signs = {"%|", "? [", "it [", "]\t", ":\t"};
  for (const std::string_view sign : k_signs) {
    for (auto at = line.find(sign.back()); at != std::string_view::npos;
         at = line.find(sign.back(), at + 1)) {
      if (line.substr(0, at + 1).ends_with(sign)) return true;
    }
  }
  return false;
}

}  // namespace

std::optional<Better> known_metric(std::string_view name) {
  const std::string small = lower(name);
  if (small == "loss scale" || small == "loss_scale") return Better::neither;
  const WordRow* const known = known_name(name);
  return known == nullptr ? std::nullopt : std::optional(std::get<Better>(known->means));
}

double cost_of(std::string_view name, double value) {
  return known_metric(name) == Better::higher ? -value : value;
}

bool is_same_metric(std::string_view a, std::string_view b) {
  return lower(a) == lower(b);
}

std::string spelling_among(const std::vector<std::string>& names, std::string_view metric) {
  if (std::ranges::find(names, metric) != names.end()) return std::string(metric);
  const auto found = std::ranges::find_if(
      names, [metric](const std::string& name) { return is_same_metric(name, metric); });
  return found == names.end() ? "" : *found;
}

bool is_score(std::string_view name) {
  return tells_training(name) && known_metric(name) != Better::neither;
}

bool tells_training(std::string_view name) {
  const WordRow* const known = known_name(name);
  return known != nullptr && !known->is_common;
}

bool needs_no_sign(std::string_view name) {
  const WordRow* const known = known_name(name);
  return known != nullptr && known->bare;
}

std::optional<PositionIs> position_word(std::string_view name) {
  if (name.ends_with(')')) name = name.substr(0, name.rfind('('));
  std::size_t begin = name.size();
  while (begin > 0 && (is_letter(name[begin - 1]) || name[begin - 1] == '_')) --begin;
  const bool is_part = begin > 1 && name[begin - 1] == '/' && is_letter(name[begin - 2]);
  const WordRow* const known = is_part ? nullptr : exact_word(name.substr(begin));
  const auto* const position = known == nullptr ? nullptr : std::get_if<PositionIs>(&known->means);
  const bool is_it =
      position != nullptr && (*position != PositionIs::epoch_before_step || begin == 0);
  return is_it ? std::optional(*position) : std::nullopt;
}

std::optional<DataSet> data_set_word(std::string_view word) {
  const WordRow* const known = exact_word(word);
  if (known == nullptr || std::holds_alternative<Better>(known->means)) return std::nullopt;
  if (const auto* const set = std::get_if<DataSet>(&known->means)) return *set;
  const bool is_train = std::get<PositionIs>(known->means) == PositionIs::epoch_before_step;
  return is_train ? std::optional(DataSet::training) : std::nullopt;
}

std::optional<DataSet> data_set_of(std::string_view name) {
  std::optional<DataSet> set;
  any_word(name, [&set](std::string_view word) { return (set = data_set_word(word)).has_value(); });
  return set;
}

bool has_known_word(std::string_view line) {
  const auto is_known = [](std::string_view word) {
    const WordRow* const known = known_word(word);
    return known != nullptr && !known->is_common && !std::holds_alternative<DataSet>(known->means);
  };
  return any_word(line, is_known) || has_sign(line);
}

}  // namespace trainctl::job
