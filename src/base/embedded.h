// Files compiled into the program (cmake/Embed.cmake writes the tables).
#pragma once

#include <span>
#include <string_view>

namespace trainctl {

struct EmbeddedFile {
  std::string_view name;
  std::string_view content;
};

namespace templates {
std::span<const EmbeddedFile> embedded_files();
}
namespace completions {
std::span<const EmbeddedFile> embedded_files();
}
// commit.txt, empty if unknown, and in a static program linked-libraries.txt.
namespace program_facts {
std::span<const EmbeddedFile> embedded_files();
}
// docs/reports.md, the page with the fields of JSON reports.
namespace pages {
std::span<const EmbeddedFile> embedded_files();
}
// src/slurm/prologue.sh, which runs before a batch script.
namespace slurm_prologue {
std::span<const EmbeddedFile> embedded_files();
}
namespace job_schema {
std::span<const EmbeddedFile> embedded_files();
}

}  // namespace trainctl
