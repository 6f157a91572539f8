"""oci.py VERSION COMMIT ARCHITECTURE PROGRAM FILE: writes an image with nothing but the static program, as an OCI archive.

`podman load`, `ctr images import` and `skopeo` read it, and by its manifest.json `docker load`. Needs none of them, and
gives equal bytes for equal input.

There is no CA bundle in it: a pod trusts its cluster by the CA of its service account, and a bundle would grow stale in
an image that nothing else ages.
"""

import gzip
import hashlib
import io
import json
import os
import pathlib
import sys
import tarfile
import time

MOMENT = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
NOBODY = "65534:65534"


def digest(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


def entry(name, mode, content=None):
    """A file with this content, or without it a directory."""
    info = tarfile.TarInfo(name)
    info.mode, info.mtime = mode, MOMENT
    if content is None:
        info.type = tarfile.DIRTYPE
    else:
        info.size = len(content)
    return info, content


def archive(entries):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for info, content in entries:
            tar.addfile(info, None if content is None else io.BytesIO(content))
    return stream.getvalue()


def layer(program):
    # /tmp is for code that is packed and copies that are resumed, whoever runs the image.
    return archive([entry("bin", 0o755), entry("bin/trainctl", 0o755, program), entry("tmp", 0o1777)])


def as_json(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def descriptor(media_type, content, **more):
    return {"mediaType": f"application/vnd.oci.image.{media_type}", "digest": digest(content), "size": len(content), **more}


def image(version, commit, architecture, program):
    """The files of the archive: names and contents."""
    plain = layer(program)
    packed = gzip.compress(plain, 9, mtime=0)
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(MOMENT))
    labels = {
        "org.opencontainers.image.title": "trainctl",
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.licenses": "Apache-2.0",
        "org.opencontainers.image.created": created,
    }
    if commit:
        labels["org.opencontainers.image.revision"] = commit
    config = as_json({
        "created": created,
        "architecture": architecture,
        "os": "linux",
        "config": {"User": NOBODY, "Env": ["PATH=/bin"], "Entrypoint": ["/bin/trainctl"], "WorkingDir": "/", "Labels": labels},
        "rootfs": {"type": "layers", "diff_ids": [digest(plain)]},
        "history": [{"created": created, "created_by": "script/package"}],
    })
    manifest = as_json({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": descriptor("config.v1+json", config),
        "layers": [descriptor("layer.v1.tar+gzip", packed)],
        "annotations": labels,
    })
    name = f"docker.io/library/trainctl:{version}"
    index = as_json({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [descriptor("manifest.v1+json", manifest, platform={"architecture": architecture, "os": "linux"},
                                 annotations={"io.containerd.image.name": name, "org.opencontainers.image.ref.name": version})],
    })
    blobs = {f"blobs/sha256/{digest(blob)[7:]}": blob for blob in (packed, config, manifest)}
    docker = as_json([{"Config": f"blobs/sha256/{digest(config)[7:]}", "RepoTags": [f"trainctl:{version}"],
                       "Layers": [f"blobs/sha256/{digest(packed)[7:]}"]}])
    return {"oci-layout": as_json({"imageLayoutVersion": "1.0.0"}), "index.json": index, "manifest.json": docker, **blobs}


def main(version, commit, architecture, program, file):
    files = sorted(image(version, commit, architecture, pathlib.Path(program).read_bytes()).items())
    folders = [entry("blobs", 0o755), entry("blobs/sha256", 0o755)]
    pathlib.Path(file).write_bytes(archive(folders + [entry(name, 0o644, content) for name, content in files]))


main(*sys.argv[1:])
