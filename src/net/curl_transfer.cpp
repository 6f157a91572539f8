// Sets libcurl's options for a request, and turns its callbacks into an answer.
#include "net/curl_transfer.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/descriptor.h"
#include "base/host.h"
#include "base/memory.h"
#include "base/text/text.h"
#include "base/text/time.h"
#include "net/curl_failure.h"
#include "net/curl_lane.h"

namespace trainctl::net {
namespace {

Status use_server_name(CurlSettings& settings) {
  const std::string& name = settings.endpoint.tls_server_name;
  settings.base_url = settings.endpoint.base_url;
  if (name.empty() || settings.url.scheme != "https") return {};
  UrlParts named = settings.url;
  named.host = name;
  settings.base_url = cat("https://", host_port(named), named.path);
  if (!parse_url(settings.base_url)) {
    return Error{Code::usage,
                 cat("TLS server name '", printable_line(name), "' is not a host name"),
                 "correct --tls-server-name or tls-server-name in the kubeconfig"};
  }
  settings.host_header = "Host: " + host_port(settings.url);
  append(settings.connect_to, "::" + host_port(settings.url));
  return {};
}

// Always names the port, because libcurl's default for an HTTP proxy is 1080 while everybody else's
// is 80.
Status use_proxy(CurlSettings& settings) {
  if (settings.endpoint.proxy_url.empty()) return {};
  TRY_ASSIGN(UrlParts proxy, parse_url(settings.endpoint.proxy_url));
  if (proxy.scheme == "socks5") proxy.scheme = "socks5h";
  if (proxy.scheme != "http" && proxy.scheme != "https" && proxy.scheme != "socks5h") {
    return Error{Code::usage, cat("a proxy of kind '", proxy.scheme, "' cannot be used"),
                 "use a proxy URL that begins with http://, https:// or socks5://"};
  }
  const std::string user = proxy.user_info.empty() ? "" : proxy.user_info + '@';
  settings.proxy_url = cat(proxy.scheme, "://", user, host_port(proxy));
  settings.proxy = std::move(proxy);
  return {};
}

// A directory that the user names applies beside a file.
Status use_system_trust(CurlSettings& settings) {
  const curl_version_info_data* version = curl_version_info(CURLVERSION_NOW);
  const Endpoint& endpoint = settings.endpoint;
  const std::string& found = endpoint.system_trust.file;
  const char* const bundle = found.empty() ? version->cainfo : found.c_str();
  settings.has_bundle_file = bundle != nullptr && access(bundle, R_OK) == 0;
  const bool needed =
      settings.url.scheme == "https" && !endpoint.insecure && endpoint.ca_pem.empty();
  // libcurl would wait for ever for somebody to write to a pipe.
  const bool is_read = needed || (settings.proxy && settings.proxy->scheme == "https");
  struct stat facts {};
  if (is_read && bundle != nullptr && ::stat(bundle, &facts) == 0 && !S_ISREG(facts.st_mode)) {
    return Error{Code::usage,
                 cat("cannot read CA certificates from ", bundle, ": not a regular file"),
                 "set SSL_CERT_FILE to a file of PEM certificates"};
  }
  if (!needed || bundle != nullptr || version->capath != nullptr ||
      !endpoint.system_trust.directory.empty()) {
    return {};
  }
  return Error{
      Code::unreachable,
      cat("cannot trust ", settings.server,
          ": this system has no CA certificates (searched: ", system_trust_places(), ")"),
      "install ca-certificates, or give the cluster's CA with --certificate-authority=FILE"};
}

}  // namespace

void append(Slist& list, const std::string& line) {
  curl_slist* const longer = curl_slist_append(list.get(), line.c_str());
  need_memory(longer != nullptr);
  (void)list.release();
  list.reset(longer);
}

Result<CurlSettings> make_settings(Endpoint endpoint) {
  CurlSettings settings;
  TRY_ASSIGN(settings.url, parse_url(endpoint.base_url));
  if (settings.url.scheme != "http" && settings.url.scheme != "https") {
    return Error{Code::usage, cat("the server's URL begins with ", settings.url.scheme, "://"),
                 "a server's URL begins with https:// or http://"};
  }
  if (!endpoint.ca_pem.empty() &&
      endpoint.ca_pem.find("-----BEGIN CERTIFICATE-----") == std::string::npos) {
    return Error{Code::usage, cat(endpoint.ca_source, " holds no PEM certificate"),
                 "give the cluster's CA with --certificate-authority=FILE"};
  }
  settings.endpoint = std::move(endpoint);
  const std::string& socket = settings.endpoint.unix_socket;
  settings.server = socket.empty() ? host_port(settings.url) : socket;
  TRY(use_server_name(settings));
  TRY(use_proxy(settings));
  TRY(use_system_trust(settings));
  return settings;
}

namespace {

constexpr long k_connect_seconds = 30;

int on_socket(void* settings, curl_socket_t fd, curlsocktype) {
  host::find_dead_path(fd, static_cast<const CurlSettings*>(settings)->endpoint.dead_after);
  return CURL_SOCKOPT_OK;
}

bool breaks_line(std::string_view text) {
  constexpr std::string_view k_breaks("\r\n\0", 3);
  return text.find_first_of(k_breaks) != std::string_view::npos;
}

// Parses a status line such as "HTTP/2 200" or "HTTP/1.1 404 Not Found".
int status_of(std::string_view line) {
  const std::size_t blank = line.find(' ');
  if (blank == std::string_view::npos) return 0;
  int status = 0;
  std::from_chars(line.data() + blank + 1, line.data() + line.size(), status);
  return status;
}

}  // namespace

Transfer::Transfer(const CurlSettings& settings, Learned& learned, Request request,
                   Handlers handlers)
    : settings_(settings),
      learned_(learned),
      request_(std::move(request)),
      handlers_(std::move(handlers)) {}

Status Transfer::prepare() {
  easy_.reset(curl_easy_init());
  need_memory(easy_ != nullptr);
  set(CURLOPT_PRIVATE, static_cast<void*>(this));
  set(CURLOPT_ERRORBUFFER, error_text_.data());
  set(CURLOPT_URL, (settings_.base_url + request_.target).c_str());
  set(CURLOPT_PATH_AS_IS, 1L);
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_USERAGENT, settings_.endpoint.user_agent.c_str());
  // Watches are not compressed, because a compressing server would hold events back.
  const bool unary = request_.timeout > Duration::zero();
  if (settings_.endpoint.compression && unary) set(CURLOPT_ACCEPT_ENCODING, "gzip");
  TRY(set_headers());
  // A thousand streams must not keep what libcurl has copied.
  request_.headers = {};
  request_.target = {};
  set_method();
  set_connection();
  set_proxy();
  set_trust();
  if (option_failure_ == CURLE_OK) return {};
  // Continuing without one of these options could mean trusting a server that the user does not
  // trust.
  return Error{Code::error,
               cat("this libcurl lacks what trainctl needs: ", curl_easy_strerror(option_failure_)),
               "install libcurl built with OpenSSL and HTTP/2"};
}

