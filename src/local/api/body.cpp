// Reads request bodies, with the error messages of Go's decoders.
#include "local/api/body.h"

#include <string>
#include <unordered_map>

#include "base/text/text.h"
#include "base/value/yaml.h"
#include "local/api/findings.h"
#include "local/api/protobuf.h"

namespace trainctl::local {

namespace {

// kubectl's typed commands (create configmap, create namespace) send this and nothing else:
// client-go 0.34 falls back to JSON only after a refused CBOR.
constexpr std::string_view k_protobuf = "application/vnd.kubernetes.protobuf";

constexpr std::size_t k_largest_body = 3'145'728;
constexpr std::size_t k_summary = 30;
constexpr std::size_t k_deepest = 10'000;  // as Go's decoder

// Follows the parser to find duplicate fields, and where the text is broken.
class Reader : public nlohmann::json_sax<Json> {
 public:
  Findings duplicates;
  std::size_t broken_at = 0;

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }
  bool start_object(std::size_t) override { return begin(false); }
  bool start_array(std::size_t) override { return begin(true); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }
  bool key(string_t& name) override {
    open_.back().step = name;
    const bool is_second = ++open_.back().times[name] == 2;
    if (is_second && !duplicates.full()) duplicates.add(path());
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const Json::exception&) override {
    broken_at = position;
    return false;
  }

 private:
  struct Frame {
    bool is_array = false;
    std::size_t index = 0;
    std::string step;
    std::unordered_map<std::string, std::size_t> times;  // each key's
  };

  bool begin(bool is_array) {
    if (open_.size() == k_deepest) return false;
    open_.push_back({is_array, 0, "", {}});
    return true;
  }
  bool end() {
    open_.pop_back();
    return value();
  }
  bool value() {
    if (!open_.empty() && open_.back().is_array) ++open_.back().index;
    return true;
  }
  std::string path() const {
    std::string path;
    for (const Frame& frame : open_) {
      if (frame.is_array) {
        path += cat('[', frame.index, ']');
      } else {
        path += cat(path.empty() ? "" : ".", frame.step);
      }
    }
    return path;
  }

  std::vector<Frame> open_;
};

// apiserver's summarizeData
std::string summary_of(std::string_view text) {
  if (text.empty()) return "<empty>";
  const std::string_view begin = text.substr(0, k_summary);
  const std::string_view rest = text.size() > k_summary ? " ..." : "";
  if (text[0] == '{') return cat(begin, rest);
  constexpr std::string_view k_hex_digits = "0123456789abcdef";
  std::string hex;
  for (const char c : begin) {
    const auto byte = static_cast<unsigned char>(c);
    hex += k_hex_digits[byte >> 4U];
    hex += k_hex_digits[byte & 15U];
  }
  return cat(hex, rest);
}

ApiError unrecognized(std::string_view kind, std::string_view why, std::string_view text) {
  return bad_request(cat("the object provided is unrecognized (must be of type ", kind,
                         "): couldn't get version/kind; ", why, " (", summary_of(text), ")"));
}

std::string json_complaint(std::string_view text, std::size_t position) {
  if (position == 0 || position > text.size()) return "unexpected end of JSON input";
  return cat("invalid character '", text[position - 1], "' looking for beginning of value");
}

Answered<RequestBody> read_json(std::string_view kind, std::string_view text) {
  Result<Json> parsed = parse_json(text, "body");
  Reader reader;
  if (!parsed) {
    (void)Json::sax_parse(text.begin(), text.end(), &reader);
    const std::string why = json_complaint(text, reader.broken_at);
    return unrecognized(kind, "json parse error: " + why, text);
  }
  if (!parsed->is_object()) {
    const char* type = parsed->is_array() ? "array" : parsed->is_string() ? "string" : "number";
    return unrecognized(kind,
                        cat("json parse error: json: cannot unmarshal ", type,
                            " into Go value of type struct { APIVersion string "
                            "\"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
                            "\"json:\\\"kind,omitempty\\\"\" }"),
                        text);
  }
  (void)Json::sax_parse(text.begin(), text.end(), &reader);
  return RequestBody{*std::move(parsed), reader.duplicates.take()};
}

Answered<RequestBody> read_yaml(std::string_view kind, std::string_view text) {
  Result<Json> parsed = from_yaml(text, "yaml");
  if (!parsed) return unrecognized(kind, parsed.error().message, text);
  if (!parsed->is_object()) return unrecognized(kind, "json parse error: not an object", text);
  return RequestBody{*std::move(parsed), {}};
}

}  // namespace

std::string media_type(std::string_view content_type) {
  return lower(trim(content_type.substr(0, content_type.find(';'))));
}

ApiError unsupported_media_type(std::string_view accepted) {
  return {415, "UnsupportedMediaType",
          cat("the body of the request was in an unknown format - accepted media types include: ",
              accepted)};
}

std::optional<ApiError> refuse_large(std::string_view body) {
  if (body.size() <= k_largest_body) return std::nullopt;
  return ApiError{413, "RequestEntityTooLarge",
                  cat("Request entity too large: limit is ", k_largest_body)};
}

std::optional<std::string> json_fault(std::string_view text) {
  if (parse_json(text, "body")) return std::nullopt;
  Reader reader;
  (void)Json::sax_parse(text.begin(), text.end(), &reader);
  return json_complaint(text, reader.broken_at);
}

std::optional<ApiError> refuse_untyped(const ServedResource& expected, const Json& object,
                                       std::string_view text) {
  if (expected.job_kind == nullptr) return std::nullopt;
  if (text_at(object, "/kind").empty()) {
    return bad_request(cat("the object provided is unrecognized (must be of type ",
                           expected.resource.kind, "): Object 'Kind' is missing in '", text, "' (",
                           summary_of(text), ")"));
  }
  if (!text_at(object, "/apiVersion").empty()) return std::nullopt;
  return bad_request(cat("the API version in the data () does not match the expected API version (",
                         expected.resource.api_version(), ")"));
}

Answered<RequestBody> read_object(std::string_view kind, std::string_view text, bool yaml) {
  return yaml ? read_yaml(kind, text) : read_json(kind, text);
}

Answered<RequestBody> read_body(std::string_view kind, std::string_view content_type,
                                std::string_view text) {
  const std::string type = media_type(content_type);
  const bool yaml = type == "application/yaml";
  if (type == k_protobuf) {
    if (auto object = from_protobuf(text)) return RequestBody{*std::move(object), {}};
    return unsupported_media_type(
        "application/json, application/yaml (the embedded cluster reads only a few kinds in "
        "protobuf; JSON is sent by: kubectl create ... --dry-run=client -o json | kubectl create "
        "-f -)");
  }
  if (!yaml && !type.empty() && type != "application/json") {
    return unsupported_media_type(
        "application/json, application/yaml, application/vnd.kubernetes.protobuf");
  }
  return read_object(kind, text, yaml);
}

}  // namespace trainctl::local
