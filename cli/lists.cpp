// Starts requests side by side: a round trip for six kinds of jobs costs as much as for one.
#include "cli/lists.h"

#include "base/loop.h"
#include "base/text.h"
#include "net/url.h"

namespace trainctl::cli {
namespace {

Json without_managed_fields(Json object) {
  if (object.contains("metadata")) object["metadata"].erase("managedFields");
  return object;
}

// Items of a list carry no type of their own for the core kinds.
Json typed_item(const kube::Resource& resource, Json item) {
  item.emplace("apiVersion", resource.api_version());
  item.emplace("kind", std::string(resource.kind));
  return without_managed_fields(std::move(item));
}

void add_items(Listing& listing, Json& page) {
  if (!page.contains("items") || !page["items"].is_array()) return;
  for (Json& item : page["items"]) {
    if (item.is_object()) listing.objects.push_back(typed_item(listing.resource, std::move(item)));
  }
}

using Answer = std::variant<Json, kube::Failure>;

Result<std::string> first_page(const Listing& listing) {
  TRY_ASSIGN(std::string path, kube::resource_path(listing.resource, listing.ns, listing.name));
  if (!listing.name.empty()) return path;
  net::Query query = {{"limit", "500"}};
  if (!listing.options.label_selector.empty()) {
    query.emplace_back("labelSelector", listing.options.label_selector);
  }
  if (!listing.options.field_selector.empty()) {
    query.emplace_back("fieldSelector", listing.options.field_selector);
  }
  return net::with_query(std::move(path), query);
}

void read_in_full(kube::Client& client, Listing& listing) {
  listing.objects.clear();
  const Status status = client.list(
      listing.resource, listing.ns, listing.options,
      [&listing](Json page) { add_items(listing, page); }, [&listing] { listing.objects.clear(); });
  if (!status) listing.failure = kube::Failure{status.error(), {}};
}

// One GET per target; the answers in the same order.
std::vector<Answer> fetch_together(kube::Client& client, const std::vector<std::string>& targets) {
  std::vector<Answer> answers(targets.size());
  std::vector<HandlePtr> handles;
  std::size_t missing = targets.size();
  for (std::size_t i = 0; i < targets.size(); ++i) {
    net::Request request;
    request.target = targets[i];
    handles.push_back(client.fetch(std::move(request), [&answers, &missing, i](Answer answer) {
      answers[i] = std::move(answer);
      --missing;
    }));
  }
  client.loop().run_until([&missing] { return missing == 0; });
  return answers;
}

}  // namespace

void list_together(kube::Client& client, std::vector<Listing>& listings) {
  std::vector<std::string> targets;
  std::vector<Listing*> asked;
  for (Listing& listing : listings) {
    auto target = first_page(listing);
    if (!target) {
      listing.failure = kube::Failure{target.error(), {}};
      continue;
    }
    targets.push_back(*std::move(target));
    asked.push_back(&listing);
  }
  std::vector<Answer> answers = fetch_together(client, targets);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (auto* failure = std::get_if<kube::Failure>(&answers[i])) {
      asked[i]->failure = std::move(*failure);
      continue;
    }
    Json& page = std::get<Json>(answers[i]);
    if (!asked[i]->name.empty()) {
      if (page.is_object()) asked[i]->objects.push_back(without_managed_fields(std::move(page)));
    } else if (text_at(page, "/metadata/continue").empty()) {
      add_items(*asked[i], page);
    } else {
      read_in_full(client, *asked[i]);
    }
  }
}

// An API server that knows the kind names the object: `pytorchjobs.kubeflow.org "ddp" not found`.
bool object_missing(const kube::Failure& failure) {
  return failure.refusal.status == 404 && failure.refusal.message.ends_with("\" not found");
}

bool kind_missing(const kube::Failure& failure) {
  return failure.refusal.status == 404 && !object_missing(failure);
}

}  // namespace trainctl::cli