void Transfer::set_buffer(long size) {
  set(CURLOPT_BUFFERSIZE, size);
  buffer_size_ = static_cast<std::size_t>(size);
}

bool Transfer::is_sent() const {
  curl_off_t microseconds = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_PRETRANSFER_TIME_T, &microseconds);
  return microseconds > 0;
}

void Transfer::finish(CURLcode code) {
  if (has_endless_head()) {
    return fail({Code::unreachable,
                 cat("the answer of ", settings_.server, " has headers or trailers above 1 MiB"),
                 "check that --context or --server names the right server"},
                false);
  }
  // libcurl counts a connection that is closed properly within the headers as a success.
  if (code == CURLE_OK && !answer_.reported) code = CURLE_PARTIAL_FILE;
  const CurlFailure failure{easy_.get(),        code,
                            error_text_.data(), request_.timeout,
                            answer_.reported,   learned_.answered,
                            lacks_descriptor_};
  Status status;
  if (code != CURLE_OK) status = failure_error(settings_, failure);
  const bool transient = code != CURLE_OK && is_transient(settings_, failure);
  if (code != CURLE_OK && !transient && on_contact) learned_.hopeless = status.error();
  end(std::move(status), transient, code != CURLE_OK && !is_connected(failure));
}

void Transfer::fail(Error error, bool transient) {
  end(std::move(error), transient, false);
}

void Transfer::end(Status status, bool transient, bool unsent) {
  easy_.reset();
  report_contact(false);
  if (abandoned_) return;
  if (transient && handlers_.on_transient) handlers_.on_transient(std::nullopt);
  if (unsent && handlers_.on_unsent) handlers_.on_unsent();
  if (handlers_.on_done) handlers_.on_done(std::move(status));
}

Status Transfer::set_headers() {
  bool has_content_type = false;
  for (const Header& header : request_.headers) {
    if (breaks_line(header.name) || breaks_line(header.value)) {
      return Error{Code::usage, cat("the header ", printable_line(header.name), " is not one line"),
                   "remove line breaks from the token or user name"};
    }
    has_content_type = has_content_type || lower(header.name) == "content-type";
    // libcurl drops "Name:" and sends "Name;" as an empty header.
    append(header_lines_,
           header.value.empty() ? header.name + ';' : header.name + ": " + header.value);
  }
  append(header_lines_, "Expect:");
  if (!has_content_type) append(header_lines_, "Content-Type:");
  if (!settings_.host_header.empty()) append(header_lines_, settings_.host_header);
  set(CURLOPT_HTTPHEADER, header_lines_.get());
  return {};
}

