# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the scripts print: progress on stdout, trouble on stderr.

say() { printf '%s\n' "$*"; }
warn() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() {
  warn "$*"
  exit 1
}

# Milliseconds of a steady-enough clock, without a fork.
now_ms() {
  local t=${EPOCHREALTIME/[.,]/}
  printf '%s' "${t%???}"
}

# Seconds since MS as "1.2".
since() {
  local ms=$(($(now_ms) - $1))
  printf '%d.%d' $((ms / 1000)) $((ms % 1000 / 100))
}
