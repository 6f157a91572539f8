// Elements without attributes but a class, so that no text can become a link or a handler.
#include "report/html.h"

#include "base/text/text.h"
#include "metrics/svg_chart.h"

namespace trainctl::view {
namespace {

constexpr std::string_view k_page_head = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
)";

constexpr std::string_view k_page_style = R"(<style>
:root{--ink:#1b1f24;--soft:#59636e;--paper:#fff;--panel:#f5f7f9;--line:#d5dae0;--good:#17713a;--bad:#b3261e;--busy:#8a5a00;
--queued:#c3cad2;--starting:#dfa63a;--running:#3572c4}
@media (prefers-color-scheme:dark){:root{--ink:#e4e8ec;--soft:#9aa5b1;--paper:#14181d;--panel:#1d232a;--line:#36404b;
--good:#5fc184;--bad:#ff8a80;--busy:#e3b04b;--queued:#56616d;--starting:#c98f26;--running:#5b96e6}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1.2rem;max-width:70rem;color:var(--ink);background:var(--paper);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
h1{font-size:1.6rem;line-height:1.25;margin:0;overflow-wrap:anywhere}
h2{font-size:1.1rem;margin:1.8rem 0 .6rem;padding-top:.6rem;border-top:1px solid var(--line)}
h3{font-size:.85rem;font-weight:600;margin:0;color:var(--soft);overflow-wrap:anywhere}
p{margin:.3rem 0;overflow-wrap:anywhere}
code,pre{font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
code span{display:inline-block;max-width:100%;overflow-wrap:anywhere}
pre{margin:0;padding:.7rem;background:var(--panel);border:1px solid var(--line);border-radius:6px;overflow-x:auto}
.verdict{margin:.8rem 0;padding:.7rem 1rem;background:var(--panel);border-left:5px solid var(--soft);border-radius:4px}
.verdict b{font-size:1.1rem}
.good b,td.good{color:var(--good)}.bad b,td.bad{color:var(--bad)}.busy b,td.busy{color:var(--busy)}
.verdict.good{border-color:var(--good)}.verdict.bad{border-color:var(--bad)}.verdict.busy{border-color:var(--busy)}
.soft{color:var(--soft)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1.2rem;margin:0}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere;min-width:0}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{text-align:left;vertical-align:top;padding:.25rem .9rem .25rem 0;border-bottom:1px solid var(--line)}
th{font-weight:600;color:var(--soft);white-space:nowrap}
td.num,td.name{white-space:nowrap}td.warn{color:var(--busy)}
td.long{min-width:14rem;overflow-wrap:anywhere}
svg{display:block;max-width:100%;height:auto}
.many{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:1rem;margin:1rem 0}
.many>div{min-width:0}
.lane{display:grid;grid-template-columns:7.5rem 1fr 11rem;gap:0 .8rem;align-items:center;padding:.12rem 0}
.lane svg{width:100%;height:14px;background:var(--panel);border-radius:3px}
.lane span{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.lane.bad span{color:var(--bad);font-weight:600}
.queued{fill:var(--queued)}.starting{fill:var(--starting)}.running{fill:var(--running)}.failed{fill:var(--bad)}.again{fill:var(--ink)}.unknown{fill:var(--queued);opacity:.5}
.key svg{display:inline-block;width:.8em;height:.8em;vertical-align:-.05em;margin-right:.35em}
.key span{margin-right:1.1em;white-space:nowrap}
.narrow{display:none}
details{margin-top:1.8rem;padding-top:.6rem;border-top:1px solid var(--line)}
summary{cursor:pointer;font-size:1.1rem;font-weight:700;margin-bottom:.6rem}
footer{margin-top:2rem;color:var(--soft);font-size:.85rem}
@media (max-width:640px){body{padding:.8rem}dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.4rem}
.wide{display:none}.narrow{display:block}
.lane{grid-template-columns:1fr 1fr;padding:.3rem 0}.lane svg{grid-column:1/-1;grid-row:2}.lane span:last-child{text-align:right}}
@media print{body{max-width:none;padding:0}pre{white-space:pre-wrap;overflow-wrap:anywhere}
.verdict,pre,.lane svg,rect{print-color-adjust:exact;-webkit-print-color-adjust:exact}.many>div,tr,.lane{break-inside:avoid}}
</style>
)";

std::string class_attribute(std::string_view css_class) {
  return css_class.empty() ? "" : cat(" class=\"", css_class, '"');
}

}  // namespace

Html Html::text(std::string_view untrusted) {
  return markup(xml_escaped(untrusted));
}

Html Html::markup(std::string_view trusted) {
  Html html;
  html.bytes_ = trusted;
  return html;
}

Html& Html::operator+=(const Html& more) {
  bytes_ += more.bytes_;
  return *this;
}

Html operator+(Html a, const Html& b) {
  a += b;
  return a;
}

Html element(std::string_view tag, std::string_view css_class, const Html& inside) {
  if (inside.empty()) return {};
  return Html::markup(
      cat('<', tag, class_attribute(css_class), '>', inside.bytes(), "</", tag, ">\n"));
}

Html section(std::string_view heading, const Html& inside) {
  if (inside.empty()) return {};
  return element("section", "", element("h2", "", Html::text(heading)) + inside);
}

Html html_table(const std::vector<std::string_view>& header, const Html& rows) {
  if (rows.empty()) return {};
  Html names;
  for (const std::string_view name : header) {
    names += Html::markup("<th>") + Html::text(name) + Html::markup("</th>");
  }
  return element("div", "scroll", element("table", "", element("tr", "", names) + rows));
}

Html cell(std::string_view untrusted, std::string_view css_class) {
  return Html::markup(
      cat("<td", class_attribute(css_class), '>', Html::text(untrusted).bytes(), "</td>"));
}

FittingParts first_that_fit(const std::vector<Html>& parts, std::size_t bytes) {
  FittingParts fitting;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (fitting.all.size() + parts[i].size() > bytes) {
      fitting.left_out = parts.size() - i;
      break;
    }
    fitting.all += parts[i];
  }
  return fitting;
}

FittingParts last_that_fit(const std::vector<Html>& parts, std::size_t bytes) {
  std::size_t first = parts.size();
  for (std::size_t taken = 0; first > 0; --first) {
    taken += parts[first - 1].size();
    if (taken > bytes) break;
  }
  FittingParts fitting{{}, first};
  for (std::size_t i = first; i < parts.size(); ++i) fitting.all += parts[i];
  return fitting;
}

std::string html_page(std::string_view title, const Html& body) {
  return cat(k_page_head, "<title>", Html::text(title).bytes(), "</title>\n", k_page_style,
             "</head>\n<body>\n", body.bytes(), "</body>\n</html>\n");
}

}  // namespace trainctl::view
