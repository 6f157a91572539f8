// Sends requests in parallel: asking for six kinds of jobs takes one round trip, as for one.
#include "work/find/batch_fetch.h"

#include "base/loop/loop.h"

namespace trainctl::work {
namespace {

void add_items(Listing& listing, Json& page) {
  for (Json& item : kube::take_items(listing.resource, page)) {
    listing.objects.push_back(std::move(item));
  }
}

using Answer = std::variant<Json, kube::Failure>;

Result<net::Request> first_request(const Listing& listing) {
  net::Request request;
  if (listing.name.empty()) {
    TRY_ASSIGN(request, kube::list_request(listing.resource, listing.ns, listing.options, ""));
  } else {
    TRY_ASSIGN(request.target, kube::resource_path(listing.resource, listing.ns, listing.name));
  }
  request.lane = listing.lane;
  return request;
}

// Reads the pages after the first.
void read_rest(kube::Client& client, Listing& listing, std::string token) {
  const Status status = client.list(
      listing.resource, listing.ns, listing.options,
      [&listing](Json page) { add_items(listing, page); }, [&listing] { listing.objects.clear(); },
      std::move(token));
  if (!status) listing.failure = kube::Failure{status.error(), {}};
}

void take_answer(kube::Client& client, Listing& listing, Json answer) {
  if (!listing.name.empty()) {
    if (answer.is_object()) listing.objects.push_back(std::move(answer));
    return;
  }
  add_items(listing, answer);
  std::string token = text_at(answer, "/metadata/continue");
  if (!token.empty() && !listing.first_page_only) read_rest(client, listing, std::move(token));
}

// The answers in the order of the requests.
std::vector<Answer> fetch_together(kube::Client& client, std::vector<net::Request> requests) {
  std::vector<Answer> answers(requests.size());
  std::vector<HandlePtr> handles;
  std::size_t missing = requests.size();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    handles.push_back(client.fetch(std::move(requests[i]), [&answers, &missing, i](Answer answer) {
      answers[i] = std::move(answer);
      --missing;
    }));
  }
  const Status ended = client.run_until([&missing] { return missing == 0; });
  if (!ended) {
    answers.assign(requests.size(), Answer(kube::Failure{client.unanswered(ended.error()), {}}));
  }
  return answers;
}

}  // namespace

void fetch_together(kube::Client& client, std::vector<Listing>& listings) {
  std::vector<net::Request> requests;
  std::vector<Listing*> asked;
  for (Listing& listing : listings) {
    auto request = first_request(listing);
    if (!request) {
      listing.failure = kube::Failure{request.error(), {}};
      continue;
    }
    requests.push_back(*std::move(request));
    asked.push_back(&listing);
  }
  std::vector<Answer> answers = fetch_together(client, std::move(requests));
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (auto* failure = std::get_if<kube::Failure>(&answers[i])) {
      asked[i]->failure = std::move(*failure);
      continue;
    }
    take_answer(client, *asked[i], std::get<Json>(std::move(answers[i])));
  }
}

// An API server that knows the kind names the object: `pytorchjobs.kubeflow.org "ddp" not found`.
bool object_missing(const kube::Failure& failure) {
  return failure.refusal.status == 404 && failure.refusal.message.ends_with("\" not found");
}

bool kind_missing(const kube::Failure& failure) {
  return failure.refusal.status == 404 && !object_missing(failure);
}

}  // namespace trainctl::work
