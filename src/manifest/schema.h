// The shapes of jobs and of all other objects that the embedded cluster serves, read from the files
// in schema/.
//
// Their notation: a line begins with a type's name; lines after it that begin with a blank continue
// its fields. A field is NAME, then "!" when jobs must have it, "+" when only jobs know it,
// ":TYPE" (default: a string) and "=JSON" for the value that jobs get when it is missing.
// TYPE is a scalar, another type, "{}T" (map) or "[]T" (list).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/embedded.h"
#include "base/result.h"
#include "base/value/json.h"

namespace trainctl::job {

enum class Form {
  text,
  bytes,  // base64
  int32,
  int64,
  number,
  boolean,
  quantity,
  int_or_string,
  anything,
  object,
  list,
  map
};

struct ObjectShape;

struct Shape {
  Form form = Form::text;
  const ObjectShape* object = nullptr;   // of Form::object
  std::shared_ptr<const Shape> element;  // of a list or a map
};

struct FieldShape {
  std::string name;
  Shape shape;
  bool required = false;
  bool jobs_only = false;
  std::optional<Json> fallback;
};

struct ObjectShape {
  std::string name;
  std::vector<FieldShape> fields;

  const FieldShape* field(std::string_view wanted) const;
};

class Schema {
 public:
  // Code::error with the file and the word that cannot be read.
  static Result<Schema> read(std::span<const EmbeddedFile> files);
  const ObjectShape* find(std::string_view name) const;

 private:
  std::map<std::string, std::unique_ptr<ObjectShape>, std::less<>> objects_;
};

// The schema compiled into this program.
const Schema& schema();

}  // namespace trainctl::job
