# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Steps of ops/test and ops/hunt: commands with a log, which end when their script does.
# Needs: LOGS, console.sh.

RUNNING=''
STEP_QUIET=no # yes: what a step says is in its log alone

# step NAME COMMAND...: with its output on the screen (if not STEP_QUIET) and in LOGS, and its time. It runs in a process
# group of its own, so that this script can act on a signal at once and end all of it.
step() {
  local name=$1 began code=0
  shift
  began=$(now_ms)
  say "== $name"
  set -m
  logged "$LOGS/$name.log" "$@" </dev/null &
  RUNNING=$!
  set +m
  wait "$RUNNING" || code=$?
  RUNNING=''
  say "== $name: $(since "$began") s"
  return "$code"
}

logged() {
  local log=$1
  shift
  if [[ $STEP_QUIET == yes ]]; then
    "$@" >"$log" 2>&1
    return
  fi
  "$@" 2>&1 | tee "$log"
  return "${PIPESTATUS[0]}"
}

step_stop() {
  [[ -n $RUNNING ]] || return 0
  kill -TERM -- "-$RUNNING" 2>/dev/null
  wait "$RUNNING" 2>/dev/null
  RUNNING=''
}
