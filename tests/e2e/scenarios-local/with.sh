# A package of --with would be missing when the program starts, or replace what the image has.
# clusters: local (nothing but --local)
# shellcheck shell=bash

# wheel NAME VERSION [REQUIRES]: makes a package whose module says its version.
wheel() {
  python3 - "$@" <<'PY'
import os, sys, zipfile
name, version, requires = (sys.argv[1:] + [""])[:3]
os.makedirs("wheels", exist_ok=True)
about = f"{name}-{version}.dist-info"
metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n" + (f"Requires-Dist: {requires}\n" if requires else "")
with zipfile.ZipFile(f"wheels/{name}-{version}-py3-none-any.whl", "w") as wheel:
    wheel.writestr(f"{name}.py", f'version = "{version}"\n')
    wheel.writestr(f"{about}/METADATA", metadata)
    wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr(f"{about}/RECORD", "")
PY
}
wheel tcpart 1.0 pip
wheel tcpart 2.0 pip
wheel tcwhole 1.0 tcpart
index=(--env PIP_NO_INDEX=1 --env "PIP_FIND_LINKS=$PWD/wheels")
echo 'tcpart==1.0' >constraints.txt

# The dependency comes too, in the version that the constraints allow; pip itself is there already.
run trainctl submit-pytorch --local --name with --no-master --workers=1 --follow "${index[@]}" --env "PIP_CONSTRAINT=$PWD/constraints.txt" \
  --env PYTHONPATH=/none --with tcwhole -- python3 -c 'import os, tcpart, tcwhole
print("has", tcwhole.version, tcpart.version, os.environ["PYTHONPATH"], sorted(os.listdir("/trainctl/site")))'
expect_exit 0
expect_out "has 1.0 1.0 /trainctl/site:/none .*tcwhole.py'\]$"
refute_out "'pip"
run trainctl logs --local with -c packages
expect_exit 0
expect_out 'installed: .*tcwhole==1.0'

# A package that does not exist ends the wait with the words of pip.
run trainctl submit-pytorch --local --name none --workers=0 --follow --start-timeout 30s "${index[@]}" --with tcnone -- true
expect_exit 9
expect_err 'init container packages exited .*tcnone'

# The script that is run in the pod, in an image without pip, and in one without either program.
script=$(trainctl submit-pytorch --workers=0 -i x --with a --dry-run -o json |
  jq -r '.spec.pytorchReplicaSpecs.Master.template.spec.initContainers[0].command[2]')
mkdir bin
printf '#!/bin/sh\nexit 1\n' >bin/python3
# shellcheck disable=SC2016 # expanded by the stand-in
printf '#!/bin/sh\nprintf "[%%s]" "$@"\n' >bin/uv
chmod +x bin/*
run env "PATH=$PWD/bin" PIP_INDEX_URL=https://index.test /bin/sh -c "$script" packages a 'b==1; python_version > "3"'
expect_exit 0
expect_out '^\[pip\]\[install\]\[--target\].*\[--index-url\]\[https://index.test\]\[--\]\[a\]\[b==1; python_version > "3"\]$'
rm bin/uv
run env "PATH=$PWD/bin" /bin/sh -c "$script" packages a
expect_exit 127
expect_err 'neither pip nor uv'
