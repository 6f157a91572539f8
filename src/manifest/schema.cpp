// Reads the notation of the schema files.
#include "manifest/schema.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"

namespace trainctl::job {

namespace {

struct ScalarName {
  std::string_view name;
  Form form;
};
constexpr ScalarName k_scalars[] = {
    {"string", Form::text},  {"time", Form::text},         {"bytes", Form::bytes},
    {"int32", Form::int32},  {"int64", Form::int64},       {"number", Form::number},
    {"bool", Form::boolean}, {"quantity", Form::quantity}, {"intstr", Form::int_or_string},
    {"any", Form::anything},
};

using ObjectShapes = std::map<std::string, std::unique_ptr<ObjectShape>, std::less<>>;

Error unreadable(std::string_view word) {
  return {Code::error, cat("the schema cannot be read: \"", word, '"'), ""};
}

Result<Shape> read_type(std::string_view text, const ObjectShapes& objects) {
  Shape shape;
  if (text.starts_with("{}")) {
    TRY_ASSIGN(Shape element, read_type(text.substr(2), objects));
    shape.form = Form::map;
    shape.element = std::make_shared<const Shape>(std::move(element));
    return shape;
  }
  if (text.starts_with("[]")) {
    TRY_ASSIGN(Shape element, read_type(text.substr(2), objects));
    shape.form = Form::list;
    shape.element = std::make_shared<const Shape>(std::move(element));
    return shape;
  }
  const auto* const scalar =
      std::ranges::find_if(k_scalars, [&](const ScalarName& row) { return row.name == text; });
  if (scalar != std::end(k_scalars)) {
    shape.form = scalar->form;
    return shape;
  }
  const auto found = objects.find(text);
  if (found == objects.end()) return unreadable(text);
  shape.form = Form::object;
  shape.object = found->second.get();
  return shape;
}

Result<FieldShape> read_field(std::string_view word, const ObjectShapes& objects) {
  FieldShape field;
  const auto equals = word.find('=');
  if (equals != std::string_view::npos) {
    TRY_ASSIGN(field.fallback, parse_json(word.substr(equals + 1), "a default of the schema"));
    word = word.substr(0, equals);
  }
  const auto colon = word.find(':');
  std::string_view name = word.substr(0, colon);
  if (colon != std::string_view::npos) {
    TRY_ASSIGN(field.shape, read_type(word.substr(colon + 1), objects));
  }
  for (; name.ends_with('!') || name.ends_with('+'); name.remove_suffix(1)) {
    (name.back() == '!' ? field.required : field.jobs_only) = true;
  }
  if (name.empty()) return unreadable(word);
  field.name = name;
  return field;
}

struct Entry {
  std::string name;
  std::vector<std::string> words;
};

std::vector<Entry> entries_of(std::string_view content) {
  std::vector<Entry> entries;
  for (const std::string& line : split(content, '\n')) {
    if (line.empty() || line.starts_with('#')) continue;
    std::vector<std::string> words = split(trim(line), ' ');
    if (!line.starts_with(' ')) {
      entries.push_back({std::move(words.front()), {}});
      words.erase(words.begin());
    }
    if (entries.empty()) continue;
    std::vector<std::string>& all = entries.back().words;
    all.insert(all.end(), words.begin(), words.end());
  }
  return entries;
}

Schema embedded_schema() {
  auto read = Schema::read(job_schema::embedded_files());
  return read ? *std::move(read) : Schema();
}

}  // namespace

const FieldShape* ObjectShape::field(std::string_view wanted) const {
  const auto found =
      std::ranges::find_if(fields, [&](const FieldShape& row) { return row.name == wanted; });
  return found == fields.end() ? nullptr : &*found;
}

Result<Schema> Schema::read(std::span<const EmbeddedFile> files) {
  Schema schema;
  std::vector<Entry> entries;
  for (const EmbeddedFile& file : files) {
    for (Entry& entry : entries_of(file.content)) entries.push_back(std::move(entry));
  }
  for (const Entry& entry : entries) {
    auto& object = schema.objects_[entry.name];
    if (object != nullptr) return unreadable(entry.name);
    object = std::make_unique<ObjectShape>();
    object->name = entry.name;
  }
  for (const Entry& entry : entries) {
    ObjectShape& object = *schema.objects_[entry.name];
    for (const std::string& word : entry.words) {
      TRY_ASSIGN(FieldShape field, read_field(word, schema.objects_));
      object.fields.push_back(std::move(field));
    }
  }
  return schema;
}

const ObjectShape* Schema::find(std::string_view name) const {
  const auto found = objects_.find(name);
  return found == objects_.end() ? nullptr : found->second.get();
}

const Schema& schema() {
  static const Schema k_schema = embedded_schema();
  return k_schema;
}

}  // namespace trainctl::job
