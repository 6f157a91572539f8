// Reads certificates and keys from files, base64 and flags.
#include "base/text/text.h"
#include "base/value/base64.h"
#include "kube/config/kubeconfig_parts.h"

namespace trainctl::kube {

namespace {

Result<Pem> checked(Pem pem) {
  if (pem.text.find("-----BEGIN ") != std::string::npos) return pem;
  return Error{Code::usage, cat(pem.source, " is not PEM"),
               "it should begin with -----BEGIN CERTIFICATE----- or the like"};
}

}  // namespace

std::string Chosen::describe(std::string_view what) const {
  const std::string described = cat(what, " \"", printable_line(name), "\"");
  return entry == nullptr ? described : cat(described, " in ", entry->file);
}

Result<Pem> read_pem(Files& files, const Chosen& chosen, std::string_view what,
                     std::string_view field) {
  if (chosen.entry == nullptr) return Pem{};
  const std::string data_field = cat(field, "-data");
  const std::string whose = chosen.describe(what);
  TRY_ASSIGN(const std::string path, text_field(*chosen.entry, whose, field));
  TRY_ASSIGN(const std::string data, text_field(*chosen.entry, whose, data_field));
  if (path.empty() && data.empty()) return Pem{};
  if (!path.empty() && !data.empty()) {
    return Error{Code::usage, cat(whose, " has both ", field, " and ", data_field),
                 "keep one of the two"};
  }
  if (path.empty()) {
    std::optional<std::string> decoded = base64_decode(data);
    Pem pem{decoded.value_or(""), cat(data_field, " of ", whose), ""};
    if (!decoded) return Error{Code::usage, cat(pem.source, " is not base64"), ""};
    return checked(std::move(pem));
  }
  const std::string resolved = resolve_path(directory_of(chosen.entry->file), path);
  Result<std::string> text = files.read(resolved);
  const std::string source = cat(field, " ", resolved, " of ", whose);
  if (!text && text.error().code == Code::not_found) {
    return Error{Code::usage, cat(source, " does not exist"), ""};
  }
  if (!text) return Error{Code::usage, cat(source, ": ", text.error().message), ""};
  return checked(Pem{*std::move(text), source, resolved});
}

Result<Pem> read_pem_flag(Files& files, const std::string& path, std::string_view flag) {
  Result<std::string> text = files.read(path);
  if (!text && text.error().code == Code::not_found) {
    return Error{Code::usage, cat(flag, " ", path, " does not exist"), ""};
  }
  if (!text) return Error{Code::usage, cat(flag, ": ", text.error().message), ""};
  return checked(Pem{*std::move(text), cat(flag, " ", path), path});
}

}  // namespace trainctl::kube
