// The choices that options offer, and how users write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text/terminal_text.h"
#include "base/text/time.h"
#include "base/text/words.h"
#include "follow/follow.h"
#include "follow/log_choice.h"
#include "follow/verdict_policy.h"
#include "logs/log_printer.h"
#include "manifest/kind/kind.h"
#include "metrics/chart_input.h"
#include "transfer/dev_edits.h"
#include "view/usage_table.h"
#include "work/create/create.h"
#include "work/rights/rights.h"

namespace trainctl::options {

// The formats of -o. Each command has a table of those that it prints.
enum class Format {
  text,      // no -o: a table, sentences, lines
  wide,      // a table with more columns
  json,      // a report
  yaml,      // the same
  name,      // KIND/NAME, as kubectl takes it
  manifest,  // the bare object
};
inline constexpr Word<Format> k_all_formats[] = {
    {"text", Format::text}, {"wide", Format::wide}, {"json", Format::json},
    {"yaml", Format::yaml}, {"name", Format::name}, {"manifest", Format::manifest}};
inline constexpr Word<Format> k_json_alone[] = {{"json", Format::json}};
inline constexpr Word<Format> k_data_formats[] = {{"json", Format::json}, {"yaml", Format::yaml}};
inline constexpr Word<Format> k_conversion_formats[] = {{"yaml", Format::yaml},
                                                        {"json", Format::json}};
inline constexpr Word<Format> k_report_formats[] = {
    {"json", Format::json}, {"yaml", Format::yaml}, {"name", Format::name}};
inline constexpr Word<Format> k_job_formats[] = {{"json", Format::json},
                                                 {"yaml", Format::yaml},
                                                 {"name", Format::name},
                                                 {"manifest", Format::manifest}};
inline constexpr Word<Format> k_run_formats[] = {
    {"json", Format::json}, {"yaml", Format::yaml}, {"manifest", Format::manifest}};

// The verdicts of runs that the history knows.
inline constexpr Word<Code> k_verdicts[] = {{"succeeded", Code::ok},
                                            {"failed", Code::job_failed},
                                            {"not-started", Code::not_started},
                                            {"removed", Code::removed}};

enum class PlotFormat { text, json, csv, svg };
inline constexpr Word<PlotFormat> k_plot_formats[] = {
    {"json", PlotFormat::json}, {"csv", PlotFormat::csv}, {"svg", PlotFormat::svg}};
// None of them: as the runs allow.
inline constexpr Word<std::optional<view::ChartX>> k_chart_x[] = {{"step", view::ChartX::step},
                                                                  {"time", view::ChartX::time}};

inline constexpr Word<job::LogFormat> k_log_formats[] = {{"text", job::LogFormat::text},
                                                         {"json", job::LogFormat::json}};
inline constexpr Word<job::Prefix> k_prefixes[] = {{"auto", job::Prefix::automatic},
                                                   {"always", job::Prefix::always},
                                                   {"never", job::Prefix::never}};
inline constexpr Word<int> k_levels[] = {{"0", 0}, {"1", 1}, {"2", 2}, {"3", 3}, {"4", 4},
                                         {"5", 5}, {"6", 6}, {"7", 7}, {"8", 8}, {"9", 9}};
inline constexpr Word<std::optional<CiSystem>> k_ci_systems[] = {
    {"auto", std::nullopt},     {"github", CiSystem::github}, {"gitlab", CiSystem::gitlab},
    {"azure", CiSystem::azure}, {"plain", CiSystem::plain},   {"none", CiSystem::none}};

// The use of the working tree's .trainctl.yaml.
enum class TreeConfig {
  agreed,   // it is read once the user has agreed to its content
  trusted,  // it is read without consent
  off,      // it is ignored
};
inline constexpr Word<std::optional<TreeConfig>> k_tree_configs[] = {
    {"trusted", TreeConfig::trusted}, {"off", TreeConfig::off}};

enum class DryRun { none, client, server };
inline constexpr Word<DryRun> k_dry_runs[] = {
    {"none", DryRun::none}, {"client", DryRun::client}, {"server", DryRun::server}};

inline constexpr Word<work::IfExists> k_if_exists[] = {{"fail", work::IfExists::fail},
                                                       {"skip", work::IfExists::skip},
                                                       {"replace", work::IfExists::replace},
                                                       {"attach", work::IfExists::attach}};

inline constexpr Word<job::WaitFor> k_waits[] = {{"running", job::WaitFor::running},
                                                 {"succeeded", job::WaitFor::succeeded},
                                                 {"failed", job::WaitFor::failed},
                                                 {"deleted", job::WaitFor::deleted}};
inline constexpr Word<job::OnGiveUp> k_on_give_up[] = {{"leave", job::OnGiveUp::leave},
                                                       {"delete", job::OnGiveUp::remove}};
inline constexpr Word<job::OnStall> k_on_stall[] = {
    {"warn", job::OnStall::warn}, {"doctor", job::OnStall::look}, {"delete", job::OnStall::remove}};
inline constexpr Word<job::OnInterrupt> k_on_interrupt[] = {{"detach", job::OnInterrupt::detach},
                                                            {"cancel", job::OnInterrupt::cancel}};

// Says whether edits in the copy of the code that `dev` works in are copied back.
inline constexpr Word<work::SyncBack> k_sync_back[] = {{"ask", work::SyncBack::ask},
                                                       {"always", work::SyncBack::always},
                                                       {"never", work::SyncBack::never}};

inline constexpr Word<work::Use> k_uses[] = {{"submit", work::Use::submit},
                                             {"follow", work::Use::follow},
                                             {"cancel", work::Use::cancel},
                                             {"check", work::Use::check},
                                             {"exec", work::Use::exec},
                                             {"attach", work::Use::attach},
                                             {"port-forward", work::Use::forward},
                                             {"fetch", work::Use::fetch},
                                             {"code", work::Use::code},
                                             {"pvc", work::Use::claims},
                                             {"change", work::Use::change},
                                             {"top", work::Use::usage}};

// The order of the list of runtimes.
enum class RuntimeOrder { scope_then_name, name, scope, framework, nodes };
inline constexpr Word<RuntimeOrder> k_runtime_orders[] = {{"name", RuntimeOrder::name},
                                                          {"scope", RuntimeOrder::scope},
                                                          {"framework", RuntimeOrder::framework},
                                                          {"nodes", RuntimeOrder::nodes}};

inline constexpr Word<view::UsageOrder> k_usage_orders[] = {{"trouble", view::UsageOrder::trouble},
                                                            {"name", view::UsageOrder::name},
                                                            {"gpu", view::UsageOrder::gpus},
                                                            {"cpu", view::UsageOrder::cpu},
                                                            {"memory", view::UsageOrder::memory}};

// The kind; null for "", Code::usage with the existing kinds for unknown ones.
Result<const job::Kind*> kind_flag(const std::string& text);

// The parts of a run that the history may keep.
struct HistoryFlags {
  bool none = false;
  bool values = false;  // all but credentials
};

// How to follow, and the logs and reports to write.
inline constexpr Duration k_start_timeout = std::chrono::minutes(5);
inline constexpr Duration k_stall = std::chrono::minutes(10);
struct WaitFlags {
  job::FollowOptions follow = {.stall = {.after = k_stall}, .start_timeout = k_start_timeout};
  std::optional<Duration> timeout;
  std::string save_logs;  // a directory
  std::string result_file, junit, report;
  std::string notify;  // a program with its arguments, or a URL
  bool fail_on_nan = false;
  HistoryFlags history;
};

}  // namespace trainctl::options
