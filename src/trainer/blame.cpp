// Renders the line again without each of its flags: the one whose absence mends a loss is to blame.
// So no list says which flag sets which field.
#include "trainer/blame.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/text/text.h"
#include "manifest/manifest.h"

namespace trainctl::job {

namespace {

using Pointers = std::set<std::string>;

// The fields that a line loses; nullopt for a line that makes no job.
std::optional<Pointers> losses_of(const RenderInput& input, const Target& target) {
  const auto job = render(input);
  if (!job) return std::nullopt;
  const auto conversion = convert(*input.kind, *job, target);
  if (!conversion) return std::nullopt;
  Pointers pointers;
  for (const Loss& loss : conversion->losses) pointers.insert(loss.pointer);
  return pointers;
}

// A part of the line that the user has typed: the line without it, and the line of it alone.
struct Part {
  std::string spelled;
  RenderInput without, alone;
};

// The template, or the user's file, with no part.
RenderInput without_parts(RenderInput input) {
  input.flags.clear();
  input.overlays.clear();
  input.set.clear();
  input.code.reset();
  return input;
}

std::vector<Part> parts_of(const RenderInput& input) {
  const RenderInput bare = without_parts(input);
  std::vector<Part> parts;
  const auto add = [&](std::string spelled, auto list, std::size_t i) {
    Part part{std::move(spelled), input, bare};
    (part.without.*list).erase((part.without.*list).begin() + static_cast<std::ptrdiff_t>(i));
    (part.alone.*list).push_back((input.*list)[i]);
    parts.push_back(std::move(part));
  };
  if (input.code) {
    Part code{"--code", input, bare};
    code.without.code.reset();
    code.alone.code = input.code;
    parts.push_back(std::move(code));
  }
  for (std::size_t i = 0; i < input.flags.size(); ++i) {
    add(input.flags[i].spelled(), &RenderInput::flags, i);
  }
  for (std::size_t i = 0; i < input.set.size(); ++i) {
    add(cat("--set ", split_once(input.set[i], '=').first), &RenderInput::set, i);
  }
  for (std::size_t i = 0; i < input.overlays.size(); ++i) {
    add("--overlay", &RenderInput::overlays, i);
  }
  return parts;
}

class Blame {
 public:
  Blame(const RenderInput& input, const Target& target)
      : template_(losses_of(without_parts(input), target)) {
    for (const Part& part : parts_of(input)) {
      suspects_.push_back(
          {part.spelled, losses_of(part.without, target), losses_of(part.alone, target)});
    }
  }

  // The flag behind a loss; "" when it is the template's. When two flags each cause the loss, and
  // neither can be left out alone, returns the first.
  std::string flag_of(const Loss& loss) const {
    for (const Suspect& one : suspects_) {
      if (one.without && !one.without->contains(loss.pointer)) return one.spelled;
    }
    if (template_ && template_->contains(loss.pointer)) return "";
    for (const Suspect& one : suspects_) {
      if (one.alone && one.alone->contains(loss.pointer)) return one.spelled;
    }
    return "";
  }

 private:
  struct Suspect {
    std::string spelled;
    std::optional<Pointers> without, alone;
  };
  std::optional<Pointers> template_;
  std::vector<Suspect> suspects_;
};

bool is_leader(const Kind& kind, const Loss& loss) {
  return std::ranges::any_of(kind.roles, [&](const Role& role) {
    return role.leads() && loss.pointer == cat(kind.replica_specs, '/', role.name);
  });
}

std::string remedy(const Kind& kind, const Loss& loss, bool is_typed) {
  if (is_leader(kind, loss)) return "--no-master leaves it out: worker 0 leads";
  if (!loss.instead.empty()) return loss.instead;
  return is_typed ? "leave it out; a cluster with the training operator takes it (--api=v1)"
                  : "trainctl template shows where the manifest comes from; --set POINTER=null "
                    "removes a field";
}

}  // namespace

std::vector<Loss> losses_to_refuse(const RenderInput& input, const Target& target,
                                   const std::vector<Loss>& losses) {
  if (losses.empty() || !target.runtime) return losses;
  const Blame blame(input, target);
  std::vector<Loss> refused;
  for (const Loss& loss : losses) {
    if (!loss.runtime_decides || !blame.flag_of(loss).empty()) refused.push_back(loss);
  }
  return refused;
}

Error refuse_losses(const RenderInput& input, const Target& target,
                    const std::vector<Loss>& losses) {
  const Blame blame(input, target);
  std::vector<std::string> faults;
  std::set<std::string> named;
  std::string hint;
  for (const Loss& loss : losses) {
    const std::string flag = blame.flag_of(loss);
    if (!flag.empty() && !named.insert(flag).second) continue;
    faults.push_back(cat(flag.empty() ? loss.pointer : flag, ": ", loss.why));
    if (hint.empty()) hint = remedy(*input.kind, loss, !flag.empty());
  }
  const bool succeeds = target.becomes == Becomes::successor;
  const std::string what = succeeds ? cat(successor_of(*input.kind)->resource.kind, " of ",
                                          successor_of(*input.kind)->resource.version)
                                    : "TrainJob";
  return Error{Code::usage,
               cat(succeeds ? "an " : "a ", what, " cannot have this: ", join(faults, "; ")), hint};
}

std::vector<std::string> flags_behind(const RenderInput& input, const Target& target,
                                      const std::vector<Loss>& losses) {
  const Blame blame(input, target);
  std::vector<std::string> flags;
  for (const Loss& loss : losses) {
    const std::string flag = blame.flag_of(loss);
    if (flag.empty() || std::ranges::find(flags, flag) != flags.end()) continue;
    flags.push_back(flag);
  }
  return flags;
}

}  // namespace trainctl::job
