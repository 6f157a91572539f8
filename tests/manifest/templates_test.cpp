// Where templates are looked for, and which one wins.
#include "manifest/templates.h"

#include <doctest/doctest.h>

#include "manifest/kind/kind.h"
#include "support/fakes.h"

namespace templates_test {

using namespace trainctl;
using namespace trainctl::job;

const Kind& pytorch() {
  return *find_kind("pytorch");
}

TEST_CASE("the user's template wins over the site's, the site's over the built-in one") {
  testing::MemoryFiles files;
  const Environment env({{"XDG_CONFIG_HOME", "/home/ada/.conf"}, {"HOME", "/home/ada"}});
  CHECK(find_template(files, env, pytorch())->origin == "built in");
  CHECK(find_template(files, env, pytorch())->text == embedded_template(pytorch()));

  files.files["/etc/trainctl/templates/pytorchjob.yaml"] = "site";
  CHECK(find_template(files, env, pytorch())->text == "site");

  files.files["/home/ada/.conf/trainctl/templates/pytorchjob.yaml"] = "user";
  CHECK(find_template(files, env, pytorch())->text == "user");
  CHECK(find_template(files, env, pytorch())->origin ==
        "/home/ada/.conf/trainctl/templates/pytorchjob.yaml");

  files.files["mine.yaml"] = "mine";
  CHECK(find_template(files, env, pytorch(), "mine.yaml")->text == "mine");
}

TEST_CASE("a template that is asked for and missing is an error, never another template") {
  testing::MemoryFiles files;
  files.files["/etc/trainctl/templates/pytorchjob.yaml"] = "site";
  const auto found = find_template(files, Environment(), pytorch(), "mine.yaml");
  REQUIRE_FALSE(found);
  CHECK(found.error().message.find("mine.yaml") != std::string::npos);
}

TEST_CASE("the configuration directory is the desktop standard's") {
  const Environment home({{"HOME", "/h"}, {"XDG_CONFIG_HOME", ""}});
  CHECK(template_directories(home).front() == "/h/.config/trainctl/templates");
  CHECK(template_directories(Environment()).size() == 1);
}

TEST_CASE("every kind has its file name and its built-in bytes") {
  CHECK(template_file_name(pytorch()) == "pytorchjob.yaml");
  for (const Kind& kind : operator_kinds()) CHECK(embedded_template(kind).size() > 500);
}

}  // namespace templates_test
