// The variables by which each job kind's operator gives a replica its rank, addresses and world
// size.
#pragma once

#include "manifest/operator/operated_job.h"

namespace trainctl::job {

// The container that waits for a master's name to resolve. The embedded cluster's kubelet treats
// one of this name and image as completed at once, since every name resolves there.
inline constexpr std::string_view k_init_pytorch = "init-pytorch";
inline constexpr std::string_view k_init_pytorch_image = "alpine:3.10";

// One function per row of the table of kinds; see OperatedKind::set_environment. When a container
// has a variable twice, the last one counts, so users cannot override these.
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
