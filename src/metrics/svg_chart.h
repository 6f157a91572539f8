// A chart as an SVG picture, for files and for pages of HTML that contain it.
#pragma once

#include <string>
#include <string_view>

#include "metrics/chart_input.h"

namespace trainctl::view {

// In pixels. The legend is added below: the picture is higher by a line for each row of it.
struct SvgSize {
  int width = 760;
  int height = 360;
};

// One <svg> element: no script, no reference to anything outside, all text escaped. Its style
// concerns elements of the class trainctl-chart alone, and follows the reader's choice of light or
// dark. A chart without points says so.
std::string svg_chart(const ChartInput& input, SvgSize size = {});

// Text as the content of an element or attribute of XML and HTML.
std::string xml_escaped(std::string_view text);

}  // namespace trainctl::view
