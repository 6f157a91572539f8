// Stands in for the library at link time, as src/net/curl_library.cpp does for libcurl: each
// function of archive.h that we call forwards to the one of the same name in libarchive.so.13. That
// brings libxml2 and ICU along, which no command but those with archives should wait for.
#include "base/file/archive_library.h"

#include <ctime>

#include <archive.h>
#include <archive_entry.h>

#include "base/shared_library.h"
#include "base/text/text.h"

namespace {

const trainctl::SharedLibrary& loaded() {
  static const trainctl::SharedLibrary k_loaded = trainctl::load_shared("libarchive.so.13");
  return k_loaded;
}

}  // namespace

#define REAL(name) TRAINCTL_LOADED(loaded, name)

extern "C" {

archive* archive_write_new() {
  return REAL(archive_write_new)();
}

int archive_write_free(archive* written) {
  return REAL(archive_write_free)(written);
}

int archive_write_set_format_gnutar(archive* written) {
  return REAL(archive_write_set_format_gnutar)(written);
}

int archive_write_add_filter_gzip(archive* written) {
  return REAL(archive_write_add_filter_gzip)(written);
}

int archive_write_set_filter_option(archive* written, const char* filter, const char* option,
                                    const char* value) {
  return REAL(archive_write_set_filter_option)(written, filter, option, value);
}

int archive_write_set_bytes_in_last_block(archive* written, int bytes) {
  return REAL(archive_write_set_bytes_in_last_block)(written, bytes);
}

int archive_write_open(archive* written, void* self, archive_open_callback* open,
                       archive_write_callback* write, archive_close_callback* close) {
  return REAL(archive_write_open)(written, self, open, write, close);
}

int archive_write_header(archive* written, archive_entry* entry) {
  return REAL(archive_write_header)(written, entry);
}

la_ssize_t archive_write_data(archive* written, const void* bytes, std::size_t size) {
  return REAL(archive_write_data)(written, bytes, size);
}

int archive_write_close(archive* written) {
  return REAL(archive_write_close)(written);
}

archive* archive_read_new() {
  return REAL(archive_read_new)();
}

int archive_read_free(archive* read) {
  return REAL(archive_read_free)(read);
}

int archive_read_support_format_tar(archive* read) {
  return REAL(archive_read_support_format_tar)(read);
}

int archive_read_set_options(archive* read, const char* options) {
  return REAL(archive_read_set_options)(read, options);
}

int archive_read_open(archive* read, void* self, archive_open_callback* open,
                      archive_read_callback* give, archive_close_callback* close) {
  return REAL(archive_read_open)(read, self, open, give, close);
}

int archive_read_next_header(archive* read, archive_entry** entry) {
  return REAL(archive_read_next_header)(read, entry);
}

int archive_read_data_block(archive* read, const void** bytes, std::size_t* size, la_int64_t* at) {
  return REAL(archive_read_data_block)(read, bytes, size, at);
}

const char* archive_error_string(archive* of) {
  return REAL(archive_error_string)(of);
}

archive_entry* archive_entry_new() {
  return REAL(archive_entry_new)();
}

void archive_entry_free(archive_entry* entry) {
  REAL(archive_entry_free)(entry);
}

void archive_entry_set_pathname(archive_entry* entry, const char* path) {
  REAL(archive_entry_set_pathname)(entry, path);
}

void archive_entry_set_mtime(archive_entry* entry, std::time_t seconds, long nanoseconds) {
  REAL(archive_entry_set_mtime)(entry, seconds, nanoseconds);
}

void archive_entry_set_perm(archive_entry* entry, __LA_MODE_T mode) {
  REAL(archive_entry_set_perm)(entry, mode);
}

void archive_entry_set_size(archive_entry* entry, la_int64_t size) {
  REAL(archive_entry_set_size)(entry, size);
}

void archive_entry_set_filetype(archive_entry* entry, unsigned int type) {
  REAL(archive_entry_set_filetype)(entry, type);
}

void archive_entry_set_symlink(archive_entry* entry, const char* target) {
  REAL(archive_entry_set_symlink)(entry, target);
}

const char* archive_entry_pathname(archive_entry* entry) {
  return REAL(archive_entry_pathname)(entry);
}

const char* archive_entry_pathname_utf8(archive_entry* entry) {
  return REAL(archive_entry_pathname_utf8)(entry);
}

const char* archive_entry_hardlink(archive_entry* entry) {
  return REAL(archive_entry_hardlink)(entry);
}

const char* archive_entry_symlink(archive_entry* entry) {
  return REAL(archive_entry_symlink)(entry);
}

__LA_MODE_T archive_entry_filetype(archive_entry* entry) {
  return REAL(archive_entry_filetype)(entry);
}

__LA_MODE_T archive_entry_perm(archive_entry* entry) {
  return REAL(archive_entry_perm)(entry);
}

la_int64_t archive_entry_size(archive_entry* entry) {
  return REAL(archive_entry_size)(entry);
}

int archive_entry_sparse_count(archive_entry* entry) {
  return REAL(archive_entry_sparse_count)(entry);
}

std::time_t archive_entry_mtime(archive_entry* entry) {
  return REAL(archive_entry_mtime)(entry);
}

}  // extern "C"

namespace trainctl {

Status load_archive() {
  if (loaded().trouble.empty()) return {};
  return Error{Code::error, cat("libarchive cannot be used: ", loaded().trouble),
               "install libarchive 3: apt-get install libarchive13"};
}

}  // namespace trainctl
