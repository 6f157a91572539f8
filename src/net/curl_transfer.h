// One request on a libcurl easy handle.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <curl/curl.h>

#include "base/memory.h"
#include "net/http.h"
#include "net/url.h"

namespace trainctl::net {

// An endpoint, converted once into libcurl's options for every request.
struct FreeSlist {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Slist = std::unique_ptr<curl_slist, FreeSlist>;
void append(Slist& list, const std::string& line);

struct CurlSettings {
  Endpoint endpoint;
  UrlParts url;
  std::optional<UrlParts> proxy;
  std::string server;       // names the endpoint in messages
  std::string base_url;     // its host is the TLS server name where one is set
  std::string host_header;  // "Host: …" when base_url does not hold the real host; else ""
  Slist connect_to;         // redirects to the real host in that case
  std::string proxy_url;    // "" = direct
  // Libcurl's own CA bundle exists, so its CA directory is not needed.
  bool has_bundle_file = false;
};

// Code::usage when the endpoint cannot be used at all.
Result<CurlSettings> make_settings(Endpoint endpoint);

enum class Protocol { unknown, http1, http2 };

// Facts that the transport has learned from its server's answers.
struct Learned {
  Protocol protocol = Protocol::unknown;
  std::size_t streams = 100;      // allowed on one connection
  std::size_t streams_seen = 0;   // the most seen on one connection at once
  std::size_t longest_head = 0;   // largest header block of its answers, in bytes
  bool answered = false;          // it has answered at least once
  std::optional<Error> hopeless;  // permanent reason why no connection is possible
};

class CurlLane;

class Transfer {
 public:
  Transfer(const CurlSettings& settings, Learned& learned, Request request, Handlers handlers);
  ~Transfer() = default;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  // Creates the easy handle. Code::usage for a header that would break out of its line.
  Status prepare();
  // Sets how many bytes are read at once.
  void set_buffer(long size);
  CURL* easy() const { return easy_.get(); }

  // Calls no handler from here on.
  void abandon() {
    abandoned_ = true;
    report_contact(false);
  }
  bool is_abandoned() const { return abandoned_; }
  // True while it has a place on a connection.
  bool is_sent() const;
  // True once it has been given such a place.
  bool has_place() const { return has_place_; }
  // The server has begun to answer.
  bool is_answered() const { return answer_.reported; }
  // Its transport is being destroyed, so no handler is called any more. The easy handle must have
  // left its multi handle already.
  void release() {
    abandoned_ = true;
    on_contact = nullptr;
    on_connection = nullptr;
    easy_.reset();
  }
  // Releases the easy handle and calls on_done.
  void finish(CURLcode code);
  // The same with an error that is not libcurl's. `transient` says that another attempt may
  // succeed.
  void fail(Error error, bool transient);

  const Request& request() const { return request_; }

  // Called once: with true when its connection is established, with false when there will be none.
  // May be called from inside libcurl.
  std::function<void(bool connected)> on_contact;
  // When set before prepare(), only the connection is established. This is called when it is, and
  // it then stays open for curl_easy_send and curl_easy_recv while the transfer is in its lane.
  std::function<void()> on_connection;
  CurlLane* lane = nullptr;  // the lane it runs in
  int checks_unsent = 0;     // consecutive checks that found it without a place

 private:
  struct FreeEasy {
    void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
  };

  static constexpr std::size_t k_longest_head = std::size_t{1} << 20;

  template <typename Value>
  void set(CURLoption option, Value value);
  void set_blob(CURLoption option, const std::string& text);
  Status set_headers();
  void set_method();
  void send_body_once();
  void set_connection();
  curl_socket_t open_socket(const curl_sockaddr& address);
  void set_proxy();
  void set_trust();
  bool on_header_line(std::string_view line);
  bool has_endless_head() const { return answer_.head_size > k_longest_head; }
  bool on_data(std::string_view piece);
  void end(Status status, bool transient, bool unsent);
  void take_place();
  void report_contact(bool connected);

  const CurlSettings& settings_;
  Learned& learned_;
  Request request_;
  struct {
    std::size_t sent = 0;      // bytes
    bool unprocessed = false;  // the server has said that it did not process the request
  } body_;                     // of a POST
  Handlers handlers_;
  CURLcode option_failure_ = CURLE_OK;
  Slist header_lines_;
  std::array<char, CURL_ERROR_SIZE> error_text_{};
  struct {
    ResponseHead head;
    std::size_t head_size = 0;  // bytes of its header lines, trailers included
    bool reported = false;      // the head
  } answer_;
  std::size_t buffer_size_ = CURL_MAX_WRITE_SIZE;
  bool data_reported_ = false;
  bool has_place_ = false;
  bool lacks_descriptor_ = false;  // for its last socket
  bool abandoned_ = false;
  std::unique_ptr<CURL, FreeEasy> easy_;  // last: it refers to the members above
};

template <typename Value>
void Transfer::set(CURLoption option, Value value) {
  const CURLcode outcome = curl_easy_setopt(easy_.get(), option, value);
  need_memory(outcome != CURLE_OUT_OF_MEMORY);
  if (outcome != CURLE_OK) option_failure_ = outcome;
}

inline void Transfer::set_blob(CURLoption option, const std::string& text) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): libcurl only reads it
  curl_blob blob{const_cast<char*>(text.data()), text.size(), CURL_BLOB_NOCOPY};
  set(option, &blob);
}

}  // namespace trainctl::net
