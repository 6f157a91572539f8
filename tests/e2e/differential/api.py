"""A Kubernetes API server as its kubeconfig names it: requests, lists and watches with nothing but Python's own library."""

import base64
import contextlib
import http.client
import json
import os
import ssl
import subprocess
import tempfile
import threading
import time
import urllib.parse


class Cluster:
    """What a kubeconfig names: an https server, its authority, and a client certificate or a token; or the embedded cluster's relay."""

    def __init__(self, kubeconfig):
        self.kubeconfig = kubeconfig
        words = ["kubectl", "--kubeconfig", kubeconfig, "config", "view", "--minify", "--raw", "-o", "json"]
        view = json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout)
        cluster = view["clusters"][0]["cluster"]
        user = view["users"][0]["user"]
        self.address = urllib.parse.urlsplit(cluster["server"])
        self.headers = {"Authorization": "Bearer " + user["token"]} if "token" in user else {}
        self.tls = None
        if self.address.scheme == "http":
            return
        authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
        self.tls = ssl.create_default_context(cadata=authority)
        if "client-key-data" in user:
            self.load_client([base64.b64decode(user[name]) for name in ("client-certificate-data", "client-key-data")])

    def load_client(self, parts):
        """Python's ssl takes a client's certificate and key from a file only."""
        handle, path = tempfile.mkstemp()
        try:
            os.write(handle, b"\n".join(parts))
            os.close(handle)
            self.tls.load_cert_chain(path)
        finally:
            os.unlink(path)

    def connect(self, timeout):
        if not self.tls:
            return http.client.HTTPConnection(self.address.hostname, self.address.port, timeout=timeout)
        return http.client.HTTPSConnection(self.address.hostname, self.address.port, timeout=timeout, context=self.tls)

    def request(self, method, target, body=None, content_type="application/json", accept="application/json", timeout=60):
        """Code, headers and bytes of the answer; body is bytes, text or a value to send as JSON."""
        headers = dict(self.headers, Accept=accept)
        if body is not None:
            headers["Content-Type"] = content_type
            if not isinstance(body, (bytes, str)):
                body = json.dumps(body)
            if isinstance(body, str):
                body = body.encode()
        with contextlib.closing(self.connect(timeout)) as connection:
            connection.request(method, target, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()

    def get(self, target):
        """The object at a path, which must be there."""
        code, _, body = self.request("GET", target)
        if code != 200:
            raise RuntimeError(f"GET {target}: {code} {body[:500]!r}")
        return json.loads(body)

    def make_namespace(self, name):
        """A new one, ready for pods; a namesake of an earlier run may still be on its way out."""
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        deadline = time.monotonic() + 60
        while self.request("POST", "/api/v1/namespaces", namespace)[0] != 201:
            if time.monotonic() > deadline:
                raise RuntimeError(f"the namespace {name} cannot be created")
            time.sleep(0.2)
        while self.request("GET", f"/api/v1/namespaces/{name}/serviceaccounts/default")[0] != 200 and time.monotonic() < deadline:
            time.sleep(0.1)

    def watch(self, path, changed, stop):
        """Starts a thread that calls changed(type, object) with what is there and with every change until stop is set."""
        def lines():
            listed = self.get(path)
            for item in listed["items"]:
                changed("ADDED", item)
            version = listed["metadata"]["resourceVersion"]
            while not stop.is_set():
                target = f"{path}?watch=1&allowWatchBookmarks=true&resourceVersion={version}&timeoutSeconds=2"
                # A busy server cuts connections; what it has sent so far counts.
                with contextlib.suppress(OSError, ValueError, http.client.HTTPException), contextlib.closing(self.connect(20)) as connection:
                    connection.request("GET", target, headers=self.headers)
                    for line in connection.getresponse():
                        event = json.loads(line)
                        if event["type"] == "ERROR":
                            raise RuntimeError(f"watch {path}: {event['object']}")
                        version = event["object"]["metadata"]["resourceVersion"]
                        if event["type"] != "BOOKMARK":
                            changed(event["type"], event["object"])
        thread = threading.Thread(target=lines, daemon=True)
        thread.start()
        return thread
