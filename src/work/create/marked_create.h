// POSTs an object once, and learns the outcome even when the answer is lost.
#pragma once

#include <functional>
#include <string>
#include <variant>

#include "base/result.h"
#include "base/value/json.h"
#include "manifest/companions.h"
#include "work/access.h"

namespace trainctl::work {

// The most attempts at one name: more than the simultaneous submits of it that any pipeline starts
// on purpose.
inline constexpr int k_rivals = 20;

struct Made {
  Json object;  // as stored by the server
};
struct Taken {
  Json object;  // somebody else's, under the name
  Error refusal;
};
struct NotMade {
  Error error;
  bool unknown = false;  // it may have been made: its POST was not answered
};
using Outcome = std::variant<Made, Taken, NotMade>;

struct MarkedObject {
  kube::Resource resource;
  std::string ns;
  const Json& object;
  std::string mark;   // unique to this submission
  std::string noun;   // "job", for messages
  std::string check;  // the command that shows whether it is there
};

// Sends the object with the mark as an annotation. When the answer is lost, the object is read back
// and recognised by that mark, but not sent a second time. An object refused for a name that is
// free by then is sent again.
Outcome create_marked(Access& access, kube::Client& client, const MarkedObject& marked);

// The mark of the submission that made an object; "" when trainctl did not.
std::string mark_of(const Json& object);

// Makes a job an owner of an object that it needs, so that the object goes with its last owner.
// Adds `reference` (kube::owner_reference) to the owners of `there`, even if others change its
// owners meanwhile; repeats unanswered requests for 30 s. `make_again` creates the object with that
// owner where it has gone with its last one; unset: that is an error.
Status become_owner(Access& access, kube::Client& client, const std::string& ns,
                    const job::DependentObject& companion, Json there, const Json& reference,
                    const std::function<Status()>& make_again = {});

}  // namespace trainctl::work