void Transfer::set_method() {
  if (request_.method == "HEAD") {
    set(CURLOPT_NOBODY, 1L);
    return;
  }
  if (!request_.body.empty() || request_.method == "POST") {
    set(CURLOPT_POSTFIELDS, request_.body.data());
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
  }
  set(CURLOPT_CUSTOMREQUEST, request_.method.c_str());
  if (request_.method == "POST") send_body_once();
}

// When a reused connection ends without an answer, libcurl would silently send the request again;
// for a POST, that could create a second object. A body that it cannot rewind prevents that, unless
// the server has said that it did not process the request (RFC 9113 §8.7), which only libcurl's
// debugging text tells.
void Transfer::send_body_once() {
  set(CURLOPT_POST, 1L);
  const char* const none = nullptr;
  set(CURLOPT_POSTFIELDS, none);
  set(CURLOPT_READDATA, static_cast<void*>(this));
  set(
      CURLOPT_READFUNCTION, +[](char* to, std::size_t, std::size_t room, void* self) {
        Transfer& transfer = *static_cast<Transfer*>(self);
        const std::string_view rest =
            std::string_view(transfer.request_.body).substr(transfer.body_.sent);
        const std::size_t taken = rest.copy(to, room);
        transfer.body_.sent += taken;
        return taken;
      });
  set(CURLOPT_SEEKDATA, static_cast<void*>(this));
  set(
      CURLOPT_SEEKFUNCTION, +[](void* self, curl_off_t, int) {
        Transfer& transfer = *static_cast<Transfer*>(self);
        if (!transfer.body_.unprocessed) return CURL_SEEKFUNC_FAIL;
        transfer.body_.sent = 0;
        return CURL_SEEKFUNC_OK;
      });
  set(CURLOPT_VERBOSE, 1L);
  set(CURLOPT_DEBUGDATA, static_cast<void*>(this));
  set(
      CURLOPT_DEBUGFUNCTION,
      +[](CURL*, curl_infotype type, char* text, std::size_t size, void* self) {
        const bool refused =
            type == CURLINFO_TEXT &&
            std::string_view(text, size).find("REFUSED_STREAM") != std::string_view::npos;
        if (refused) static_cast<Transfer*>(self)->body_.unprocessed = true;
        return 0;
      });
}

void Transfer::set_connection() {
  using std::chrono::milliseconds;
  set(CURLOPT_NOSIGNAL, 1L);
  // With TLS inside the TLS of a proxy, libcurl 7.88 leaves HTTP/2 frames unprocessed that it has
  // read.
  const bool http1 = on_connection || (settings_.proxy && settings_.proxy->scheme == "https");
  set(CURLOPT_HTTP_VERSION,
      static_cast<long>(http1 ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS));
  set(CURLOPT_CONNECTTIMEOUT, k_connect_seconds);
  if (request_.timeout > Duration::zero() && request_.timeout < k_no_timeout) {
    set(CURLOPT_TIMEOUT_MS,
        static_cast<long>(std::chrono::ceil<milliseconds>(request_.timeout).count()));
  }
  set(CURLOPT_OPENSOCKETDATA, static_cast<void*>(this));
  set(
      CURLOPT_OPENSOCKETFUNCTION, +[](void* self, curlsocktype, curl_sockaddr* address) {
        return static_cast<Transfer*>(self)->open_socket(*address);
      });
  set(CURLOPT_SOCKOPTFUNCTION, &on_socket);
  set(CURLOPT_SOCKOPTDATA, &settings_);
  set(CURLOPT_CONNECT_ONLY, on_connection ? 1L : 0L);
  set(CURLOPT_HTTPPROXYTUNNEL, on_connection ? 1L : 0L);  // also to a server without TLS
  if (settings_.connect_to) set(CURLOPT_CONNECT_TO, settings_.connect_to.get());
  if (!settings_.endpoint.unix_socket.empty()) {
    set(CURLOPT_UNIX_SOCKET_PATH, settings_.endpoint.unix_socket.c_str());
  }
  set(CURLOPT_PREREQDATA, static_cast<void*>(this));
  set(
      CURLOPT_PREREQFUNCTION, +[](void* self, char*, char*, int, int) {
        static_cast<Transfer*>(self)->take_place();
        return CURL_PREREQFUNC_OK;
      });
  set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  set(
      CURLOPT_HEADERFUNCTION, +[](char* data, std::size_t, std::size_t size, void* self) {
        return static_cast<Transfer*>(self)->on_header_line(trim({data, size})) ? size : 0;
      });
  set(
      CURLOPT_WRITEFUNCTION, +[](char* data, std::size_t, std::size_t size, void* self) {
        return static_cast<Transfer*>(self)->on_data({data, size}) ? size : 0;
      });
}

