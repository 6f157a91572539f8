# One who asks who they are would get a wrong answer, or none, or read a secret.
# shellcheck shell=bash

run trainctl whoami
expect_exit 0
expect_out 'known as'
expect_out 'system:authenticated'
run trainctl whoami -o json
expect_exit 0
expect_out '"username":'
