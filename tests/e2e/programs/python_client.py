"""Calls the official Python client over everything that an API server with the training operator serves.

Its models refuse an object that lacks a required field, so that each call is also a check of the answer.
"""
import sys

from kubernetes import client, config, watch

NAMESPACE = "default"
CLUSTER_WIDE = {"node", "namespace"}
KINDS = ["node", "namespace", "pod", "service", "event", "config_map", "secret", "persistent_volume_claim", "service_account"]
JOBS = ["pytorchjobs", "tfjobs", "mpijobs", "xgboostjobs", "paddlejobs", "jaxjobs"]


def read_everything(core):
    for kind in KINDS:
        everywhere = kind if kind in CLUSTER_WIDE else f"{kind}_for_all_namespaces"
        items = getattr(core, f"list_{everywhere}")().items
        if kind not in CLUSTER_WIDE:
            items += getattr(core, f"list_namespaced_{kind}")(NAMESPACE).items
        for item in items:
            place = [] if kind in CLUSTER_WIDE else [item.metadata.namespace]
            call = f"read_{kind}" if kind in CLUSTER_WIDE else f"read_namespaced_{kind}"
            again = getattr(core, call)(item.metadata.name, *place)
            assert again.metadata.uid == item.metadata.uid, (kind, item.metadata.name)
        print(kind, len(items))


def change_a_config_map(core):
    body = client.V1ConfigMap(metadata=client.V1ObjectMeta(name="of-python"), data={"a": "1"})
    core.create_namespaced_config_map(NAMESPACE, body)
    core.patch_namespaced_config_map("of-python", NAMESPACE, {"data": {"b": "2"}})
    found = core.read_namespaced_config_map("of-python", NAMESPACE)
    assert found.data == {"a": "1", "b": "2"}, found.data
    found.data = {"c": "3"}
    assert core.replace_namespaced_config_map("of-python", NAMESPACE, found).data == {"c": "3"}
    core.delete_namespaced_config_map("of-python", NAMESPACE)


def follow_a_job(core, custom):
    container = {"name": "pytorch", "image": "any", "command": ["echo", "trained"]}
    job = {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"name": "of-python"},
        "spec": {"pytorchReplicaSpecs": {"Master": {"replicas": 1, "template": {"spec": {"containers": [container]}}}}},
    }
    custom.create_namespaced_custom_object("kubeflow.org", "v1", NAMESPACE, "pytorchjobs", job)
    for event in watch.Watch().stream(core.list_namespaced_pod, NAMESPACE, timeout_seconds=60):
        if event["object"].status.phase == "Succeeded":
            break
    else:
        sys.exit("the pod did not succeed")
    assert core.read_namespaced_pod_log("of-python-master-0", NAMESPACE) == "trained\n"


def main():
    config.load_kube_config()
    core, custom = client.CoreV1Api(), client.CustomObjectsApi()
    client.VersionApi().get_code()
    client.ApisApi().get_api_versions()
    core.get_api_resources()
    change_a_config_map(core)
    follow_a_job(core, custom)
    read_everything(core)
    for plural in JOBS:
        custom.list_cluster_custom_object("kubeflow.org", "v1", plural)
        custom.list_namespaced_custom_object("kubeflow.org", "v1", NAMESPACE, plural)
    custom.get_namespaced_custom_object_status("kubeflow.org", "v1", NAMESPACE, "pytorchjobs", "of-python")
    custom.delete_namespaced_custom_object("kubeflow.org", "v1", NAMESPACE, "pytorchjobs", "of-python")
    print("all calls answered")


main()
