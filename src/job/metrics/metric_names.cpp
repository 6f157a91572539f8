// Compares the words of a name with a table.
#include "job/metrics/metric_names.h"

#include <algorithm>
#include <array>

#include "job/metrics/line_scan.h"

namespace trainctl::job {
namespace {

struct KnownWord {
  std::string_view word;
  Better better;
  bool bare = false;  // also known without a sign before its number: "loss 6.2"
};

constexpr std::array k_known_words = {
    KnownWord{"loss", Better::lower, true},
    KnownWord{"ppl", Better::lower, true},
    KnownWord{"perplexity", Better::lower, true},
    KnownWord{"nll", Better::lower},
    KnownWord{"mae", Better::lower},
    KnownWord{"mse", Better::lower},
    KnownWord{"rmse", Better::lower},
    KnownWord{"rmsle", Better::lower},
    KnownWord{"wer", Better::lower},
    KnownWord{"cer", Better::lower},
    KnownWord{"fid", Better::lower},
    KnownWord{"acc", Better::higher, true},
    KnownWord{"accuracy", Better::higher, true},
    KnownWord{"auc", Better::higher},
    KnownWord{"auroc", Better::higher},
    KnownWord{"aucpr", Better::higher},
    KnownWord{"f1", Better::higher},
    KnownWord{"precision", Better::higher},
    KnownWord{"recall", Better::higher},
    KnownWord{"map", Better::higher},
    KnownWord{"ndcg", Better::higher},
    KnownWord{"iou", Better::higher},
    KnownWord{"miou", Better::higher},
    KnownWord{"dice", Better::higher},
    KnownWord{"bleu", Better::higher},
    KnownWord{"rouge", Better::higher},
    KnownWord{"psnr", Better::higher},
    KnownWord{"ssim", Better::higher},
    KnownWord{"reward", Better::higher},
    KnownWord{"score", Better::higher},
    KnownWord{"lr", Better::neither, true},
    KnownWord{"learning", Better::neither},
    KnownWord{"grad", Better::neither},
    KnownWord{"gnorm", Better::neither},
    KnownWord{"entropy", Better::neither},
    KnownWord{"kl", Better::neither},
    KnownWord{"mfu", Better::neither, true},
    KnownWord{"tflop", Better::neither},
    KnownWord{"tflops", Better::neither},
    KnownWord{"tps", Better::neither},
    KnownWord{"wps", Better::neither},
    KnownWord{"throughput", Better::neither},
    KnownWord{"runningavgsamplespersec", Better::neither},
};

const KnownWord* known_word(std::string_view word) {
  const auto is_it = [&word](const KnownWord& known) { return is_same_word(word, known.word); };
  if (is_same_word(word, "f1")) return std::ranges::find_if(k_known_words, is_it);
  while (!word.empty() && is_digit(word.back())) word.remove_suffix(1);
  constexpr std::string_view k_loss = "loss";  // "logloss", "loss_cls"
  if (word.size() > k_loss.size() &&
      is_same_word(word.substr(word.size() - k_loss.size()), k_loss)) {
    word = k_loss;
  }
  const auto* const found = std::ranges::find_if(k_known_words, is_it);
  return found == k_known_words.end() ? nullptr : found;
}

// Scores of a classifier count before the norm of its gradients: the first word that says which
// value is better decides, else the first known one.
const KnownWord* known_name(std::string_view name) {
  const KnownWord* known = nullptr;
  std::string_view rest = name;
  while (!rest.empty()) {
    const auto is_part = [](char c) { return is_letter(c) || is_digit(c); };
    const auto begin = std::ranges::find_if(rest, is_part);
    const auto end = std::find_if_not(begin, rest.end(), is_part);
    const KnownWord* const word = known_word({begin, end});
    if (word != nullptr && word->better != Better::neither) return word;
    if (known == nullptr) known = word;
    rest = {end, rest.end()};
  }
  return known;
}

}  // namespace

std::optional<Better> known_metric(std::string_view name) {
  if (is_same_word(name, "loss scale") || is_same_word(name, "loss_scale")) return Better::neither;
  const KnownWord* const known = known_name(name);
  return known == nullptr ? std::nullopt : std::optional(known->better);
}

double cost_of(std::string_view name, double value) {
  return known_metric(name) == Better::higher ? -value : value;
}

bool is_score(std::string_view name) {
  const auto known = known_metric(name);
  return known && *known != Better::neither;
}

bool needs_no_sign(std::string_view name) {
  const KnownWord* const known = known_name(name);
  return known != nullptr && known->bare;
}

}  // namespace trainctl::job
