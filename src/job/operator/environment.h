// What each job kind's operator tells a replica about its place in the world, as variables of its
// pod.
#pragma once

#include "job/operator/operated_job.h"

namespace trainctl::job {

// The image of the container that waits for a master's name; the kubelet takes one of that name and
// image as completed at once, since every name resolves here.
inline constexpr std::string_view k_init_pytorch = "init-pytorch";
inline constexpr std::string_view k_init_pytorch_image = "alpine:3.10";

// One function per row of the table of kinds; see OperatedKind::set_environment. Later duplicates
// win in a container, so that users cannot override these.
void set_pytorch_environment(const OperatedJob& job, const OperatedReplica& replica, int index,
                             Json& pod);
void set_tf_environment(const OperatedJob& job, const OperatedReplica& replica, int index,
                        Json& pod);
void set_xgboost_environment(const OperatedJob& job, const OperatedReplica& replica, int index,
                             Json& pod);
void set_paddle_environment(const OperatedJob& job, const OperatedReplica& replica, int index,
                            Json& pod);
void set_jax_environment(const OperatedJob& job, const OperatedReplica& replica, int index,
                         Json& pod);

}  // namespace trainctl::job
