// Bad values: each is refused with the flag as it was typed, and nothing is sent.
#include <doctest/doctest.h>

#include "manifest/rendering.h"

namespace values_test {

using namespace trainctl;
using trainctl::testing::Line;
using trainctl::testing::refusal;
using trainctl::testing::try_render;

struct Bad {
  std::string_view typed;
  std::string_view message;
  std::string_view alias = "pytorch";
};

constexpr Bad k_bad[] = {
    {"--name=", "--name: must not be empty"},
    {"--name=My_Job",
     "--name: 'My_Job' may hold only lower-case letters, digits and '-'; write my-job"},
    {"--name=1job", "--name: '1job' must start with a letter"},
    {"--name=job-", "--name: 'job-' must not start or end with '-'"},
    {"--name=a\nb", "--name: 'a b' may hold only lower-case letters, digits and '-'"},
    {"--workers=-3", "--workers: '-3' is less than 0"},
    {"--workers=2.5", "--workers: '2.5' is not a whole number"},
    {"--workers=two", "--workers: 'two' is not a whole number"},
    {"--workers= 2", "--workers: ' 2' is not a whole number"},
    {"--workers=99999999999", "--workers: '99999999999' is more than 2147483647"},
    {"--replicas=99999999999999999999", "--replicas: '99999999999999999999' is not a whole number"},
    {"--chief=2", "--chief: TFJobs have at most one chief", "tf"},
    {"--slots-per-worker=0", "--slots-per-worker: '0' is less than 1", "mpi"},
    {"--slots-per-worker=2", "--slots-per-worker: PyTorchJobs have no such field"},
    {"--nproc-per-node=banana", "--nproc-per-node: 'banana' is not a number of processes"},
    {"--nproc-per-node=3000000000", "--nproc-per-node: '3000000000' is not a number of processes"},
    {"--nproc-per-node=0", "--nproc-per-node: '0' is not a number of processes"},
    {"--success-policy=Nope", "--success-policy: 'Nope' is not a choice", "tf"},
    {"--image=a b", "--image: 'a b' contains a space or a control character"},
    {"--master-image=a b", "--master-image: 'a b' contains a space or a control character"},
    {"--image-pull-policy=always", "--image-pull-policy: 'always' is not a choice"},
    {"--working-dir=src", "--working-dir: 'src' is not an absolute path"},
    {"--restart-policy=Foo", "--restart-policy: 'Foo' is not a choice"},
    {"--worker-restart-policy=Foo", "--worker-restart-policy: 'Foo' is not a choice"},
    {"--clean-pod-policy=none", "--clean-pod-policy: 'none' is not a choice"},
    {"--backoff-limit=-1", "--backoff-limit: '-1' is less than 0"},
    {"--active-deadline=0s", "--active-deadline: '0s' is less than 1 s"},
    {"--env=NOT_SET", "--env: 'NOT_SET' is not set in your environment"},
    {"--env==x", "--env: '' must not be empty"},
    {"--env=1A=x", "--env: '1A' must not start with a digit"},
    {"--env=A B=x", "--env: 'A B' may hold only letters, digits, '_', '-' and '.'"},
    {"--env-secret=A=hub", "--env-secret: 'A=…' is not VAR=SECRET:KEY"},
    {"--env-secret=A", "--env-secret: 'A' is not VAR=SECRET:KEY"},
    {"--env-configmap=LR=settings", "--env-configmap: 'LR=…' is not VAR=CONFIGMAP:KEY"},
    {"--env-configmap=LR=settings:a b", "--env-configmap: 'LR=…' is not VAR=CONFIGMAP:KEY"},
    {"--env-from-configmap=My Map",
     "--env-from-configmap: 'My Map' may hold only lower-case letters, digits, '-' and '.'"},
    {"--env-field=NODE", "--env-field: 'NODE' is not VAR=FIELDPATH, as in NODE=spec.nodeName"},
    {"--env-field=NODE=spec.node",
     "--env-field: 'spec.node' is not a field of the pod that a variable can take"},
    {"--env-field=A=metadata.labels['']",
     "--env-field: 'metadata.labels['']' is not a field of the pod that a variable can take"},
    {"--env-field=A=metadata.labels[']",
     "--env-field: 'metadata.labels[']' is not a field of the pod that a variable can take"},
    {"--label=x", "--label: 'x' is not KEY=VALUE"},
    {"--label=a b=c", "--label: 'a b' may hold only letters, digits, '-', '_' and '.'"},
    {"--label=a=b c", "--label: 'b c' may hold only letters, digits, '-', '_' and '.'"},
    {"--annotation=/x=c", "--annotation: '/x' has an invalid prefix: it must not be empty"},
    {"--gpu=0.5", "--gpu: '0.5' is not a whole number of GPUs"},
    {"--gpu=-1", "--gpu: '-1' is less than 0"},
    {"--gpu=all", "--gpu: 'all' is not a whole number"},
    {"--gpu-resource=amd.com/gpu", "--gpu-resource: names a resource but no count"},
    {"--extended-resource=rdma/hca", "--extended-resource: 'rdma/hca' is not NAME=COUNT"},
    {"--port=0", "--port: '0' is not a port from 1 to 65535"},
    {"--port=8080:80", "--port: '8080:80' asks for a port outside the job"},
    {"--pvc=data", "--pvc: 'data' is not CLAIM:/PATH[:ro]"},
    {"--pvc=data:data", "--pvc: 'data:data' has no absolute path to mount at"},
    {"--pvc=fast:10Gi:/data",
     "--pvc: 'fast:10Gi:/data' asks for a new claim, and --pvc mounts "
     "an existing one"},
    {"--pvc=:/data", "--pvc: ':/data' asks for a new claim, and --pvc mounts an existing one"},
    {"--git-sync=path=/code", "--git-sync: has no repository that begins with https:// or http://"},
    {"--git-sync=repository=git@git.test:x,path=/code",
     "--git-sync: has no repository that begins with https:// or http://"},
    {"--git-sync=repository=https://u:p@git.test/x,path=/code",
     "--git-sync: would show credentials to everyone who can read the job"},
    {"--git-sync=source=https://git.test/x,target=/code,password=p",
     "--git-sync: would show credentials to everyone who can read the job"},
    {"--git-sync=repository=https://git.test/x",
     "--git-sync: 'repository=https://git.test/x' has no absolute path to mount at"},
    {"--git-sync=repository=https://git.test/x,path=/code,secret=Hub_1",
     "--git-sync: 'Hub_1' may hold only lower-case letters, digits, '-' and '.'"},
    {"--download=source=ftp://a.test/x,path=/data",
     "--download: has no source that begins with s3://, https:// or http://"},
    {"--download=source=https://a.test/,path=/data", "--download: names no file to download"},
    {"--download=source=s3://data,path=/data", "--download: names no file to download"},
    {"--download=source=https://ada:pass@a.test/x,path=/data",
     "--download: the address would show credentials to everyone who can read the job"},
    {"--download=source=https://a.test/a b,path=/data", "--download: has a blank in its source"},
    {"--pvc=data:/data/../etc", "--pvc: 'data:/data/../etc' has '..' in its path"},
    {"--scratch=/", "--scratch: '/' would hide all files of the image"},
    {"--download=source=https://a.test/x",
     "--download: 'source=https://a.test/x' has no absolute path to mount at"},
    {"--pvc-new=data", "--pvc-new: 'data' is not CLAIM:SIZE[:CLASS]:/PATH"},
    {"--pvc-new=data:10Gib:/data", "--pvc-new: \"10Gib\" is not a Kubernetes quantity"},
    {"--pvc-new=claimname=data,path=/data", "--pvc-new: 'claimname=data,path=/data' has no size"},
    {"--pvc-new=size=1Gi,path=/data", "--pvc-new: 'size=1Gi,path=/data' does not name the claim"},
    {"--ephemeral-pvc=/scratch", "--ephemeral-pvc: '/scratch' is not a field"},
    {"--ephemeral-pvc=10Gib:/scratch", "--ephemeral-pvc: \"10Gib\" is not a Kubernetes quantity"},
    {"--ephemeral-pvc=path=/scratch", "--ephemeral-pvc: 'path=/scratch' has no size"},
    {"--ephemeral-pvc=path=/s,size=1Gi,from-claim=a,from-snapshot=b",
     "--ephemeral-pvc: 'path=/s,size=1Gi,from-claim=a,from-snapshot=b' copies a claim and a "
     "snapshot"},
    {"--ephemeral-pvc=path=/s,size=1Gi,accessmode-rwo,accessmode-rwm",
     "--ephemeral-pvc: 'path=/s,size=1Gi,accessmode-rwo,accessmode-rwm' has two access modes"},
    {"--scratch=10Gi", "--scratch: '10Gi' has no absolute path to mount at"},
    {"--scratch=/s:1Gi:memory", "--scratch: '/s:1Gi:memory' is not /PATH[:memory][:SIZE]"},
    {"--pvc-exists=claim=x,path=/d", "--pvc-exists: 'claim=x' is not a field"},
    {"--pvc-exists=claimname=Data_1,path=/d",
     "--pvc-exists: 'claimname=Data_1,path=/d' has an invalid claimname: it may hold only "
     "lower-case letters, digits, '-' and '.'"},
    {"--volume=data:/data", "--volume: 'data:/data' is not /SOURCE:/PATH[:ro][:NFSHOST]"},
    {"--toleration=garbage",
     "--toleration: 'garbage' is not KEY=VALUE:EFFECT, or operator=,key=,value=,effect=,seconds="},
    {"--toleration=a=b:Sometimes", "--toleration: 'Sometimes' is not an effect"},
    {"--toleration=operator=Equal,effect=NoSchedule",
     "--toleration: 'operator=Equal,effect=NoSchedule' has no key"},
    {"--node=a b", "--node: 'a b' may hold only letters, digits, '-', '_' and '.'"},
    {"--exclude-node=a b", "--exclude-node: 'a b' may hold only letters, digits, '-', '_' and '.'"},
    {"--gpu-product=NVIDIA L4",
     "--gpu-product: 'NVIDIA L4' may hold only letters, digits, '-', '_' and '.'"},
    {"--pack=always=zone", "--pack: 'always=zone' is not [required=|preferred=]LEVEL"},
    {"--spread=a b",
     "--spread: 'a b' is not a node label: it may hold only letters, digits, '-', '_' and '.'"},
    {"--gang-min-available=0", "--gang-min-available: '0' is less than 1"},
    {"--gang-timeout=0s", "--gang-timeout: '0s' is less than 1 s"},
    {"--gang-queue=A b",
     "--gang-queue: 'A b' may hold only lower-case letters, digits, '-' and '.'"},
    {"--runtime-class=A b",
     "--runtime-class: 'A b' may hold only lower-case letters, digits, '-' and '.'"},
    {"--s3=bucket=b,key=k,secret=hush", "--s3: '…' is not SECRET[:ENDPOINT]"},
    {"--s3=minio:https://u:p@m.test",
     "--s3: would show credentials to everyone who can read the job"},
    {"--s3=minio:m.test", "--s3: '…' is not SECRET[:ENDPOINT]"},
    {"--torchrun=train.py", "--torchrun: TFJobs have no such field", "tf"},
    {"--run-as=root", "--run-as: 'root' is not UID[:GID]"},
    {"--add-capability=net", "--add-capability: 'net' is not a capability"},
    {"--queue=a b", "--queue: 'a b' may hold only letters, digits, '-', '_' and '.'"},
    {"--env=A=\xff", "--env: the value is not valid UTF-8"},
};

TEST_CASE("a bad value is refused with the flag as typed and the reason") {
  for (const Bad& bad : k_bad) {
    CAPTURE(bad.typed);
    const auto manifest = try_render({std::string(bad.alias), {std::string(bad.typed)}});
    REQUIRE_FALSE(manifest);
    CHECK(manifest.error().code == Code::usage);
    CHECK(manifest.error().message == bad.message);
  }
}

TEST_CASE("bad quantities are refused before the server sees them") {
  for (const char* flag : {"--cpu", "--cpu-limit", "--memory", "--memory-limit", "--shm-size"}) {
    for (const char* value : {"abc", "1 Gi", "1gi", "1KB", "-1", "1Gi1"}) {
      CAPTURE(flag);
      CAPTURE(value);
      CHECK(refusal({"pytorch", {cat(flag, '=', value)}}).starts_with(cat(flag, ": ")));
    }
  }
}

TEST_CASE("a fraction of a GPU is refused with the way to get one") {
  const auto manifest = try_render({"pytorch", {"--gpu=0.5"}});
  REQUIRE_FALSE(manifest);
  CHECK(manifest.error().hint.find("--gpu-resource nvidia.com/mig-") != std::string::npos);
}

TEST_CASE("a choice in the wrong case is shown in the right one") {
  const auto manifest = try_render({"pytorch", {"--restart-policy=onfailure"}});
  REQUIRE_FALSE(manifest);
  CHECK(manifest.error().hint == "write OnFailure");
}

TEST_CASE("a value never swallows part of another: commas and equal signs are the user's") {
  const Json manifest = testing::rendered({"pytorch", {"--env=A=b,C=d", "--env=E=f=g"}});
  const Json& env =
      testing::at(manifest, "/spec/pytorchReplicaSpecs/Worker/template/spec/containers/0/env");
  CHECK(env == testing::yaml("[{name: A, value: \"b,C=d\"}, {name: E, value: \"f=g\"}]"));
}

}  // namespace values_test
