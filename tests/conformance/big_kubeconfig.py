"""Writes a kubeconfig of 5 MB with 2000 contexts, the last one for the server given: big_kubeconfig.py FILE SERVER CA-FILE."""
import base64
import random
import sys

path, server, ca_file = sys.argv[1:]
random.seed(1)
noise = base64.b64encode(random.randbytes(1100)).decode()
with open(ca_file, "rb") as file:
    ca = base64.b64encode(file.read()).decode()
lists = {"clusters": [], "users": [], "contexts": []}
for number in range(2000):
    last = number == 1999
    where, trusted = (server, ca) if last else (f"https://k{number}.test", noise)
    lists["clusters"].append(f"- name: k{number}\n  cluster:\n    certificate-authority-data: {trusted}\n    server: {where}\n")
    proof = "token: last-token" if last else f"client-certificate-data: {noise[:800]}\n    client-key-data: {noise[:300]}"
    lists["users"].append(f"- name: u{number}\n  user:\n    {proof}\n")
    lists["contexts"].append(f"- name: c{number}\n  context:\n    cluster: k{number}\n    user: u{number}\n")
with open(path, "w", encoding="utf-8") as file:
    file.write("apiVersion: v1\nkind: Config\ncurrent-context: c1999\n")
    file.writelines(f"{name}:\n{''.join(items)}" for name, items in lists.items())
