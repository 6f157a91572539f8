// Makes text safe for a terminal, which it also fits, and for CI systems that execute what they
// log.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace trainctl {

// Untrusted text (a server's message, a log line), made unable to control a terminal: newlines,
// tabs and colours (ESC [ … m) are kept, and a colour left on is ended behind the text. Other
// control characters, those that reorder a line, and malformed bytes become question marks,
// carriage returns spaces. For names and messages within a line there is printable_line
// (base/text/text.h), which keeps less.
std::string terminal_safe(std::string_view text);
// Like terminal_safe, but on one line: newlines become spaces.
std::string terminal_safe_line(std::string_view text);

// The same for JSON, and for the output of to_yaml: such characters are escaped, and the value
// stays as it is.
std::string terminal_safe_json(std::string_view json);

// The part of a line that a terminal shows at last, where carriage returns have rewritten it, as
// progress bars do.
std::string_view last_shown(std::string_view line);

// The text without the colours that terminal_safe keeps.
std::string without_colour(std::string_view text);

// Removes an escape sequence from the front: ESC [ … letter (CSI), ESC ] … BEL (OSC), ESC and a
// character. Returns it; "" when there is none.
std::string_view take_sequence(std::string_view& text);

// Calls sink(text) for the states of a line that a terminal showed one after the other, since
// carriage returns and movements of the cursor rewrote it: without escape sequences, and without
// blank ones where others are. Of more than `most`, as many at equal distances, with the last. What
// is searched in a line, for the user's patterns and for metrics, is this text.
void for_each_state(std::string_view line, std::size_t most,
                    const std::function<void(std::string_view state)>& sink);

// The text with some of its bytes in inverse video: `marked` has a place for each byte of
// without_colour(text). Colours stay as they are.
std::string inverted(std::string_view text, const std::vector<bool>& marked);

// Up to ten names, for messages: "a.pem, b.pem, … (12 in all)".
std::string some_of(const std::vector<std::string>& names);

// The beginning of the text that fits into `columns`, with an ellipsis where something was cut off.
// Colours take no column; one left on is ended.
std::string shortened(std::string_view text, int columns);
// The same, but the ellipsis stands in the middle; for text without colours.
std::string shortened_middle(std::string_view text, int columns);

// Wraps text to `width` columns; all lines but the first are indented by `indent` blanks.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

// The CI system that reads a log. `plain` is an unknown one, which may be Azure.
enum class CiSystem { none, plain, azure, github, gitlab };

// GitHub's runner executes a line that begins with "::" after white space, and "##[" anywhere in a
// line, on either stream. Azure's agent executes "##vso[" anywhere in a line, and its log shows
// lines with "##[" as folds and errors. GitLab folds its log at "section_start:" and
// "section_end:", wherever they stand. An inserted blank makes them plain text.
std::string without_ci_commands(CiSystem system, std::string_view text);
// The same for a further piece of a line, since a mark may have begun in the piece before.
std::string continued_without_ci_commands(CiSystem system, std::string_view piece);

// The same for JSON text, whose value stays unchanged. It also holds for the output of to_yaml,
// which quotes every string with a '#' as JSON does and begins no line with a colon.
std::string json_without_ci_commands(CiSystem system, std::string json);

}  // namespace trainctl
