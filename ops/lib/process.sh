# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Processes that outlive the script. A pid alone is reused by the system, so the time of its start
# and the boot are kept with it: what doesn't fit all three is somebody else's and never signalled.

# "PID START BOOT" of a process that lives (a zombie does not).
process_id() {
  local stat boot fields
  read -r stat 2>/dev/null <"/proc/$1/stat" || return 1
  read -r boot </proc/sys/kernel/random/boot_id
  read -ra fields <<<"${stat##*) }"
  [[ ${fields[0]} != [ZX] ]] || return 1
  printf '%s %s %s\n' "$1" "${fields[19]}" "$boot"
}

# The pid that PIDFILE names, if that very process still lives.
process_alive() {
  local recorded current
  read -r recorded 2>/dev/null <"$1" || return 1
  current=$(process_id "${recorded%% *}") || return 1
  [[ $current == "$recorded" ]] || return 1
  printf '%s' "${recorded%% *}"
}

# Waits until none of the pids of stdin's lines "PID START BOOT" lives. Arguments: seconds.
processes_gone() {
  local line deadline ids
  deadline=$(($(now_ms) + $1 * 1000))
  mapfile -t ids
  for line in "${ids[@]}"; do
    while [[ $(process_id "${line%% *}") == "$line" ]]; do
      [[ $(now_ms) -lt $deadline ]] || return 1
      sleep 0.05
    done
  done
}
