// The forms an answer can have: objects, tables, metadata only; JSON or YAML.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/time.h"
#include "base/value/json.h"
#include "local/answer.h"
#include "local/api/call.h"
#include "local/api_error.h"

namespace trainctl::local {

enum class AnswerShape { whole, table, metadata };

struct View {
  AnswerShape shape = AnswerShape::whole;
  bool yaml = false;
  std::string include;  // objects in a table: None, Metadata, Object
};

// The form requested by the Accept header; 406 when the server supports none that it names.
Answered<View> view_of(std::string_view accept, const ApiQuery& query);

using Objects = std::vector<std::shared_ptr<const Json>>;

Json one_as(const View& view, const ServedResource& resource,
            const std::shared_ptr<const Json>& object, Time now, bool with_columns = true);
// The list in that form; `metadata` holds its resourceVersion, continue and remainingItemCount.
Json list_as(const View& view, const ServedResource& resource, const Objects& objects,
             const Json& metadata, Time now);

ApiAnswer answer_with(const Json& body, int code = 200, const View& view = {});
ApiAnswer answer_with(const ApiError& error);
// Adds a Warning: header for each text.
void add_warnings(ApiAnswer& answer, const std::vector<std::string>& warnings);

}  // namespace trainctl::local
