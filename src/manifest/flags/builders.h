// Builds the patches of structured flags, which are more than one checked value in one field.
#pragma once

#include <string_view>

#include "base/result.h"
#include "base/value/json.h"
#include "manifest/flags/flags.h"

namespace trainctl::job {

// Whole job
Result<Json> build_name(const PatchInput& input);
Result<Json> build_name_prefix(const PatchInput& input);
Result<Json> build_no_master(const PatchInput& input);
Result<Json> build_suspend(const PatchInput& input);
Result<Json> build_nothing(const PatchInput& input);  // other flags or render() evaluate it

// Metadata
Result<Json> build_label(const PatchInput& input);
Result<Json> build_annotation(const PatchInput& input);
Result<Json> build_topology(const PatchInput& input);

// Container
Result<Json> build_args(const PatchInput& input);
Result<Json> build_gpu(const PatchInput& input);
Result<Json> build_gpu_resource(const PatchInput& input);
Result<Json> build_extended_resource(const PatchInput& input);
Result<Json> build_ports(const PatchInput& input);
Result<Json> build_capabilities(const PatchInput& input);

// Container, with variables (environment.cpp)
Result<Json> build_env(const PatchInput& input);
Result<Json> build_env_secret(const PatchInput& input);
Result<Json> build_env_config_map(const PatchInput& input);
Result<Json> build_env_from_secret(const PatchInput& input);
Result<Json> build_env_from_config_map(const PatchInput& input);
Result<Json> build_env_field(const PatchInput& input);
Result<Json> build_s3(const PatchInput& input);

// Arguments as they should reach the program: escaped from the cluster's expansion, unless --expand
// requests it.
Json literal_words(const std::vector<std::string>& words, const std::vector<FlagUse>& uses);

// Pod
Result<Json> build_pull_secret(const PatchInput& input);
Result<Json> build_node_selector(const PatchInput& input);
Result<Json> build_toleration(const PatchInput& input);
Result<Json> build_host_network(const PatchInput& input);
Result<Json> build_run_as(const PatchInput& input);

// Pod, with nodes and neighbours (placement.cpp)
Result<Json> build_nodes(const PatchInput& input);
Result<Json> build_pack(const PatchInput& input);
Result<Json> build_pack_required(const PatchInput& input);
Result<Json> build_pack_preferred(const PatchInput& input);
Result<Json> build_spread(const PatchInput& input);

// Pod, with volumes (volumes.cpp)
Result<Json> build_pvc(const PatchInput& input);
Result<Json> build_pvc_exists(const PatchInput& input);
Result<Json> build_volume(const PatchInput& input);
Result<Json> build_config_map_volume(const PatchInput& input);
Result<Json> build_secret_volume(const PatchInput& input);
Result<Json> build_shm_size(const PatchInput& input);
Result<Json> build_large_shm(const PatchInput& input);

// Pod, with volumes of each replica (volumes.cpp)
Result<Json> build_ephemeral_pvc(const PatchInput& input);
Result<Json> build_new_pvc(const PatchInput& input);
Result<Json> build_scratch(const PatchInput& input);

// Pod, with init containers (init_containers.cpp), which get the training container's rights
// once all flags are applied (render.cpp). Those of downloads have numbers behind their names.
inline constexpr std::string_view k_git_container = "git-sync";
inline constexpr std::string_view k_download_container = "download-";
inline constexpr std::string_view k_packages_container = "packages";
inline constexpr std::string_view k_packages_path = "/trainctl/site";
Result<Json> build_git_sync(const PatchInput& input);
Result<Json> build_download(const PatchInput& input);
Result<Json> build_packages(const PatchInput& input);

// A patch for a pod that mounts a memory volume of this size at /dev/shm.
Json shared_memory(std::string_view container, std::string_view size);
inline constexpr std::string_view k_shared_memory_path = "/dev/shm";
inline constexpr std::string_view k_shared_memory_size = "2Gi";  // for pods with GPUs

}  // namespace trainctl::job