// A daemon that a credential plugin leaves behind must not keep our connections open. Libcurl does
// not tell why it got no socket, and has closed other files by the time that it says so.
curl_socket_t Transfer::open_socket(const curl_sockaddr& address) {
  const int fd = ::socket(address.family, address.socktype, address.protocol);
  lacks_descriptor_ = fd < 0 && errno == EMFILE;
  if (fd < 0) return CURL_SOCKET_BAD;
  close_on_exec(fd);
  return fd;
}

// The option is set even without a proxy; otherwise libcurl would read the environment itself.
void Transfer::set_proxy() {
  set(CURLOPT_PROXY, settings_.proxy_url.c_str());
  set(CURLOPT_NOPROXY, "");
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
}

// Debian's libcurl has a compiled-in CA directory that stays trusted in addition to a given CA
// unless it is removed; removing it also lets libcurl cache the parsed bundle between connections.
// A static one has none compiled in.
void Transfer::set_trust() {
  const char* const none = nullptr;
  const Endpoint& endpoint = settings_.endpoint;
  set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (endpoint.insecure) {
    for (const CURLoption option : {CURLOPT_SSL_VERIFYPEER, CURLOPT_SSL_VERIFYHOST,
                                    CURLOPT_PROXY_SSL_VERIFYPEER, CURLOPT_PROXY_SSL_VERIFYHOST}) {
      set(option, 0L);
    }
  }
  const SystemTrust& system = endpoint.system_trust;
  if (!system.file.empty()) {
    set(CURLOPT_CAINFO, system.file.c_str());
    set(CURLOPT_PROXY_CAINFO, system.file.c_str());
  }
  if (!system.directory.empty()) {
    set(CURLOPT_CAPATH, system.directory.c_str());
    set(CURLOPT_PROXY_CAPATH, system.directory.c_str());
  }
  const std::string& ca_pem = request_.ca_pem ? *request_.ca_pem : endpoint.ca_pem;
  if (endpoint.insecure || !ca_pem.empty()) {
    set(CURLOPT_CAINFO, none);
    set(CURLOPT_CAPATH, none);
  } else if (settings_.has_bundle_file) {
    set(CURLOPT_CAPATH, none);
  }
  if (!endpoint.insecure && !ca_pem.empty()) {
    set_blob(CURLOPT_CAINFO_BLOB, ca_pem);
    // The system's CAs apply as well: the machine trusts a company's proxy, while the cluster's
    // file trusts one that was set up for the cluster. The tunnelled connection is verified against
    // the latter alone.
    set_blob(CURLOPT_PROXY_CAINFO_BLOB, ca_pem);
  }
  if (!request_.identity) return;
  set_blob(CURLOPT_SSLCERT_BLOB, request_.identity->certificate_pem);
  set_blob(CURLOPT_SSLKEY_BLOB, request_.identity->key_pem);
}

bool Transfer::on_header_line(std::string_view line) {
  constexpr int k_first_final_status = 200;
  // libcurl keeps each line, and has no limit for the trailers of HTTP/1.
  answer_.head_size += line.size() + 2;
  if (has_endless_head()) return false;
  if (abandoned_ || answer_.reported) return true;  // header lines after the body are trailers
  if (line.starts_with("HTTP/")) {
    answer_.head = {status_of(line), {}};
    learned_.protocol = line.starts_with("HTTP/2") ? Protocol::http2 : Protocol::http1;
    return true;
  }
  if (!line.empty()) {
    const Halves halves = split_once(line, ':');
    answer_.head.headers.push_back({halves.first, std::string(trim(halves.second))});
    return true;
  }
  if (answer_.head.status < k_first_final_status) return true;
  answer_.reported = true;
  learned_.answered = true;
  learned_.longest_head = std::max(learned_.longest_head, answer_.head_size);
  // A thousand streams must not keep their headers.
  const ResponseHead head = std::exchange(answer_.head, {});
  if (handlers_.on_head) handlers_.on_head(head);
  return true;
}

void Transfer::take_place() {
  if (lane != nullptr && !std::exchange(has_place_, true)) lane->count_place();
  report_contact(true);
}

void Transfer::report_contact(bool connected) {
  if (const auto report = std::exchange(on_contact, nullptr)) report(connected);
}

bool Transfer::on_data(std::string_view piece) {
  if (abandoned_) return false;
  // The first piece has shared the buffer with the headers.
  const bool first = !std::exchange(data_reported_, true);
  if (lane != nullptr) lane->on_chunk(*this, first || piece.size() >= buffer_size_);
  if (handlers_.on_data) handlers_.on_data(piece);
  return true;
}

}  // namespace trainctl::net
