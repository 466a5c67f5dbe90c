# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Levels of ops/test side by side. Those that wait for servers leave most of the processor to those that
# compute, which run at low priority and are the last of their lane.
# Levels of different lanes share nothing: each has servers, ports, topics, databases and folders of its own.
# Within a lane they run one after the other.
# Needs: chosen(), test_levels.sh.

readonly kLanes=('mcp stack postgres simulation fuzz' 'chaos demo' 'server domain integration')
readonly -A kNiceness=([simulation]=10 [fuzz]=10)
LANES=()

# What is chosen of the lanes. What a level says is in its log; the screen has its beginning and end.
run_lanes() {
  local lane
  for lane in "${kLanes[@]}"; do
    set -m
    run_lane "$lane" </dev/null &
    LANES+=($!)
    set +m
  done
  wait "${LANES[@]}"
  LANES=()
}

# A lane is a process, and stops what it runs when it is ended.
run_lane() {
  LANES=()
  trap 'step_stop; test_stack_remove' EXIT
  trap 'exit 130' INT TERM HUP
  STEP_QUIET=yes
  local level
  for level in $1; do
    chosen "$level" || continue
    # Whoever started it may have been nicer.
    [[ -z ${kNiceness[$level]:-} ]] || renice -n "${kNiceness[$level]}" -p "$BASHPID" >/dev/null 2>&1 || true
    run_level "$level"
  done
}

lanes_stop() {
  [[ ${#LANES[@]} -gt 0 ]] || return 0
  kill -TERM "${LANES[@]}" 2>/dev/null
  wait "${LANES[@]}" 2>/dev/null
  LANES=()
}

# How many lanes have something to do.
lanes_chosen() {
  local lane level count=0
  for lane in "${kLanes[@]}"; do
    for level in $lane; do
      if chosen "$level"; then count=$((count + 1)) && break; fi
    done
  done
  printf '%s' "$count"
}
