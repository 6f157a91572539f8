// Watches on jobs, their pods and events; rows are judged anew a moment after each change.
#include "cli/commands/get_watch.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/text.h"
#include "base/yaml.h"
#include "cli/output/watching.h"
#include "job/follow/report.h"
#include "job/status/ownership_index.h"
#include "kube/watch.h"

namespace trainctl::cli {
namespace {

// Changes come in bursts: a pod, its events, the job's status. They are judged together.
constexpr Duration k_settle = std::chrono::milliseconds(100);
constexpr Duration k_tick = std::chrono::seconds(1);  // ages grow by themselves

class JobWatch {
 public:
  JobWatch(Context& context, kube::Client& client, const WatchRequest& request)
      : context_(context),
        client_(client),
        request_(request),
        shape_{request.all_namespaces, request.format == "wide"} {}

  Status run() {
    const std::string ns = request_.all_namespaces ? "" : context_.ns();
    for (const job::Kind* kind : request_.kinds) {
      watch({kind->resource, ns, {request_.labels, ""}}, true,
            [this, kind](const Json& object, bool gone) { update_job(*kind, object, gone); });
    }
    for (const Listing& listing : surroundings(ns, "").listings) {
      Objects& objects = listing.resource.plural == kube::k_pods.plural ? pods_ : events_;
      watch({listing.resource, ns, listing.options}, false,
            [this, &objects](const Json& object, bool gone) { update(objects, object, gone); });
    }
    return watch_until_stopped(context_, stop_);
  }

 private:
  using Objects = std::map<std::string, Json>;  // by uid

  void watch(kube::WatchTarget target, bool needed,
             const std::function<void(const Json&, bool gone)>& take) {
    ++unlisted_;
    kube::WatchHandlers handlers;
    handlers.on_change = [take](const Json& object) { take(object, false); };
    handlers.on_gone = [take](const Json& object) { take(object, true); };
    const auto known = [this, first = std::make_shared<bool>(true)] {
      if (std::exchange(*first, false)) --unlisted_;
      settle();
    };
    handlers.on_listed = known;
    // All watches meet the same trouble, and wait for equal times.
    handlers.on_trouble = [this](const std::string& notice) {
      const bool told = std::exchange(trouble_, notice) == notice;
      if (!told && !notice.empty()) context_.console.notice(notice);
    };
    handlers.on_stop = [this, known, needed, plural = target.resource.plural](Error error) {
      if (needed) {
        stop_ = std::move(error);
        return;
      }
      if (missing_.insert(plural).second) {
        context_.console.warn(cat("judged without the ", plural, ": ", error.message));
      }
      known();
    };
    watches_.push_back(kube::start_watch(client_, std::move(target), std::move(handlers)));
  }

  void update(Objects& objects, const Json& object, bool gone) {
    const std::string uid = text_at(object, "/metadata/uid");
    if (gone) {
      objects.erase(uid);
    } else {
      objects[uid] = object;
    }
    settle();
  }

  bool wanted(const job::Kind& kind, const std::string& name) const {
    const auto& jobs = request_.jobs;
    return jobs.empty() ||
           std::find(jobs.begin(), jobs.end(), std::pair(&kind, name)) != jobs.end();
  }

  void update_job(const job::Kind& kind, const Json& object, bool gone) {
    const std::string name = text_at(object, "/metadata/name");
    if (!wanted(kind, name)) return;
    const std::string uid = text_at(object, "/metadata/uid");
    if (gone) {
      jobs_.erase(uid);
      context_.console.notice(cat(lower(kind.resource.kind), " ", name, " was deleted"));
    } else {
      jobs_[uid] = {&kind, object, ""};
    }
    settle();
  }

  void settle() {
    if (unlisted_ > 0 || timer_) return;
    timer_ = context_.loop.after(k_settle, [this] {
      const HandlePtr over = std::move(timer_);
      if (const Status shown = show(); !shown) stop_ = shown.error();
    });
  }

