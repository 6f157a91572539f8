// Names the flags of a submit line that ask for something a TrainJob cannot express. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "manifest/render.h"
#include "trainer/conversion.h"

namespace trainctl::job {

// The losses without those that a runtime named by the user decides, unless a flag asks for the
// field.
std::vector<Loss> losses_to_refuse(const RenderInput& input, const Target& target,
                                   const std::vector<Loss>& losses);

// Refuses (Code::usage) a submit line with losses; there is at least one. Each is named by the flag
// that asks for the field, else (it comes from the template) by the field's place.
Error refuse_losses(const RenderInput& input, const Target& target,
                    const std::vector<Loss>& losses);

// The flags behind these losses, each once, in the order of the losses: "--restart-policy".
std::vector<std::string> flags_behind(const RenderInput& input, const Target& target,
                                      const std::vector<Loss>& losses);

}  // namespace trainctl::job
