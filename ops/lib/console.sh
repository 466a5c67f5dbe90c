# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the scripts print: progress on stdout, trouble on stderr.

say() { printf '%s\n' "$*"; }
warn() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() {
  warn "$*"
  exit 1
}

# A script calls this when it has read its arguments. BA_ONLY_PARSE is set by the test of the documents'
# command lines (tests/ops/command_checks.py): nothing is done then.
end_if_only_parsed() {
  [[ -n ${BA_ONLY_PARSE:-} ]] || return 0
  say 'the arguments are understood; nothing is done (BA_ONLY_PARSE)'
  exit 0
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
