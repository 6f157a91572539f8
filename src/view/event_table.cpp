// Defines the columns of events for all commands.
#include "view/event_table.h"

#include "base/text/text.h"

namespace trainctl::view {

std::vector<std::string> event_header(EventTimes times) {
  return {
      times == EventTimes::ages ? "AGE" : "TIME", "TYPE", "OBJECT", "REASON", "COUNT", "MESSAGE"};
}

std::vector<Cell> event_row(const job::JobEvent& event, EventTimes times, Time now) {
  std::string time;
  if (event.last) {
    time = times == EventTimes::ages ? format_age(now - *event.last) : format_time(*event.last);
  }
  const Colour colour = event.type == "Warning" ? Colour::yellow : Colour::none;
  return {{time},         {event.type, colour}, {event.subject},
          {event.reason}, {cat(event.count)},   {event.message}};
}

}  // namespace trainctl::view
