// Reads both kinds of runtimes at once; a user who may read only one kind sees that one.
#include "work/find/runtimes.h"

#include <algorithm>

#include "base/text/text.h"
#include "manifest/kind/names.h"
#include "work/find/batch_fetch.h"

namespace trainctl::work {
namespace {

constexpr kube::Resource k_both[] = {job::k_training_runtimes, job::k_cluster_training_runtimes};

std::vector<Listing> listings(const std::string& ns, const std::string& name) {
  return {{k_both[0], ns, {}, name}, {k_both[1], "", {}, name}};
}

bool is_forbidden(const Listing& listing) {
  return listing.failure && listing.failure->error.code == Code::auth;
}

std::string titled(const job::RuntimeFacts& facts) {
  return cat(lower(facts.kind), " ", facts.name);
}

Error of_another_framework(const job::RuntimeFacts& facts, const job::Kind& kind,
                           std::string hint) {
  return {Code::usage,
          cat("--runtime: ", titled(facts), " is made for ", facts.framework, ", not for a ",
              kind.resource.kind),
          std::move(hint)};
}

Error unknown(const RuntimeName& wanted, const std::string& ns, std::string hint) {
  const std::string place = wanted.kind == k_both[1].kind ? "in the cluster"
                            : wanted.kind.empty() ? cat("in namespace ", ns, " or the cluster")
                                                  : cat("in namespace ", ns);
  return {Code::not_found, cat("--runtime: there is no runtime ", wanted.name, " ", place),
          std::move(hint)};
}

}  // namespace

Result<Runtimes> list_runtimes(Access& access, const std::string& ns) {
  TRY_ASSIGN(kube::Client * client, access.client());
  std::vector<Listing> both = listings(ns, "");
  fetch_together(*client, both);
  Runtimes found;
  for (Listing& listing : both) {
    if (is_forbidden(listing)) {
      found.unlisted.emplace_back(listing.resource.plural);
      continue;
    }
    if (listing.failure) return std::move(listing.failure->error);
    std::ranges::sort(listing.objects, [](const Json& a, const Json& b) {
      return text_at(a, "/metadata/name") < text_at(b, "/metadata/name");
    });
    for (Json& object : listing.objects) found.objects.push_back(std::move(object));
  }
  if (found.unlisted.size() == both.size()) return std::move(both[0].failure->error);
  return found;
}

Result<RuntimeName> parse_runtime_name(const std::string& text) {
  const Halves halves = split_once(text, '/');
  RuntimeName wanted{"", halves.found ? halves.second : text};
  if (halves.found) {
    for (const kube::Resource& resource : k_both) {
      // `runtimes -o name` writes the group behind the kind.
      const Halves parts = split_once(lower(halves.first), '.');
      if (parts.found && parts.second != resource.group) continue;
      const std::string& type = parts.first;
      if (type == lower(resource.kind) || type == resource.plural) wanted.kind = resource.kind;
    }
    if (wanted.kind.empty()) {
      return Error{Code::usage, cat("--runtime: `", halves.first, "` is not a kind of runtime"),
                   "write NAME, trainingruntime/NAME or clustertrainingruntime/NAME"};
    }
  }
  if (const auto fault = job::object_name_fault(wanted.name); !fault.empty()) {
    return Error{Code::usage, cat("--runtime: `", printable_line(wanted.name), "` ", fault), ""};
  }
  return wanted;
}

Result<job::NamedRuntime> find_runtime(Access& access, const std::string& ns,
                                       const RuntimeName& wanted, const job::Kind& kind) {
  TRY_ASSIGN(kube::Client * client, access.client());
  std::vector<Listing> places = listings(ns, wanted.name);
  std::erase_if(places, [&](const Listing& place) {
    return !wanted.kind.empty() && place.resource.kind != wanted.kind;
  });
  fetch_together(*client, places);
  std::string hidden;
  for (const Listing& place : places) {
    if (!place.objects.empty()) {
      const job::RuntimeFacts facts = job::runtime_facts(place.objects.front());
      if (job::fits(facts, kind)) return facts.named();
      return of_another_framework(facts, kind, runtimes_for(access, ns, kind));
    }
    if (is_forbidden(place)) {
      hidden = place.resource.kind;
    } else if (place.failure && !object_missing(*place.failure)) {
      return place.failure->error;
    }
  }
  if (hidden.empty()) return unknown(wanted, ns, runtimes_for(access, ns, kind));
  return job::NamedRuntime{hidden, wanted.name};
}

Result<job::NamedRuntime> only_runtime(Access& access, const std::string& ns,
                                       const job::Kind& kind) {
  const std::string what = cat(kind.resource.kind, "s");
  TRY_ASSIGN(const Runtimes runtimes, list_runtimes(access, ns));
  std::vector<job::RuntimeFacts> made_for_it;
  std::vector<std::string> names;
  for (const Json& object : runtimes.objects) {
    job::RuntimeFacts facts = job::runtime_facts(object);
    if (facts.framework != kind.alias) continue;
    names.push_back(facts.name);
    made_for_it.push_back(std::move(facts));
  }
  if (made_for_it.size() == 1) return made_for_it.front().named();
  if (made_for_it.empty()) {
    return Error{Code::usage, cat("the cluster has no runtime that is made for ", what),
                 cat(runtimes_for(access, ns, kind), " (--runtime NAME)")};
  }
  return Error{Code::usage, cat("the cluster has several runtimes for ", what),
               cat("--runtime names one: ", join(names, ", "))};
}

std::string runtimes_for(Access& access, const std::string& ns, const job::Kind& kind) {
  const auto runtimes = list_runtimes(access, ns);
  if (!runtimes) return "trainctl runtimes lists those of the cluster";
  std::vector<std::string> names;
  for (const Json& object : runtimes->objects) {
    const job::RuntimeFacts facts = job::runtime_facts(object);
    if (job::fits(facts, kind)) names.push_back(facts.name);
  }
  if (!names.empty()) return cat("those for a ", kind.resource.kind, ": ", join(names, ", "));
  return cat("none fits a ", kind.resource.kind, "; trainctl template eject --runtime ", kind.alias,
             " prints one for kubectl apply");
}

}  // namespace trainctl::work
