// Reads the files again and compares their content.
#include "kube/auth/rotated_files.h"

#include <utility>

#include "kube/auth/client_certificate.h"

namespace trainctl::kube {

namespace {

// client-go's period for certificates; it makes a thousand reconnecting streams cost one reading.
constexpr Duration k_period = std::chrono::seconds(1);

}  // namespace

RotatedFiles::RotatedFiles(Files& files, const AuthInfo& auth)
    : files_(files), paths_(auth.files), identity_(auth.identity) {}

void RotatedFiles::update(Time now) {
  if (read_at_ && now - *read_at_ < k_period) return;
  const bool first = !std::exchange(read_at_, now);
  if (first) return;  // the files have just been read to make the connection
  update_identity();
  update_ca();
}

void RotatedFiles::update_identity() {
  if (!identity_) return;
  net::ClientIdentity fresh = *identity_;
  const auto read = [this](const std::string& path, std::string& text) {
    if (path.empty()) return;
    Result<std::string> content = files_.read(path);
    if (content) text = *std::move(content);
  };
  read(paths_.certificate, fresh.certificate_pem);
  read(paths_.key, fresh.key_pem);
  const bool same =
      fresh.certificate_pem == identity_->certificate_pem && fresh.key_pem == identity_->key_pem;
  if (same || check_identity(fresh) != IdentityFault::none) return;
  identity_ = std::make_shared<const net::ClientIdentity>(std::move(fresh));
}

void RotatedFiles::update_ca() {
  if (paths_.ca.empty()) return;
  Result<std::string> content = files_.read(paths_.ca);
  const bool usable = content && certificate_end(*content).has_value();
  if (!usable) return;
  std::string readable = readable_certificates(*content);
  if (ca_pem_ && *ca_pem_ == readable) return;
  ca_pem_ = std::make_shared<const std::string>(std::move(readable));
}

}  // namespace trainctl::kube
