"""The machine of one case: a home, files, servers, proxies, plugins, and the names its data use for them."""
import asyncio
import base64
import copy
import os
import re
import shutil
import ssl

import yaml

from harness.plugin import Plugin
from harness.proxy import Proxy
from harness.server import ScriptedServer
from httpd.connection import server_context

KUBECONFIG = {
    "apiVersion": "v1", "kind": "Config", "current-context": "test",
    "clusters": [{"name": "lab", "cluster": {"server": "https://<api>", "certificate-authority-data": "<base64:cluster-ca.pem>"}}],
    "users": [{"name": "ann", "user": {"token": "ann-token"}}],
    "contexts": [{"name": "test", "context": {"cluster": "lab", "user": "ann"}}],
}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class World:
    def __init__(self, case, folder, certificates, protocol):
        self.case = case
        self.folder = folder
        self.certificates = certificates
        self.protocol = protocol
        self.names = {}
        self.servers = {}
        self.proxies = {}
        self.plugins = {}
        self.listeners = []
        self.moved = asyncio.Event()
        for name in ("home", "work", "bin", "account"):
            os.makedirs(os.path.join(folder, name))
            self.names[name] = os.path.join(folder, name)
        self.names["certs"] = certificates
        self.names["suite"] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

    # The event to wait for may have happened already.
    def changed(self):
        self.moved.set()

    async def until(self, is_so):
        while not is_so():
            self.moved.clear()
            try:  # files that plugins write notify nobody
                await asyncio.wait_for(self.moved.wait(), 0.02)
            except asyncio.TimeoutError:
                pass

    def expand(self, value):
        """Data with <names> replaced: servers and proxies (host:port), home, work, bin, certs, pem:F, base64:F; and copies made."""
        if isinstance(value, dict):
            return {key: self.expand(item) for key, item in value.items()}
        if isinstance(value, list):
            return [one for item in value for one in self.copies(item)]
        return re.sub(r"<([a-z0-9][\w:./-]*)>", self.name, value) if isinstance(value, str) else value

    def copies(self, item):
        """An item of a list; `{each: N, of: ITEM}` is N of them, where <n> is 0, 1, ..."""
        if not (isinstance(item, dict) and set(item) == {"each", "of"}):
            return [self.expand(item)]
        made = []
        for number in range(item["each"]):
            self.names["n"] = number
            made.append(self.expand(item["of"]))
        del self.names["n"]
        return made

    def name(self, match):
        word = match.group(1)
        kind, _, file = word.partition(":")
        if kind in ("pem", "base64") and file:
            text = read(os.path.join(self.certificates, file))
            return text if kind == "pem" else base64.b64encode(text.encode()).decode()
        if kind == "port" and file in self.names:
            return self.names[file].rpartition(":")[2]
        return str(self.names.get(word, match.group(0)))

    async def start(self):
        servers = self.case.get("servers") or {"api": self.case.get("server") or []}
        for name, described in servers.items():
            await self.start_server(name, described)
        for name, described in (self.case.get("proxies") or {}).items():
            await self.start_proxy(name, dict(described))
        for server in self.servers.values():
            server.script(self.expand(server.options.get("exchanges", [])))
        for path, answers in (self.case.get("plugins") or {}).items():
            path = self.expand(path) if "/" in path else os.path.join(self.names["bin"], path)
            records = os.path.join(self.folder, "records-" + os.path.basename(path))
            self.plugins[os.path.basename(path)] = Plugin(path, records, self.expand(answers))
        self.write_kubeconfig()
        for path, text in (self.case.get("files") or {}).items():
            self.write(path, text)
        for path, target in (self.case.get("links") or {}).items():
            path = self.path(path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.symlink(self.expand(target), path)
        for path in self.case.get("directories") or []:
            os.makedirs(self.path(path), exist_ok=True)

    async def start_server(self, name, described):
        options = {"exchanges": described} if isinstance(described, list) else dict(described)
        context = None
        if options.get("tls", True):
            context = self.context(options)
        server = ScriptedServer(self.changed, context=context, most_streams=options.get("streams", 100),
                                tells_late=options.get("late-limit", False), handshakes=options.get("handshakes", []))
        host = options.get("host", "127.0.0.1")
        listener = await asyncio.get_running_loop().create_server(server.protocol, host, options.get("port", 0))
        server.listener = listener
        server.options = options
        self.listeners.append(listener)
        port = listener.sockets[0].getsockname()[1]
        self.names[name] = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self.servers[name] = server

    def context(self, options, certificate=None):
        base = os.path.join(self.certificates, certificate or options.get("certificate", "server"))
        clients = os.path.join(self.certificates, "cluster-ca.pem")
        alpn = ("h2", "http/1.1") if self.protocol == "h2" else ("http/1.1",)
        required = options.get("client-certificate") == "required"
        return server_context(base + ".pem", base + ".key", options.get("alpn", alpn), clients, required)

    async def start_proxy(self, name, options):
        context = None
        if options.pop("tls", False):
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            base = os.path.join(self.certificates, "server")
            context.load_cert_chain(base + ".pem", base + ".key")
        proxy = Proxy(options.pop("kind", "connect"), self.changed, context=context, **options)
        self.names[name] = f"127.0.0.1:{await proxy.start()}"
        self.proxies[name] = proxy

    def write_kubeconfig(self):
        """`kubeconfig`: text, or a whole mapping, or false; `cluster`, `user`, `context` change the usual one."""
        given = self.case.get("kubeconfig")
        if given is False:
            return
        if given is None:
            given = copy.deepcopy(KUBECONFIG)
            cluster, user = given["clusters"][0]["cluster"], given["users"][0]
            for key, value in (self.case.get("cluster") or {}).items():
                cluster[key] = value
                if value is None:
                    del cluster[key]
            user["user"] = self.case.get("user", user["user"])
            given["contexts"][0]["context"].update(self.case.get("context") or {})
        self.write("<home>/.kube/config", given)
        os.chmod(self.path("<home>/.kube/config"), 0o600)

    def path(self, path):
        return os.path.join(self.names["work"], self.expand(path))

    def write(self, path, content):
        """`content`: text, bytes, or a mapping that becomes YAML."""
        path = self.path(path)
        content = self.expand(content)
        if not isinstance(content, (str, bytes)):
            content = yaml.safe_dump(content, sort_keys=False)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())

    async def stop(self):
        for listener in self.listeners:
            listener.close()
        for server in self.servers.values():
            await server.stop()
        for proxy in self.proxies.values():
            await proxy.stop()
        for plugin in self.plugins.values():
            plugin.end()
        shutil.rmtree(self.folder, ignore_errors=True)
