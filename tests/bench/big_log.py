"""big_log.py DIR MIB: makes an API server of static files for nginx, whose one job has one log of so many MiB.

A kubelet gives 10 MB/s, so a client's own speed shows only against something faster. Prints nothing; DIR then
holds nginx.conf (a free port is chosen) and kubeconfig.
"""

import json
import pathlib
import socket
import subprocess
import sys

NGINX = """
worker_processes 1; pid {dir}/nginx.pid; error_log {dir}/error.log;
events {{}}
http {{
  access_log off; default_type application/json;
  client_body_temp_path {dir}; proxy_temp_path {dir}; fastcgi_temp_path {dir}; uwsgi_temp_path {dir}; scgi_temp_path {dir};
  server {{
    listen 127.0.0.1:{port} ssl http2; ssl_certificate {dir}/cert.pem; ssl_certificate_key {dir}/key.pem;
    http2_chunk_size 16k; output_buffers 4 256k;
{locations}
  }}
}}
"""

LABELS = {"training.kubeflow.org/job-name": "ddp", "training.kubeflow.org/operator-name": "pytorchjob-controller",
          "training.kubeflow.org/replica-type": "master", "training.kubeflow.org/replica-index": "0"}
CONTAINERS = [{"name": "pytorch", "image": "image"}]
JOB = {
    "apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob",
    "metadata": {"name": "ddp", "namespace": "default", "uid": "job", "resourceVersion": "5"},
    "spec": {"pytorchReplicaSpecs": {"Master": {"replicas": 1, "template": {"spec": {"containers": CONTAINERS}}}}},
    "status": {"conditions": [{"type": "Succeeded", "status": "True", "lastTransitionTime": "2026-01-02T03:00:00Z"}]},
}
POD = {
    "apiVersion": "v1", "kind": "Pod",
    "metadata": {"name": "ddp-master-0", "namespace": "default", "uid": "pod", "resourceVersion": "6", "labels": LABELS,
                 "ownerReferences": [{"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "name": "ddp",
                                      "uid": "job", "controller": True}]},
    "spec": {"nodeName": "node1", "containers": CONTAINERS},
    "status": {"phase": "Succeeded", "containerStatuses": [{
        "name": "pytorch", "restartCount": 0, "containerID": "c://1", "state": {"terminated": {
            "exitCode": 0, "startedAt": "2026-01-02T00:00:00Z", "finishedAt": "2026-01-02T03:00:00Z"}}}]},
}
# kubectl asks what there is before it asks for a log.
V1 = {"kind": "APIResourceList", "groupVersion": "v1", "resources": [
    {"name": "pods", "singularName": "pod", "namespaced": True, "kind": "Pod", "verbs": ["get", "list"]},
    {"name": "pods/log", "singularName": "", "namespaced": True, "kind": "Pod", "verbs": ["get"]}]}


def list_of(*items):
    return {"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "9"}, "items": items}


CORE = "/api/v1/namespaces/default"
JOBS = "/apis/kubeflow.org/v1/namespaces/default/pytorchjobs"
ANSWERS = {
    "/api": {"kind": "APIVersions", "versions": ["v1"]},
    "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []},
    "/api/v1": V1,
    f"{CORE}/events": list_of(), f"{CORE}/pods": list_of(POD), f"{CORE}/pods/ddp-master-0": POD,
    JOBS: list_of(JOB), f"{JOBS}/ddp": JOB,
}


def write_log(path, size):
    """Lines as a trainer prints them, each with the kubelet's stamp, a millisecond apart."""
    with open(path, "w", encoding="ascii") as log:
        number = 0
        while log.tell() < size:
            block = []
            for number in range(number + 1, number + 10001):
                seconds, milliseconds = divmod(number, 1000)
                block.append(f"2026-01-02T{seconds // 3600 % 24:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{milliseconds:03}000000Z"
                             f" epoch {number:08} loss 0.1234567 lr 0.0010000 12345.6 samples/s gpu 0 mem 12345 MiB\n")
            log.write("".join(block))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def main():
    folder, size = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) << 20
    write_log(folder / "log.txt", size)
    locations = []
    for number, (path, answer) in enumerate(ANSWERS.items()):
        (folder / f"{number}.json").write_text(json.dumps(answer), encoding="utf-8")
        locations.append(f"    location = {path} {{ alias {folder}/{number}.json; }}")
    locations.append(f"    location = {CORE}/pods/ddp-master-0/log {{ default_type text/plain; alias {folder}/log.txt; }}")
    port = free_port()
    (folder / "nginx.conf").write_text(NGINX.format(dir=folder, port=port, locations="\n".join(locations)), encoding="utf-8")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-keyout", folder / "key.pem", "-out", folder / "cert.pem", "-days", "30", "-subj", "/CN=127.0.0.1",
                    "-addext", "subjectAltName=IP:127.0.0.1"], check=True, stderr=subprocess.DEVNULL)
    cluster = {"server": f"https://127.0.0.1:{port}", "certificate-authority": str(folder / "cert.pem")}
    (folder / "kubeconfig").write_text(json.dumps({
        "clusters": [{"name": "static", "cluster": cluster}], "users": [{"name": "me", "user": {"token": "any"}}],
        "contexts": [{"name": "static", "context": {"cluster": "static", "user": "me"}}], "current-context": "static"}),
        encoding="utf-8")


main()
