# Where the controllers of newer generations are; sourced by beyond/build and up, after common.sh.
# shellcheck shell=bash disable=SC2034,SC2154 # the names are for those who source this; $here and $cache are common.sh's

beyond=$cache/beyond-$(cat "$here"/beyond/go/*/* "$here"/{beyond/build,go.sh} | content_key)
