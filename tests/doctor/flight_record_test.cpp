// Dumps as PyTorch writes them, hostile ones, and the rank that each comparison names.
#include "doctor/flight_record.h"

#include <set>
#include <string>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "doctor/pickle.h"

namespace trainctl::job {
namespace flight_record_test {

// Pieces of pickles, as the opcodes of protocol 2.
std::string little_endian(std::uint64_t number, std::size_t length) {
  std::string bytes;
  for (std::size_t at = 0; at < length; ++at) bytes += static_cast<char>(number >> (8 * at) & 0xFF);
  return bytes;
}
std::string word(const std::string& text) {
  return "X" + little_endian(text.size(), 4) + text;
}
std::string number(std::uint64_t value) {
  return "\x8a\x08" + little_endian(value, 8);
}
std::string pair_of(const std::string& first, const std::string& second) {
  return first + second + "\x86";
}
std::string dict(const std::string& items) {
  return "}(" + items + "u";
}
std::string whole(const std::string& value) {
  return "\x80\x02" + value + ".";
}

// "GROUP SEQUENCE NAME STATE TIME"
std::string entry(const std::string& text) {
  const auto words = split(text, ' ');
  return dict(word("process_group") + pair_of(word(words[0]), word("pg " + words[0])) +
              word("collective_seq_id") +
              number(parse_number<std::uint64_t>(words[1]).value_or(0)) + word("profiling_name") +
              word("nccl:" + words[2]) + word("state") + word(words[3]) + word("time_created_ns") +
              number(parse_number<std::uint64_t>(words[4]).value_or(0)) + word("is_p2p") + "\x89");
}

// Its entries, separated by commas; `ranks` are those of group 0.
std::string dump(const std::string& entries, const std::string& ranks = "[0, 1, 2]") {
  std::string list;
  for (const std::string& one : split(entries, ',')) list += one.empty() ? "" : entry(one);
  const std::string group = dict(word("desc") + word("default_pg") + word("ranks") + word(ranks));
  return whole(
      dict(word("pg_config") + dict(word("0") + group) + word("entries") + "](" + list + "e"));
}

std::string compared(const std::vector<std::string>& dumps) {
  FlightRecords records({0, 1, 2});
  for (int rank = 0; const std::string& one : dumps) REQUIRE(records.add(rank++, one));
  return records.verdict().sentence;
}

TEST_CASE("the rank whose collectives differ is named") {
  const std::string done = "0 7 all_reduce completed 100", open = "0 8 all_reduce started 200";
  const std::string waits = "0 8 all_reduce scheduled 201";
  struct Sample {
    const char* name;
    std::vector<std::string> dumps;
    std::string expected;
  };
  const std::vector<Sample> samples = {
      {"one is missing",
       {dump(done + "," + open), dump(done), dump(done + "," + open)},
       "rank 1 never joined all_reduce #8 of process group 0 (default_pg)"},
      {"one made no call at all",
       {dump("0 1 broadcast started 1"), dump(""), dump("0 1 broadcast started 2")},
       "rank 1 never joined broadcast #1 of process group 0 (default_pg)"},
      {"one is two calls behind, and none is open",
       {dump(done + ",0 8 all_gather completed 200,0 9 barrier completed 300"), dump(done),
        dump(done + ",0 8 all_gather completed 201,0 9 barrier completed 301")},
       "rank 1 never joined all_gather #8 of process group 0 (default_pg)"},
      {"one has not begun",
       {dump(done + "," + open), dump(done + "," + open), dump(done + "," + waits)},
       "rank 2 has scheduled all_reduce #8 of process group 0 (default_pg), others have started "
       "all_reduce"},
      {"one has not ended",
       {dump(done), dump("0 7 all_reduce started 100"), dump(done)},
       "rank 1 has started all_reduce #7 of process group 0 (default_pg), others have completed "
       "all_reduce"},
      {"the first open call counts, not those behind it",
       {dump(open + ",0 9 barrier scheduled 300"), dump(waits), dump(open)},
       "rank 1 has scheduled all_reduce #8 of process group 0 (default_pg), others have started "
       "all_reduce"},
      {"another collective",
       {dump(open), dump("0 8 broadcast started 200"), dump(open)},
       "rank 1 has started broadcast #8 of process group 0 (default_pg), others have started "
       "all_reduce"},
      {"all stand",
       {dump(open), dump(open), dump(open)},
       "all 3 ranks have started all_reduce #8 of process group 0 (default_pg)"},
      {"one dump",
       {dump(open)},
       "rank 0 has started all_reduce #8 of process group 0 (default_pg)"},
      {"the earliest difference counts",
       {dump(done + ",5 3 all_gather started 50"), dump("5 2 all_gather completed 40," + open),
        dump("")},
       "rank 1 never joined all_gather #3 of process group 5 (pg 5)"},
      {"a rank outside the group is not missing",
       {dump(open, "[0, 1]"), dump(open, "[0, 1]"), dump("", "[0, 1]")},
       "all 2 ranks have started all_reduce #8 of process group 0 (default_pg)"},
      {"no calls", {dump(""), dump("")}, ""},
      {"no dumps", {}, ""},
  };
  for (const Sample& sample : samples) {
    CAPTURE(sample.name);
    CHECK(compared(sample.dumps) == sample.expected);
  }
}

TEST_CASE("texts of a dump are printable and bounded") {
  const std::string name = "all\x1b]0;x\x07" + std::string(10'000, 'a');
  FlightRecords records({0});
  REQUIRE(records.add(0, dump("0 1 " + name + " started 1")));
  const RecordedCall& call = records.groups().at("0").calls.at(0).at(0);
  CHECK(call.name.size() < 100);
  CHECK(call.name.find('\x1b') == std::string::npos);
}

TEST_CASE("the dumps of a job share one bound, and name only its ranks") {
  std::set<int> ranks;
  for (int rank = 0; rank < 100; ++rank) ranks.insert(rank);
  FlightRecords records(ranks);
  std::string calls;
  for (int call = 1; call <= 5000; ++call) calls += cat("0 ", call, " all_reduce completed 1,");
  std::string named;
  for (int rank = 0; rank < 150'000; ++rank) named += cat(rank, ", ");
  const std::string dump_of_one = dump(calls, named);
  for (const int rank : ranks) {
    REQUIRE(records.add(rank, dump_of_one));
    REQUIRE(records.add(rank + 1000, dump("0 1 barrier started 1")));
  }
  CHECK(records.size() == 100);
  std::size_t kept = 0;
  for (const auto& [name, group] : records.groups()) {
    CHECK(group.members.size() <= ranks.size());
    for (const auto& [rank, of_rank] : group.calls) kept += of_rank.size();
  }
  CHECK(kept == 400'000);
  FlightRecords many(ranks);
  for (const int rank : ranks) {
    std::string groups;
    for (int one = 0; one < 100; ++one) {
      groups += word(cat(rank, "-", one)) + dict(word("ranks") + word("[0]"));
    }
    REQUIRE(many.add(rank, whole(dict(word("pg_config") + dict(groups) + word("entries") + "]"))));
  }
  CHECK(many.groups().size() == 1000);
}

std::string refusal_of(const std::string& bytes) {
  const auto pickle = read_pickle(bytes);
  return pickle ? "" : pickle.error().message;
}

TEST_CASE("a pickle that holds more than data, or lies about its lengths, is refused") {
  const std::string code = "it holds more than data, or is no pickle of protocol 2 or later";
  const std::string cut = "it is cut off";
  struct Sample {
    const char* name;
    std::string bytes, expected;
  };
  const std::vector<Sample> samples = {
      {"GLOBAL and REDUCE", whole("cos\nsystem\n(X\x02"), code},
      {"STACK_GLOBAL", whole(word("os") + word("system") + "\x93"), code},
      {"REDUCE", whole("))R"), code},
      {"BUILD", whole("}}b"), code},
      {"INST", whole("(ios\nsystem\n"), code},
      {"OBJ", whole("(o"), code},
      {"NEWOBJ", whole("))\x81"), code},
      {"NEWOBJ_EX", whole("))}\x92"), code},
      {"EXT1", whole("\x82\x01"), code},
      {"EXT4", whole("\x84" + std::string(4, '\x01')), code},
      {"PERSID", whole("Px\n"), code},
      {"BINPERSID", whole("NQ"), code},
      {"nothing", "", cut},
      {"no end", "\x80\x02N", cut},
      {"no value", "\x80\x02.", "its stack is too short"},
      {"a text longer than the rest",
       whole("X\xff\xff\xff\xff"
             "a"),
       cut},
      {"a text of 2^64 - 1 bytes", whole("\x8d" + std::string(8, '\xff')), cut},
      {"an integer that is cut", "\x80\x02J\x01", cut},
      {"a mark that is not there", whole("]e"), "its stack is too short"},
      {"more than a mark holds", whole("(\x86"), "its stack is too short"},
      {"parts of a text", whole(word("a") + "Na"), "it adds to a value that has no parts"},
      {"a key alone", whole("}(Nu"), "a key has no value"},
      {"a place that was never filled", whole("h\x05"), "it recalls what it never had"},
      {"a memo of 2^32 places", whole("Nr\xff\xff\xff\xff"),
       "it remembers more than a million values"},
      {"two million values", whole(std::string(2'000'000, 'N')),
       "it has more than a million values"},
      {"a circle", whole("]q" + std::string(1, '\0') + "h" + std::string(1, '\0') + "a"), ""},
      {"depth", whole(std::string(100'000, ']') + std::string(99'999, 'a')), ""},
      {"a negative number", whole("J\xff\xff\xff\xff"), ""},
  };
  for (const Sample& sample : samples) {
    CAPTURE(sample.name);
    CHECK(refusal_of(sample.bytes) == sample.expected);
  }
  const std::string minus = whole("J\xfe\xff\xff\xff");
  const auto pickle = read_pickle(minus);
  REQUIRE(pickle);
  CHECK(pickle->values[pickle->root].number == -2);
}

TEST_CASE("a dump without a list of entries is refused") {
  FlightRecords records({0});
  CHECK_FALSE(records.add(0, whole("N")));
  CHECK_FALSE(records.add(0, whole(dict(word("entries") + "N"))));
  CHECK(records.add(0, whole(dict(word("entries") + "](NN]e"))));
  CHECK(records.groups().empty());
}

}  // namespace flight_record_test
}  // namespace trainctl::job
