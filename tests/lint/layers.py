"""Which file may include what, and which names are kept out of the layers below main()."""

import re

from sources import INCLUDE, code_only, cpp_files, included_path, line_of, read

# From the bottom up: a file may include its own layer and those before it. A layer is a folder, or the files of a name.
LAYERS = ["src/base", "src/net", "src/kube", "src/manifest/kind", "src/metrics", "src/manifest/operator", "src/manifest/kinds", "src/manifest", "src/trainer", "src/status", "src/logs", "src/follow",
          "src/work", "src/work/find", "src/work/code", "src/work/create", "src/work/session", "src/work/notify", "src/work/rights",
          "src/view", "src/check", "src/transfer", "src/doctor", "src/history", "src/report", "src/slurm", "src/options", "src/options/table", "src/options/settings",
          "src/local", "src/local/store", "src/local/api", "src/local/operator", "src/local/kubelet",
          "src/local/daemon", "cli", "cli/options", "cli/output", "cli/mcp", "cli/commands", "cli/run", "cli/main"]

# Capabilities, each of which one can leave unread: none includes another, except that a report says how runs differ.
CAPABILITIES = ["src/check", "src/transfer", "src/doctor", "src/history", "src/report"]
KNOWN_CAPABILITIES = {("src/report", "src/history")}

# Library headers and the only files that may name them.
HOMES = {
    r"CLI/": r"(tests/)?cli/",
    r"curl/": r"src/net/",
    r"yaml-cpp/": r"src/base/value/yaml[a-z_]*\.(cpp|h)$",
    r"uv\.h": r"src/base/loop/loop[a-z_]*\.(cpp|h)$",
    r"re2/": r"src/base/text/pattern\.cpp$",
    r"utf8proc\.h": r"src/base/text/utf8\.cpp$",
    r"sqlite3\.h": r"src/base/file/sqlite\.cpp$",
    r"microhttpd\.h": r"src/local/daemon/http_server[a-z_]*\.(cpp|h)$",
    r"openssl/": r"src/(base/file/(checksum|linked_libraries|sha256)|kube/auth/client_certificate|net/websocket)\.cpp$",
    r"archive[a-z_]*\.h": r"src/base/file/tar\.cpp$",
    r"wslay/": r"src/net/websocket\.cpp$",
}

# Calls that decide which file is opened or which server is trusted, or that only Linux has, and the only files that may make them.
CALL_HOMES = {
    r"\bsqlite3_open\w*": r"src/base/file/sqlite\.cpp$",
    r"\b(O_(PATH|TMPFILE)|SOCK_(CLOEXEC|NONBLOCK)|CLOCK_BOOTTIME|SYS_\w+|(sigabbrev_np|accept4|pipe2|epoll_\w+|close_range|fallocate|getrandom|statfs|memfd_create|signalfd|prctl|unshare)(?=\())": r"src/(base/host_linux\.cpp|local/)",
    r"\bTCP_USER_TIMEOUT\b": r"src/base/host_(linux|posix)\.cpp$",
    r"(?m)^#include <(linux|sys/(epoll|vfs|prctl|syscall|inotify|signalfd|eventfd|timerfd))\b": r"src/(base/host_linux\.cpp|local/)",
    r"\bCURLOPT_(PROXY_)?CA(INFO|PATH)\w*": r"src/net/curl_transfer\.cpp$",
}

# What is particular to the embedded cluster, and to HTTP, is known to these files of cli/ alone.
CLI_HOMES = {
    r'#include "local/': r"cli/local_\w+\.cpp$",
    r"\bnet::": r"cli/(context|local_\w+|main)\.(cpp|h)$",
}

# Names that make a layer depend on its process; only cli/main.cpp may use them.
FORBIDDEN = {
    "getenv": r"\b(secure_)?getenv\s*\(",
    "environ": r"\benviron\b",
    "exit": r"(?<![\w.>])(std\s*::\s*|::\s*)?(exit|_exit|_Exit|quick_exit|abort|terminate)\s*\(",
    "std::cout": r"\bstd\s*::\s*(cout|cerr|clog|cin)\b",
    "printf": r"\b(std\s*::\s*)?(printf|puts|putchar|vprintf)\s*\(",
    "thread_local": r"\bthread_local\b",
}


# A child of fork() must not run what its parent registered for its own end.
ALLOWED = {("src/local/kubelet/process_control.cpp", "exit")}


def layer_of(path):
    """The number of the innermost layer a path is in."""
    inside = [(len(layer), number) for number, layer in enumerate(LAYERS) if path.startswith((layer + "/", layer + "."))]
    return max(inside)[1] if inside else None


def other_capability(layer, target):
    return layer != target and {layer, target} <= set(CAPABILITIES) and (layer, target) not in KNOWN_CAPABILITIES


def check_includes(root):
    complaints = []
    for path in cpp_files(root):
        layer = layer_of(path)
        text = read(root, path)
        for match in INCLUDE.finditer(text):
            where = f"{path}:{line_of(text, match.start())}"
            name = match.group(2)
            for header, home in HOMES.items():
                if re.match(header, name) and not re.match(home, path):
                    complaints.append(f"{where}: includes {name}, whose only home is {home}")
            if match.group(1) == "<" or layer is None:
                continue
            target = layer_of(included_path(name))
            if target is None:
                complaints.append(f'{where}: "{name}" is in no layer; write the path from src/ or cli/')
            elif target > layer:
                complaints.append(f"{where}: {LAYERS[layer]} includes upward: {name}")
            elif other_capability(LAYERS[layer], LAYERS[target]):
                complaints.append(f"{where}: {LAYERS[layer]} includes another capability: {name}")
    return complaints


def check_cli(root):
    complaints = []
    for path in cpp_files(root):
        if not path.startswith("cli/"):
            continue
        text = read(root, path)
        for pattern, home in CLI_HOMES.items():
            if re.match(home, path):
                continue
            for match in re.finditer(pattern, text):
                complaints.append(f"{path}:{line_of(text, match.start())}: {match.group(0)} belongs in {home}")
    return complaints


def check_calls(root):
    complaints = []
    for path in cpp_files(root):
        code = code_only(read(root, path))
        for pattern, home in CALL_HOMES.items():
            if layer_of(path) is None or re.match(home, path):
                continue
            for match in re.finditer(pattern, code):
                complaints.append(f"{path}:{line_of(code, match.start())}: {match.group(0)} belongs in {home}")
    return complaints


def check_forbidden(root):
    complaints = []
    for path in cpp_files(root):
        if layer_of(path) is None or path == "cli/main.cpp":
            continue
        code = code_only(read(root, path))
        for name, pattern in FORBIDDEN.items():
            if (path, name) in ALLOWED:
                continue
            for match in re.finditer(pattern, code):
                complaints.append(f"{path}:{line_of(code, match.start())}: {name} belongs in cli/main.cpp only")
    return complaints
