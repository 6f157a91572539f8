// Asks on a terminal; no answer counts as no.
#include "base/console/confirm.h"

#include "base/text/text.h"

namespace trainctl {

bool can_ask(const Console& console) {
  return console.in_is_tty && console.err_is_tty;
}

bool confirmed(Console& console, const std::string& question) {
  if (!can_ask(console)) return true;
  console.err(question + "? [y/N] ");
  const std::string answer = lower(console.read_line().value_or(""));
  return answer == "y" || answer == "yes";
}

}  // namespace trainctl
