// Stands in for the library at link time: each function of curl.h that we call forwards to the one
// of the same name in libcurl.so.4. Loading that and its thirty libraries takes longer than
// everything else that `version`, a completion or a dry run does, so it is done when a transport is
// made. The linker reports a function that is missing here.
#include "net/curl_library.h"

#include <cstdarg>

#include <curl/curl.h>

#include "base/shared_library.h"
#include "base/text/text.h"

namespace {

constexpr const char* k_library_name = "libcurl.so.4";
// libcurl 7.85 is the first version with all options we set.
constexpr unsigned k_oldest = 0x075500;

const trainctl::SharedLibrary& loaded() {
  static const trainctl::SharedLibrary k_loaded = trainctl::load_shared(k_library_name);
  return k_loaded;
}

#define REAL(name) TRAINCTL_LOADED(loaded, name)

// The number of an option encodes the type of its value.
template <typename Set, typename Handle, typename Option>
auto set_option(Set set, Handle handle, Option option, std::va_list& value) {
  constexpr int k_option_type_step = 10'000;
  switch (option / k_option_type_step * k_option_type_step) {
    case CURLOPTTYPE_LONG:
      return set(handle, option, va_arg(value, long));
    case CURLOPTTYPE_FUNCTIONPOINT:
      return set(handle, option, va_arg(value, void (*)()));
    case CURLOPTTYPE_OFF_T:
      return set(handle, option, va_arg(value, curl_off_t));
    default:
      return set(handle, option, va_arg(value, void*));
  }
}

}  // namespace

// The names are in parentheses because curl.h has macros of the same names.
extern "C" {

CURLcode(curl_global_init)(long flags) {
  return REAL(curl_global_init)(flags);
}

void(curl_global_cleanup)() {
  REAL(curl_global_cleanup)();
}

curl_version_info_data*(curl_version_info)(CURLversion age) {
  return REAL(curl_version_info)(age);
}

curl_slist*(curl_slist_append)(curl_slist* list, const char* line) {
  return REAL(curl_slist_append)(list, line);
}

void(curl_slist_free_all)(curl_slist* list) {
  REAL(curl_slist_free_all)(list);
}

CURL*(curl_easy_init)() {
  return REAL(curl_easy_init)();
}

void(curl_easy_cleanup)(CURL* easy) {
  REAL(curl_easy_cleanup)(easy);
}

CURLcode(curl_easy_setopt)(CURL* easy, CURLoption option, ...) {
  std::va_list value;
  va_start(value, option);
  const CURLcode code = set_option(REAL(curl_easy_setopt), easy, option, value);
  va_end(value);
  return code;
}

CURLcode(curl_easy_getinfo)(CURL* easy, CURLINFO info, ...) {
  std::va_list place;
  va_start(place, info);
  const CURLcode code = REAL(curl_easy_getinfo)(easy, info, va_arg(place, void*));
  va_end(place);
  return code;
}

CURLcode(curl_easy_pause)(CURL* easy, int directions) {
  return REAL(curl_easy_pause)(easy, directions);
}

CURLcode(curl_easy_send)(CURL* easy, const void* data, std::size_t size, std::size_t* sent) {
  return REAL(curl_easy_send)(easy, data, size, sent);
}

CURLcode(curl_easy_recv)(CURL* easy, void* to, std::size_t room, std::size_t* received) {
  return REAL(curl_easy_recv)(easy, to, room, received);
}

const char*(curl_easy_strerror)(CURLcode code) {
  return REAL(curl_easy_strerror)(code);
}

CURLM*(curl_multi_init)() {
  return REAL(curl_multi_init)();
}

CURLMcode(curl_multi_cleanup)(CURLM* multi) {
  return REAL(curl_multi_cleanup)(multi);
}

CURLMcode(curl_multi_setopt)(CURLM* multi, CURLMoption option, ...) {
  std::va_list value;
  va_start(value, option);
  const CURLMcode code = set_option(REAL(curl_multi_setopt), multi, option, value);
  va_end(value);
  return code;
}

CURLMcode(curl_multi_add_handle)(CURLM* multi, CURL* easy) {
  return REAL(curl_multi_add_handle)(multi, easy);
}

CURLMcode(curl_multi_remove_handle)(CURLM* multi, CURL* easy) {
  return REAL(curl_multi_remove_handle)(multi, easy);
}

CURLMcode(curl_multi_socket_action)(CURLM* multi, curl_socket_t fd, int events, int* running) {
  return REAL(curl_multi_socket_action)(multi, fd, events, running);
}

CURLMsg*(curl_multi_info_read)(CURLM* multi, int* left) {
  return REAL(curl_multi_info_read)(multi, left);
}

}  // extern "C"

namespace trainctl::net {

Status load_curl() {
  std::string trouble = loaded().trouble;
  if (trouble.empty()) {
    const curl_version_info_data* version = curl_version_info(CURLVERSION_NOW);
    if (version->version_num >= k_oldest) return {};
    trouble = cat("version ", version->version, " is too old");
  }
  return Error{Code::error, cat("libcurl cannot be used: ", trouble),
               "install libcurl 7.85 or later: apt-get install libcurl4"};
}

}  // namespace trainctl::net
