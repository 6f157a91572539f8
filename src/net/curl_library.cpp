// The functions of libcurl that we call, each handing on to the library, which is loaded at run
// time: it brings 22 others, a third of the memory of a process that speaks with nobody, as the
// embedded cluster's daemon does, and most of the start of one that needs no network.
#include "net/curl_library.h"

#include <cstdarg>

#include <curl/curl.h>
#include <dlfcn.h>

#include "base/text.h"

namespace {

constexpr const char* k_file = "libcurl.so.4";

void* library() {
  static void* const k_library = ::dlopen(k_file, RTLD_LAZY | RTLD_LOCAL);
  return k_library;
}

template <typename Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(library(), name));
}

// What follows the option: its number says of which type.
template <typename Set, typename Object, typename Option>
auto hand_on(Set* set, Object* object, Option option, std::va_list rest) {
  if (option < CURLOPTTYPE_OBJECTPOINT) return set(object, option, va_arg(rest, long));
  const bool is_offset = option >= CURLOPTTYPE_OFF_T && option < CURLOPTTYPE_BLOB;
  if (is_offset) return set(object, option, va_arg(rest, curl_off_t));
  return set(object, option, va_arg(rest, void*));
}

}  // namespace

namespace trainctl::net {

Status load_curl() {
  if (library() != nullptr) return {};
  const char* why = ::dlerror();
  return Error{Code::error, cat("cannot load libcurl: ", why == nullptr ? k_file : why),
               "install it: apt install libcurl4"};
}

}  // namespace trainctl::net

// Names in parentheses are no macros.
extern "C" {

CURLcode curl_global_init(long flags) {
  static const auto k_real = real<decltype(curl_global_init)>("curl_global_init");
  return k_real(flags);
}

void curl_global_cleanup() {
  static const auto k_real = real<decltype(curl_global_cleanup)>("curl_global_cleanup");
  k_real();
}

curl_version_info_data* curl_version_info(CURLversion version) {
  static const auto k_real = real<decltype(curl_version_info)>("curl_version_info");
  return k_real(version);
}

curl_slist* curl_slist_append(curl_slist* list, const char* text) {
  static const auto k_real = real<decltype(curl_slist_append)>("curl_slist_append");
  return k_real(list, text);
}

void curl_slist_free_all(curl_slist* list) {
  static const auto k_real = real<decltype(curl_slist_free_all)>("curl_slist_free_all");
  k_real(list);
}

CURL* curl_easy_init() {
  static const auto k_real = real<decltype(curl_easy_init)>("curl_easy_init");
  return k_real();
}

void curl_easy_cleanup(CURL* easy) {
  static const auto k_real = real<decltype(curl_easy_cleanup)>("curl_easy_cleanup");
  k_real(easy);
}

const char* curl_easy_strerror(CURLcode code) {
  static const auto k_real = real<decltype(curl_easy_strerror)>("curl_easy_strerror");
  return k_real(code);
}

CURLcode(curl_easy_setopt)(CURL* easy, CURLoption option, ...) {
  static const auto k_real = real<decltype(curl_easy_setopt)>("curl_easy_setopt");
  std::va_list rest;
  va_start(rest, option);
  const CURLcode code = hand_on(k_real, easy, option, rest);
  va_end(rest);
  return code;
}

CURLcode(curl_easy_getinfo)(CURL* easy, CURLINFO info, ...) {
  static const auto k_real = real<decltype(curl_easy_getinfo)>("curl_easy_getinfo");
  std::va_list rest;
  va_start(rest, info);
  const CURLcode code = k_real(easy, info, va_arg(rest, void*));
  va_end(rest);
  return code;
}

CURLM* curl_multi_init() {
  static const auto k_real = real<decltype(curl_multi_init)>("curl_multi_init");
  return k_real();
}

CURLMcode curl_multi_cleanup(CURLM* multi) {
  static const auto k_real = real<decltype(curl_multi_cleanup)>("curl_multi_cleanup");
  return k_real(multi);
}

CURLMcode curl_multi_add_handle(CURLM* multi, CURL* easy) {
  static const auto k_real = real<decltype(curl_multi_add_handle)>("curl_multi_add_handle");
  return k_real(multi, easy);
}

CURLMcode curl_multi_remove_handle(CURLM* multi, CURL* easy) {
  static const auto k_real = real<decltype(curl_multi_remove_handle)>("curl_multi_remove_handle");
  return k_real(multi, easy);
}

CURLMsg* curl_multi_info_read(CURLM* multi, int* left) {
  static const auto k_real = real<decltype(curl_multi_info_read)>("curl_multi_info_read");
  return k_real(multi, left);
}

CURLMcode curl_multi_socket_action(CURLM* multi, curl_socket_t fd, int events, int* running) {
  static const auto k_real = real<decltype(curl_multi_socket_action)>("curl_multi_socket_action");
  return k_real(multi, fd, events, running);
}

CURLMcode(curl_multi_setopt)(CURLM* multi, CURLMoption option, ...) {
  static const auto k_real = real<decltype(curl_multi_setopt)>("curl_multi_setopt");
  std::va_list rest;
  va_start(rest, option);
  const CURLMcode code = hand_on(k_real, multi, option, rest);
  va_end(rest);
  return code;
}

}  // extern "C"
