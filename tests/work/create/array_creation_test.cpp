// Jobs of an array would be left out without a word, or each would meet an error that ends them
// all.
#include "work/create/array_creation.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "support/fake_access.h"
#include "support/fakes.h"
#include "work/api_transport.h"

namespace trainctl::testing {
namespace array_creation_test {

struct Example {
  Code second;  // how the creation of the second of four jobs ends
  const char* created;
  const char* refused;
  const char* left_out;
};
constexpr Example k_examples[] = {
    {Code::ok, "lr-0 lr-1 lr-2 lr-3 ", "", ""},
    {Code::refused, "lr-0 lr-2 lr-3 ", "lr-1 ", ""},
    {Code::not_found, "lr-0 lr-2 lr-3 ", "lr-1 ", ""},
    {Code::auth, "lr-0 ", "lr-1 ", "lr-2 lr-3 "},
    {Code::unreachable, "lr-0 ", "lr-1 ", "lr-2 lr-3 "},
    {Code::interrupted, "lr-0 ", "lr-1 ", "lr-2 lr-3 "},
};

class Array {
 public:
  Array() : access_(console_, files_, loop) {
    for (int i = 0; i < 4; ++i) {
      work::Manifest manifest;
      manifest.kind = job::find_kind("pytorch");
      manifest.object = job_manifest(cat("lr-", i));
      submissions_.push_back(
          *work::Submission::prepare(access_, std::move(manifest), {work::Api::v1, ""}, false));
    }
  }

  void create(Code second, const std::optional<Deadline>& deadline = std::nullopt) {
    access_.deadline = deadline;
    work::ArrayCreation creation(
        access_, submissions_,
        {[&](work::Submission& submission) { return answer(submission, second); },
         [&](const work::Manifest& manifest, Error why) {
           refused += name_of(manifest) + ' ';
           return why;
         },
         [&](const work::Manifest& manifest, const Error&) {
           left_out += name_of(manifest) + ' ';
         }});
    while (const auto job = creation.next()) {
      created += job->name() + ' ';
      pass_a_second();
    }
    if (creation.end()) end = creation.end()->code;
  }

  FakeLoop loop;
  std::string created, refused, left_out;
  const std::string& notices() const { return console_.stderr_text; }
  Code end = Code::ok;

 private:
  static std::string name_of(const work::Manifest& manifest) {
    return text_at(manifest.object, "/metadata/name");
  }
  void pass_a_second() {
    bool is_over = false;
    const HandlePtr timer = loop.after(std::chrono::seconds(1), [&is_over] { is_over = true; });
    loop.run_until([&is_over] { return is_over; });
  }
  static Result<work::FoundJob> answer(const work::Submission& submission, Code second) {
    const work::Manifest& manifest = submission.manifest();
    if (name_of(manifest) == "lr-1" && second != Code::ok) return Error{second, "no", ""};
    return work::FoundJob{manifest.kind, manifest.object, ""};
  }

  BufferConsole console_;
  MemoryFiles files_;
  FakeAccess access_;
  std::vector<work::Submission> submissions_;
};

TEST_CASE("a job that cannot be created keeps others from it only if they would meet the same") {
  for (const Example& example : k_examples) {
    CAPTURE(static_cast<int>(example.second));
    Array array;
    array.create(example.second);
    CHECK(array.created == example.created);
    CHECK(array.refused == example.refused);
    CHECK(array.left_out == example.left_out);
    CHECK(array.end == (*example.left_out == '\0' ? Code::ok : example.second));
  }
}

TEST_CASE("jobs for which --timeout leaves no time are left out, but not the first") {
  Array array;
  array.create(Code::ok,
               Deadline{array.loop.now() + std::chrono::seconds(2), std::chrono::seconds(2)});
  CHECK(array.created == "lr-0 lr-1 ");
  CHECK(array.left_out == "lr-2 lr-3 ");
  CHECK(array.end == Code::timeout);
  CHECK(array.notices() ==
        "2 jobs were not created: the same line with --if-exists=attach goes on\n");
}

}  // namespace array_creation_test
}  // namespace trainctl::testing
