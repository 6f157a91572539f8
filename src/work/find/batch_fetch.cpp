// Sends requests in parallel: asking for six kinds of jobs takes one round trip, as for one.
#include "work/find/batch_fetch.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "base/loop/loop.h"
#include "base/text/text.h"
#include "kube/client/collection.h"
#include "kube/client/metadata_requests.h"
#include "status/ownership.h"
#include "status/watched_set.h"

namespace trainctl::work {
namespace {

void add_items(Listing& listing, Json& page) {
  for (Json& item : kube::take_items(listing.resource, page)) {
    listing.objects.push_back(listing.part ? listing.part(std::move(item)) : std::move(item));
  }
}

using Answer = std::variant<Json, kube::Failure>;

Result<net::Request> first_request(const Listing& listing) {
  net::Request request;
  if (listing.name.empty()) {
    TRY_ASSIGN(request, kube::list_request(listing.resource, listing.ns, listing.options, ""));
  } else {
    TRY_ASSIGN(request.target, kube::resource_path(listing.resource, listing.ns, listing.name));
    if (listing.metadata_only) kube::ask_for_metadata(request);
  }
  request.lane = listing.lane;
  request.timeout = listing.patience;
  request.owner_retries = listing.patience > Duration::zero();
  return request;
}

kube::Failure too_large(const Listing& listing) {
  return {Error{Code::unreachable,
                cat("the list of ", listing.resource.plural, " is too large to be held in memory",
                    " beside the other lists of this command"),
                "choose one namespace with -n, or fewer jobs with -l SELECTOR"},
          {}};
}

// Reads the pages after the first.
void read_rest(kube::Client& client, Listing& listing, std::string token) {
  const Status status = client.list(
      listing.resource, listing.ns, listing.options,
      [&listing](Json page) { add_items(listing, page); }, [&listing] { listing.objects.clear(); },
      std::move(token));
  if (status) return;
  const bool is_crowded = *listing.options.together > kube::k_most_list_memory;
  listing.failure = is_crowded ? too_large(listing) : kube::Failure{status.error(), {}};
  if (is_crowded) listing.objects.clear();
}

void take_answer(kube::Client& client, Listing& listing, Json answer) {
  if (!listing.name.empty()) {
    if (answer.is_object()) listing.objects.push_back(std::move(answer));
    return;
  }
  *listing.options.together += kube::memory_of(answer);
  add_items(listing, answer);
  std::string token = text_at(answer, "/metadata/continue");
  if (!token.empty() && !listing.first_page_only) read_rest(client, listing, std::move(token));
}

// Bytes that are on their way, and the memory of what was made of others, count alike, since the
// answers of a hostile server would else take ten times the limit of one.
void take_room(std::size_t& room, Answer& answer) {
  const Json* object = std::get_if<Json>(&answer);
  if (object == nullptr) return;
  const std::size_t memory = kube::memory_of(*object);
  if (memory <= room) {
    room -= memory;
    return;
  }
  kube::Failure failure;
  failure.crowded = true;
  answer = std::move(failure);
}

// The answers in the order of the requests.
std::vector<Answer> fetch_together(kube::Client& client, std::vector<net::Request> requests,
                                   std::size_t& room) {
  std::vector<Answer> answers(requests.size());
  std::vector<HandlePtr> handles;
  std::size_t missing = requests.size();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto done = [&answers, &missing, &room, i](Answer answer) {
      take_room(room, answer);
      answers[i] = std::move(answer);
      --missing;
    };
    handles.push_back(client.fetch(std::move(requests[i]), done));
  }
  const Status ended = client.run_until([&missing] { return missing == 0; });
  if (!ended) {
    answers.assign(requests.size(), Answer(kube::Failure{client.unanswered(ended.error()), {}}));
  }
  return answers;
}

}  // namespace

void fetch_together(kube::Client& client, std::vector<Listing>& listings,
                    std::vector<Call>* calls) {
  const auto room = std::make_shared<std::size_t>(net::k_shared_limit);
  const auto together = std::make_shared<std::size_t>(0);
  std::vector<net::Request> requests;
  std::vector<Listing*> asked;
  for (Listing& listing : listings) {
    listing.options.together = together;
    auto request = first_request(listing);
    if (!request) {
      listing.failure = kube::Failure{request.error(), {}};
      continue;
    }
    request->shared_room = room;
    requests.push_back(*std::move(request));
    asked.push_back(&listing);
  }
  if (calls != nullptr) {
    for (Call& call : *calls) requests.push_back(std::move(call.request));
  }
  std::vector<Answer> answers = fetch_together(client, std::move(requests), *room);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (auto* failure = std::get_if<kube::Failure>(&answers[i])) {
      asked[i]->failure = failure->crowded ? too_large(*asked[i]) : std::move(*failure);
      continue;
    }
    take_answer(client, *asked[i], std::get<Json>(std::move(answers[i])));
  }
  for (std::size_t i = asked.size(); i < answers.size(); ++i) {
    (*calls)[i - asked.size()].answer = std::move(answers[i]);
  }
}

// An API server that knows the kind names the object: `pytorchjobs.kubeflow.org "ddp" not found`.
bool object_missing(const kube::Failure& failure) {
  return failure.refusal.status == 404 && failure.refusal.message.ends_with("\" not found");
}

bool kind_missing(const kube::Failure& failure) {
  return failure.refusal.status == 404 && !object_missing(failure);
}

Listing pods_listing(std::string_view ns, const job::Kind* kind, std::string_view job_name) {
  return {kube::k_pods, std::string(ns), {job::pod_selector(kind, job_name), ""}};
}

Result<std::vector<Json>> fetch_pods(kube::Client& client, const job::Kind& kind, const Json& job) {
  std::vector<Listing> pods = {
      pods_listing(text_at(job, "/metadata/namespace"), &kind, text_at(job, "/metadata/name"))};
  fetch_together(client, pods);
  if (pods[0].failure) return pods[0].failure->error;
  job::keep_owned(pods[0].objects, {kind, job});
  return std::move(pods[0].objects);
}

JobListings listings_for(std::string_view ns, std::string_view job_name, const job::Kind* kind) {
  JobListings around;
  const job::Kind* asked = kind == nullptr ? &job::operator_kinds().front() : kind;
  around.pod_label = asked->controller.labels.job;
  auto [pods, warnings, exits] = job::watch_targets(std::string(ns), {&asked, 1});
  if (!job_name.empty()) pods[0].options.label_selector += cat('=', job_name);
  for (kube::WatchTarget* target : {&pods[0], &warnings, &exits}) {
    around.listings.push_back({target->resource, target->ns, std::move(target->options)});
  }
  return around;
}

void add_other_pods(kube::Client& client, std::span<const job::Kind* const> kinds,
                    std::string_view name, JobListings* around) {
  if (around == nullptr || around->listings.empty() || kinds.empty()) return;
  Listing& pods = around->listings.front();
  std::vector<Listing> others;
  for (const std::string_view label : job::job_labels(kinds)) {
    if (label == around->pod_label) continue;
    std::string selector = name.empty() ? std::string(label) : cat(label, '=', name);
    others.push_back({.resource = pods.resource,
                      .ns = pods.ns,
                      .options = {std::move(selector), ""},
                      .lane = pods.lane,
                      .part = pods.part});
  }
  fetch_together(client, others);
  for (Listing& other : others) {
    if (other.failure && !pods.failure) pods.failure = std::move(other.failure);
    std::move(other.objects.begin(), other.objects.end(), std::back_inserter(pods.objects));
  }
}

}  // namespace trainctl::work
