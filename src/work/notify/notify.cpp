// Nobody waits for long: a verdict is worth more than the news of it.
#include "work/notify/notify.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/file/files.h"
#include "base/loop/loop_child.h"
#include "base/text/text.h"
#include "kube/config/proxy.h"
#include "manifest/secrets.h"
#include "net/http.h"
#include "net/url.h"

namespace trainctl::work {
namespace {

std::vector<std::string> words_of(const std::string& target) {
  std::vector<std::string> words = split(target, ' ');
  std::erase(words, "");
  return words;
}

struct HookUrl {
  std::string server;  // "https://host:port"
  std::string target;  // path and query
};

// The part in front of the path is all that a connection needs.
HookUrl split_url(const std::string& url) {
  const std::size_t path = url.find('/', url.find("://") + 3);
  if (path == std::string::npos) return {url, "/"};
  return {url.substr(0, path), url.substr(path)};
}

bool is_url(std::string_view word) {
  return word.find("://") != std::string_view::npos;
}

// "https://host:port", without user and password; "https://***" where the host is not certain.
std::string shown_url(const std::string& url) {
  const std::size_t host = url.find("://") + 3;
  const std::string server = url.substr(0, url.find_first_of("/?#", host));
  const std::string scheme = server.substr(0, host);
  if (!net::parse_url(server)) return cat(scheme, job::k_left_out);
  const std::size_t at = server.rfind('@');
  return cat(scheme, server.substr(at == std::string::npos ? host : at + 1));
}

Error hook_failed(const std::string& target, std::string_view why) {
  const auto parts = net::parse_url(split_url(target).server);
  return {Code::error, cat("--notify: ", parts ? net::host_port(*parts) : "the hook", ": ", why)};
}

// By its path, or in a directory of PATH. Without PATH, the system has places of its own.
bool is_program(Access& access, const std::string& name) {
  if (name.find('/') != std::string::npos) return access.files.exists(name);
  const std::string path = access.environment.text("PATH");
  if (path.empty()) return true;
  const auto directories = split(path, ':');
  return std::ranges::any_of(directories, [&](const std::string& directory) {
    return access.files.exists(resolve_path(directory, name));
  });
}

}  // namespace

bool is_hook(const std::string& target) {
  return target.starts_with("https://") || target.starts_with("http://");
}

std::string shown_target(const std::string& target) {
  if (!is_url(target)) return target;
  if (is_hook(target)) return shown_url(target);
  std::vector<std::string> words = words_of(target);
  for (std::string& word : words) {
    if (is_url(word)) word = shown_url(word);
  }
  return join(words, " ");
}

Status check_notify(Access& access, const std::string& target) {
  if (is_hook(target)) {
    if (net::parse_url(split_url(target).server)) return {};
    return Error{Code::usage, "--notify: this is not the URL of a hook",
                 "write it as https://HOST/PATH"};
  }
  const std::vector<std::string> words = words_of(target);
  if (!words.empty() && is_url(words.front())) {
    return Error{Code::usage,
                 cat("--notify: ", printable_line(shown_url(words.front())),
                     " is not a hook: only http and https are supported"),
                 "write it as https://HOST/PATH"};
  }
  if (!words.empty() && is_program(access, words.front())) return {};
  return Error{Code::usage,
               words.empty() ? "--notify: no program is named"
                             : cat("--notify: there is no program ", printable_line(words.front())),
               "name a program, or the URL of a hook: --notify https://HOST/PATH"};
}

namespace {

// The notice is the report (follow/report.h) without the job's object, which may hold secrets.
Json notice_of(const Json& report) {
  Json notice = report;
  notice.erase("object");
  return notice;
}

}  // namespace

// Linux refuses to start a program with a variable of 128 KiB. Thousands of replicas go first.
std::string report_that_fits(const Json& report) {
  constexpr std::size_t k_longest_variable = std::size_t{120} << 10U;
  Json notice = notice_of(report);
  std::string text = dump(notice);
  for (const char* part : {"replicas", "earlierAttempts", "digest"}) {
    if (text.size() <= k_longest_variable) break;
    notice.erase(part);
    text = dump(notice);
  }
  return text;
}

Status run_notifier(Access& access, const std::string& target, const Json& report,
                    Duration longest) {
  auto variables = access.environment.all();
  variables["TRAINCTL_JOB"] = text_at(report, "/name");
  variables["TRAINCTL_NAMESPACE"] = text_at(report, "/namespace");
  variables["TRAINCTL_VERDICT"] = text_at(report, "/verdict/result");
  variables["TRAINCTL_REPORT"] = report_that_fits(report);
  ChildSpec child;
  child.argv = words_of(target);
  child.environment = Environment(variables);
  child.input = dump(notice_of(report));
  const std::string program = child.argv.front();
  const auto ended = run_child(access.loop, std::move(child), longest);
  const auto failed = [&program](std::string_view why) {
    return Error{Code::error, cat("--notify: ", printable_line(program), ": ", why)};
  };
  if (!ended) return failed(cat("it took longer than ", format_age(longest)));
  if (!*ended) return failed(ended->error().message);
  if ((*ended)->status != 0) return failed(cat("it exited ", (*ended)->status));
  return {};
}

Result<net::Endpoint> hook_endpoint(const Access& access, const std::string& target) {
  net::Endpoint endpoint;
  endpoint.base_url = split_url(target).server;
  endpoint.user_agent = cat("trainctl/", TRAINCTL_VERSION);
  TRY_ASSIGN(const net::UrlParts parts, net::parse_url(endpoint.base_url));
  TRY_ASSIGN(endpoint.proxy_url, kube::resolve_proxy(access.environment, "", parts));
  endpoint.system_trust = net::find_system_trust(access.environment, access.files);
  return endpoint;
}

Status post_notice(Loop& loop, net::Transport& transport, const std::string& target,
                   const Json& report, Duration longest) {
  constexpr std::size_t k_answer_limit = std::size_t{1} << 16U;
  net::Request request;
  request.method = "POST";
  request.target = split_url(target).target;
  request.headers = {{"Content-Type", "application/json"}};
  request.body = dump(notice_of(report));
  request.timeout = longest;
  const auto answer = await<Result<net::Response>>(loop, [&](auto done) {
    return net::collect(transport, std::move(request), std::move(done), k_answer_limit);
  });
  if (!answer) return hook_failed(target, answer.error().message);
  const int status = answer->head.status;
  if (status < 200 || status > 299) return hook_failed(target, cat("it answered ", status));
  return {};
}

}  // namespace trainctl::work