  job::OwnershipIndex belongings() const {
    job::OwnershipIndex all;
    for (const auto& [uid, pod] : pods_) all.add_pod(pod);
    for (const auto& [uid, event] : events_) all.add_event(event);
    return all;
  }

  using Rows = std::map<std::string, std::pair<const FoundJob*, job::JobState>>;  // in table order

  Status show() {
    Rows rows;
    const job::OwnershipIndex all = belongings();
    for (const auto& [uid, job] : jobs_) {
      job::JobState state = job::judge(all.evidence(*job.kind, job.object));
      if (!request_.keep(job, state)) continue;
      rows.emplace(cat(job.ns(), "/", job.name(), "/", uid), std::pair(&job, std::move(state)));
    }
    const bool table = request_.format.empty() || request_.format == "wide";
    if (table && context_.console.puts_rows()) {
      in_place_ = std::move(rows);
      return show_in_place();
    }
    Status shown = table ? show_changed_rows(rows) : show_changed_reports(rows);
    std::erase_if(told_, [&rows](const auto& told) { return !rows.contains(told.first); });
    return shown;
  }

  std::string table_text(const Rows& rows) const {
    Table table(job_header(shape_));
    for (const auto& [key, row] : rows) {
      table.add(job_row(*row.first, row.second, shape_, context_.loop.now()));
    }
    return table.text(context_.console);
  }

  Status show_in_place() {
    tick_ = context_.loop.after(k_tick, [this] {
      // Rows point to jobs, which may have gone when a new judgement is due.
      if (timer_ != nullptr) return;
      const HandlePtr over = std::move(tick_);
      if (const Status shown = show_in_place(); !shown) stop_ = shown.error();
    });
    return context_.console.put_rows(table_text(in_place_));
  }

  bool told_before(const std::string& key, std::string now) {
    std::string& told = told_[key];
    if (told == now) return true;
    told = std::move(now);
    return false;
  }

  Status show_changed_rows(const Rows& rows) {
    const std::vector<std::string> lines = split(table_text(rows), '\n');
    std::string text;
    if (!header_told_) text = lines.front() + '\n';
    header_told_ = true;
    std::size_t line = 0;
    for (const auto& [key, row] : rows) {
      ++line;
      std::string now;  // without the ages, which change by themselves
      for (const Cell& cell : job_row(*row.first, row.second, shape_, Time{})) {
        now += cell.text + '\t';
      }
      if (!told_before(key, std::move(now))) text += lines[line] + '\n';
    }
    return context_.console.out_words(text);
  }

  Status show_changed_reports(const Rows& rows) {
    for (const auto& [key, row] : rows) {
      const Json report = job::job_report(*row.first->kind, row.first->object, row.second);
      if (told_before(key, dump(report))) continue;
      std::string text = resource_name(*row.first->kind, row.first->name()) + '\n';
      if (request_.format == "json") text = dump(report) + '\n';
      if (request_.format == "yaml") text = "---\n" + to_yaml(report);
      TRY(context_.console.out_words(text));
    }
    return {};
  }

  Context& context_;
  kube::Client& client_;
  const WatchRequest& request_;
  TableShape shape_;
  std::map<std::string, FoundJob> jobs_;  // by uid
  Objects pods_, events_;
  int unlisted_ = 0;  // watches whose first list is not in
  std::string trouble_;
  std::set<std::string_view> missing_;  // resources this user may not see
  std::map<std::string, std::string> told_;
  bool header_told_ = false;
  Rows in_place_;  // the table on a terminal
  std::optional<Error> stop_;
  HandlePtr timer_, tick_;
  std::vector<HandlePtr> watches_;
};

}  // namespace

Status watch_jobs(Context& context, const WatchRequest& request) {
  TRY_ASSIGN(kube::Client * client, context.client());
  return JobWatch(context, *client, request).run();
}

}  // namespace trainctl::cli
