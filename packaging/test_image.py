"""test_image.py ARCHIVE DIRECTORY: checks an OCI archive by its own digests and unpacks its layers to DIRECTORY."""

import gzip
import hashlib
import io
import json
import sys
import tarfile


def main(archive, directory):
    with tarfile.open(archive) as tar:
        files = {member.name: tar.extractfile(member).read() for member in tar if member.isfile()}

    def blob(descriptor):
        content = files[f"blobs/sha256/{descriptor['digest'].removeprefix('sha256:')}"]
        assert f"sha256:{hashlib.sha256(content).hexdigest()}" == descriptor["digest"], descriptor
        assert len(content) == descriptor["size"], descriptor
        return content

    assert json.loads(files["oci-layout"]) == {"imageLayoutVersion": "1.0.0"}
    (entry,) = json.loads(files["index.json"])["manifests"]
    manifest = json.loads(blob(entry))
    config = json.loads(blob(manifest["config"]))
    assert config["config"]["Entrypoint"] == ["/bin/trainctl"] and config["config"]["User"] == "65534:65534"
    diffs = config["rootfs"]["diff_ids"]
    assert len(diffs) == len(manifest["layers"])
    for descriptor, diff in zip(manifest["layers"], diffs):
        plain = gzip.decompress(blob(descriptor))
        assert f"sha256:{hashlib.sha256(plain).hexdigest()}" == diff, diff
        with tarfile.open(fileobj=io.BytesIO(plain)) as layer:
            layer.extractall(directory)
    # Docker reads this file instead of the index.
    (docker,) = json.loads(files["manifest.json"])
    assert docker["Config"].endswith(manifest["config"]["digest"].removeprefix("sha256:"))
    assert [name.rpartition("/")[2] for name in docker["Layers"]] == [one["digest"][7:] for one in manifest["layers"]]


main(*sys.argv[1:])
