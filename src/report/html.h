// HTML that shows anybody's text: markup as a type of its own, so that text enters it in one place.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace trainctl::view {

class Html {
 public:
  Html() = default;
  // The one way for text into a page. Names, log lines and messages are of jobs and servers: what
  // could be markup is escaped, and control characters are made visible (xml_escaped).
  static Html text(std::string_view untrusted);
  // Markup that this program has written.
  static Html markup(std::string_view trusted);

  Html& operator+=(const Html& more);
  bool empty() const { return bytes_.empty(); }
  std::size_t size() const { return bytes_.size(); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

Html operator+(Html a, const Html& b);

// `tag` and `css_class` are literals; "" = no class. Nothing inside gives nothing.
Html element(std::string_view tag, std::string_view css_class, const Html& inside);
// A section with a heading; empty when nothing is inside.
Html section(std::string_view heading, const Html& inside);
// The header and the rows of a table, which scrolls sideways where it is too wide.
Html html_table(const std::vector<std::string_view>& header, const Html& rows);
Html cell(std::string_view untrusted, std::string_view css_class = "");

// The first of the parts that fit into a page's share of bytes, and how many did not.
struct FittingParts {
  Html all;
  std::size_t left_out = 0;
};
FittingParts first_that_fit(const std::vector<Html>& parts, std::size_t bytes);
// The last of them, in their order.
FittingParts last_that_fit(const std::vector<Html>& parts, std::size_t bytes);

// A whole page: it loads nothing, runs nothing, and follows the reader's choice of dark or light.
std::string html_page(std::string_view title, const Html& body);

}  // namespace trainctl::view
