// Whatever a broken or hostile server puts into a field of its answers, a command ends, and with a
// status of the table. WRONG_TYPES=N tries N values for each golden case (1 unless set).
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <random>
#include <set>

#include <doctest/doctest.h>

#include "base/error.h"
#include "base/text/text.h"
#include "base/value/json.h"
#include "cases/golden_case.h"

namespace trainctl::testing {
namespace wrong_types_test {

const std::vector<Json>& wrong_values() {
  static const std::vector<Json> values = {
      nullptr,
      true,
      -1,
      INT64_MAX,
      1.5e300,
      "",
      "x",
      std::string(70'000, 'x'),
      Json::array(),
      Json::array({nullptr, 1, "x", Json::object(), Json::array()}),
      Json::object(),
      Json({{"x", Json::array({Json::object()})}, {"", nullptr}})};
  return values;
}

// A field of an answer: the piece of it that holds the field, and its place there.
struct Field {
  std::size_t exchange = 0, chunk = 0;
  Json::json_pointer place;
};

void add_places(const Json& value, const Json::json_pointer& place,
                std::vector<Json::json_pointer>& places) {
  places.push_back(place);
  if (value.is_array()) {
    for (std::size_t at = 0; at < value.size(); ++at) add_places(value[at], place / at, places);
  }
  if (!value.is_object()) return;
  for (const auto& [name, member] : value.items()) add_places(member, place / name, places);
}

std::vector<Field> fields_of(const std::vector<Exchange>& exchanges) {
  std::vector<Field> fields;
  for (std::size_t at = 0; at < exchanges.size(); ++at) {
    for (std::size_t chunk = 0; chunk < exchanges[at].chunks.size(); ++chunk) {
      const Json answer = Json::parse(exchanges[at].chunks[chunk].data, nullptr, false);
      if (!answer.is_structured()) continue;
      std::vector<Json::json_pointer> places;
      add_places(answer, Json::json_pointer(), places);
      for (auto& place : places) fields.push_back({at, chunk, std::move(place)});
    }
  }
  return fields;
}

std::vector<Exchange> with(std::vector<Exchange> exchanges, const Field& field, const Json& value) {
  std::string& data = exchanges[field.exchange].chunks[field.chunk].data;
  Json answer = Json::parse(data);
  answer[field.place] = value;
  data = answer.dump() + '\n';
  return exchanges;
}

struct Tried {
  int values = 0, failures = 0;
};

bool ends_well(const CaseFile& file, std::vector<Exchange> server) {
  GoldenCase golden(file);
  golden.server = std::move(server);
  golden.ends_after = std::chrono::minutes(1);  // a job that seems to run is followed for ever
  const Outcome outcome = golden.run();
  const auto statuses = exit_statuses();
  const bool is_known = std::ranges::any_of(statuses, [&outcome](const ExitStatus& row) {
    return cat(static_cast<int>(row.code), "\n") == outcome.exit;
  });
  const bool is_bug = outcome.err.find("internal error") != std::string::npos;
  CHECK(is_known);
  CHECK_FALSE_MESSAGE(is_bug, outcome.err);
  return is_known && !is_bug;
}

void try_case(const std::string& name, std::size_t most, Tried& tried) {
  const CaseFile file = read_case(name);
  if (!file.has("cmd")) return;
  const auto exchanges = GoldenCase(file).exchanges();
  REQUIRE(exchanges);
  const std::vector<Field> fields = fields_of(*exchanges);
  const std::size_t all = fields.size() * wrong_values().size();
  std::seed_seq seed(name.begin(), name.end());
  std::minstd_rand random(seed);
  std::set<std::size_t> chosen;
  while (chosen.size() < std::min(most, all)) {
    chosen.insert(all <= most ? chosen.size() : random() % all);
  }
  for (const std::size_t number : chosen) {
    const Field& field = fields[number / wrong_values().size()];
    const Json& value = wrong_values()[number % wrong_values().size()];
    CAPTURE(name);
    CAPTURE((*exchanges)[field.exchange].path);
    CAPTURE(field.place.to_string());
    CAPTURE(value.dump().substr(0, 60));
    ++tried.values;
    if (!ends_well(file, with(*exchanges, field, value))) ++tried.failures;
  }
}

TEST_CASE("a server whose answers have wrong types neither crashes nor hangs a command") {
  const char* const wanted = std::getenv("WRONG_TYPES");
  const std::size_t most = wanted == nullptr ? 1 : std::strtoul(wanted, nullptr, 10);
  Tried tried;
  for (const std::string& name : case_names()) {
    const std::string command = name.substr(0, name.find('/'));
    const std::set<std::string> reading = {"get",  "describe", "why", "logs",
                                           "wait", "events",   "env", "check"};
    if (reading.contains(command)) try_case(name, most, tried);
  }
  MESSAGE(tried.values, " wrong values, ", tried.failures, " failures");
  CHECK(tried.values > 300);
}

}  // namespace wrong_types_test
}  // namespace trainctl::testing
