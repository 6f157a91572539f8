// Walks objects along their shapes to prune them and to fill in defaults.
#include "local/api/schema_decode.h"

#include <cmath>

#include "base/text/text.h"
#include "local/api/findings.h"

namespace trainctl::local {

using job::FieldShape;
using job::Form;
using job::ObjectShape;
using job::Shape;

namespace {

class Pruner {
 public:
  explicit Pruner(bool is_job) : is_job_(is_job) {}

  void object(Json& value, const ObjectShape& shape, const std::string& path) {
    if (!value.is_object()) return any(value, nullptr, path);
    for (auto field = value.begin(); field != value.end();) {
      const std::string here = child_path(path, field.key());
      const FieldShape* known = shape.field(field.key());
      if (known == nullptr || (known->jobs_only && !is_job_)) {
        unknown.add(here);
        field = value.erase(field);
        continue;
      }
      any(field.value(), &known->shape, here);
      ++field;
    }
  }

  Findings unknown;

 private:
  // A null shape knows no fields at all. It stands for an object where a scalar or a list belongs.
  void any(Json& value, const Shape* shape, const std::string& path) {
    const Form form = shape == nullptr ? Form::text : shape->form;
    if (form == Form::anything) return;
    if (value.is_array()) {
      const Shape* element = form == Form::list ? shape->element.get() : nullptr;
      for (std::size_t i = 0; i < value.size(); ++i) any(value[i], element, cat(path, '[', i, ']'));
    }
    if (!value.is_object()) return;
    if (form == Form::object) return object(value, *shape->object, path);
    if (form == Form::map) {
      for (auto& [key, element] : value.items()) {
        any(element, shape->element.get(), child_path(path, key));
      }
      return;
    }
    for (const auto& [key, element] : value.items()) unknown.add(child_path(path, key));
    value.clear();
  }

  bool is_job_;
};

// Calls `visit` with every object, map and list below a value and its shape, the outer ones first.
template <typename Visit>
void each_container(Json& value, const Shape& shape, const Visit& visit) {
  const bool fits = shape.form == Form::list ? value.is_array() : value.is_object();
  if (!fits) return;
  if (shape.form == Form::object) {
    visit(value, shape);
    for (auto& [key, field] : value.items()) {
      if (const FieldShape* known = shape.object->field(key)) {
        each_container(field, known->shape, visit);
      }
    }
  }
  if (shape.form != Form::map && shape.form != Form::list) return;
  visit(value, shape);
  for (Json& element : value) each_container(element, *shape.element, visit);
}

Shape shape_of(const ObjectShape& object) {
  Shape shape;
  shape.form = Form::object;
  shape.object = &object;
  return shape;
}

// Recognises the values that Go's omitempty leaves out.
bool is_empty_collection(const Json& value, const FieldShape* row) {
  if (row == nullptr || !value.empty()) return false;
  return row->shape.form == Form::list || row->shape.form == Form::map;
}

}  // namespace

std::vector<std::string> prune_unknown(Json& value, const ObjectShape& shape, bool is_job,
                                       std::string_view path) {
  Pruner pruner(is_job);
  pruner.object(value, shape, std::string(path));
  return pruner.unknown.take();
}

void drop_nulls(Json& value, const ObjectShape& shape, bool is_job) {
  each_container(value, shape_of(shape), [&](Json& container, const Shape& known) {
    if (!container.is_object()) return;  // an element that is null is a fault
    if (!is_job && known.form == Form::map && known.element->form == Form::text) {
      for (Json& text : container) text = text.is_null() ? Json("") : std::move(text);
    }
    for (auto field = container.begin(); field != container.end();) {
      const FieldShape* row =
          known.form == Form::object ? known.object->field(field.key()) : nullptr;
      const bool kept = is_job && row != nullptr && row->fallback.has_value();
      const bool goes =
          (field->is_null() && !kept) || (!is_job && is_empty_collection(*field, row));
      field = goes ? container.erase(field) : std::next(field);
    }
  });
}

void write_whole_numbers(Json& value) {
  constexpr double k_exact = 9007199254740992.0;  // doubles above it skip whole numbers
  if (value.is_structured()) {
    for (Json& element : value) write_whole_numbers(element);
  }
  if (!value.is_number_float()) return;
  const double number = value.get<double>();
  if (std::abs(number) < k_exact && std::trunc(number) == number) {
    value = static_cast<std::int64_t>(number);
  }
}

void apply_defaults(Json& value, const ObjectShape& shape) {
  each_container(value, shape_of(shape), [](Json& object, const Shape& known) {
    if (known.form != Form::object) return;
    for (const FieldShape& field : known.object->fields) {
      if (!field.fallback) continue;
      const auto found = object.find(field.name);
      if (found == object.end()) {
        object[field.name] = *field.fallback;
      } else if (found->is_null()) {
        *found = *field.fallback;
      }
    }
  });
}

}  // namespace trainctl::local
