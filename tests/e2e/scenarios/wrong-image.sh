# A user who mistypes an image would wait for ever for a job that cannot start.
# clusters: real (the embedded one ignores the image and runs programs of this machine: none can be mistyped)
# shellcheck shell=bash

before=$SECONDS
run trainctl submit-pytorch --name typo --workers=1 -i trainctl.test/no-such-image:1 --follow --start-timeout 5s
expect_exit 9
expect_err 'master-0|worker-0'
expect_err 'ErrImagePull|ImagePullBackOff'
expect_err 'no-such-image'
((SECONDS - before < 300)) || fail 'it waited as long as for what may pass by itself'
