// The words that training programs use: of metrics, of positions and of data sets.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainctl::job {

enum class Better { lower, higher, neither };

// The meaning of the words of a name: "train/CE loss" and "val_acc" are known by one of theirs.
// nullopt for a name that training programs do not use.
std::optional<Better> known_metric(std::string_view name);
// Compares values of a metric: the lower cost is the better one, whichever way the metric goes.
double cost_of(std::string_view name, double value);
// True for two spellings of one metric, as programs have them: "Loss" and "loss".
bool is_same_metric(std::string_view a, std::string_view b);
// How the metric is spelled among these names: as it is, where they have that; "" = they lack it.
std::string spelling_among(const std::vector<std::string>& names, std::string_view metric);
// True for a known name of which one value is better than another: not for "lr".
bool is_score(std::string_view name);
// True for a name that hardly any program but a training one prints: not for "error".
bool tells_training(std::string_view name);
// True for the few names that stand before a number without a sign between: "loss 6.2".
bool needs_no_sign(std::string_view name);

enum class PositionIs {
  step,
  step_of_epoch,
  steps,     // also the length of a run, in a configuration
  run_step,  // beside a step of the epoch
  epoch,
  epoch_before_step,  // timm: "Train: 3 [ 50/1251"
};
// The unit that a name's last word counts: "completed step", "Epoch(train)". Not "sec/step".
std::optional<PositionIs> position_word(std::string_view name);

enum class DataSet { training, other };
// The data set that one whole word names: "valid", "Test".
std::optional<DataSet> data_set_word(std::string_view word);
// The first word of a name that is a data set: "eval_loss", "valid_1's auc".
std::optional<DataSet> data_set_of(std::string_view name);

// True when the line has a word of a metric or a position, or the sign of a bar or a boosting
// round. Cheap, since most lines of most logs have none.
bool has_known_word(std::string_view line);

}  // namespace trainctl::job
