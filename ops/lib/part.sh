# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Start, stop and state of one part of a stack, the same for kafka, postgres and model. What differs
# is in the functions PART_ports (how many), PART_prepare, PART_command (sets the array `command`),
# PART_ready, PART_finish (once it is ready), PART_signal, PART_grace (seconds to stop in) and
# PART_workplace (a folder where only this part works, or nothing).
# Needs: OPS, STACK (the stack's folder), console.sh, process.sh.

readonly kStartTries=5

part_home() { printf '%s/%s' "$STACK" "$1"; }
part_log() { printf '%s/%s/log' "$STACK" "$1"; }
part_pid() { process_alive "$STACK/$1/pid"; }

# The Nth (from 0) of the part's ports.
part_port() {
  local ports
  read -ra ports 2>/dev/null <"$STACK/$1/ports" || return 1
  printf '%s' "${ports[${2:-0}]}"
}

part_is_ready() { part_pid "$1" >/dev/null && "$1_ready"; }

# The part's processes, whatever became of the pid file: "PID START BOOT" per line. They bear the mark
# that they were started with, or work in the folder that PART_workplace names.
part_processes() {
  local file workplace
  while read -r file; do
    file=${file#/proc/}
    process_id "${file%%/*}" || true
  done < <(
    grep -lzxF -e "BA_STACK_PART=$1@$STACK" /proc/[0-9]*/environ 2>/dev/null
    workplace=$("$1_workplace")
    [[ -z $workplace ]] || find /proc/[0-9]*/cwd -maxdepth 0 -lname "$workplace" 2>/dev/null
  )
}

# The ports of last time where they are free; none of them at a further TRY.
part_choose_ports() {
  local part=$1 try=$2 home wished=()
  home=$(part_home "$part")
  [[ $try -gt 1 || ! -s $home/ports ]] || read -ra wished <"$home/ports"
  /usr/bin/python3 -IS "$OPS/lib/ports.py" "$("${part}_ports")" "${wished[@]}" >"$home/ports.new"
  mv "$home/ports.new" "$home/ports"
}

part_launch() {
  local part=$1 home
  local -a command=()
  home=$(part_home "$part")
  "${part}_command"
  rm -f "$home/pid"
  printf '%(%F %T)T starting\n' -1 >>"$home/log"
  BA_STACK_PART="$part@$STACK" setsid --fork "$OPS/lib/record_and_run" "$home/pid" "${command[@]}" \
    </dev/null >>"$home/log" 2>&1
  local tries
  for ((tries = 0; tries < 200; tries++)); do
    [[ ! -s $home/pid ]] || return 0
    sleep 0.05
  done
  return 1
}

# 0 when ready, 1 when it ended, 2 when the time is up. Where the script itself has been killed, what
# is left of it ends here and with that gives up the lock.
part_await() {
  local part=$1 deadline=$(($(now_ms) + ${BA_STACK_WAIT_SECONDS:-90} * 1000))
  until "${part}_ready"; do
    part_pid "$part" >/dev/null || return 1
    kill -0 $$ 2>/dev/null || exit 1
    [[ $(now_ms) -lt $deadline ]] || return 2
    sleep 0.1
  done
}

# Starts a part that isn't running and returns when it serves. CHOICE of ports: "keep", or "any" that are free.
part_start() {
  local part=$1 choice=$2 began try outcome home
  began=$(now_ms)
  home=$(part_home "$part")
  (umask 077 && mkdir -p "$home")
  for ((try = 1; try <= kStartTries; try++)); do
    if [[ ! -s $home/ports || $choice == any ]]; then part_choose_ports "$part" "$try"; fi
    "${part}_prepare" >>"$home/log" 2>&1 || { part_complain "$part" 'could not be prepared' && return 1; }
    part_launch "$part" || { part_complain "$part" 'could not be started' && return 1; }
    outcome=0
    part_await "$part" || outcome=$?
    if [[ $outcome -eq 0 ]]; then
      "${part}_finish" >>"$home/log" 2>&1 || { part_complain "$part" 'could not be set up' && return 1; }
      part_line "$part" ready "$(since "$began") s"
      return 0
    fi
    [[ $outcome -eq 1 ]] || break
    tail -n 20 "$home/log" | grep -qiE 'address already in use|in use|could ?n.t bind|failed to bind' || break
    part_line "$part" 'port taken' 'trying again'
    [[ $choice == any ]] || sleep 1
  done
  if [[ $outcome -eq 1 ]]; then
    part_complain "$part" 'ended while starting'
  else
    part_complain "$part" "is not ready after ${BA_STACK_WAIT_SECONDS:-90} s"
  fi
  return 1
}

part_line() { say "$(printf '%-9s %-10s 127.0.0.1:%s%s' "$1" "$2" "$(part_port "$1")" "${3:+  $3}")"; }

part_complain() {
  warn "$1 $2; the end of $(part_log "$1"):"
  tail -n 15 "$(part_log "$1")" | sed 's/^/    /' >&2
}

# Ends a part and every process that bears its mark.
part_stop() {
  local part=$1 pid id began
  began=$(now_ms)
  if pid=$(part_pid "$part") && id=$(process_id "$pid"); then
    kill -s "$("${part}_signal")" "$pid" 2>/dev/null || true
    if ! processes_gone "$("${part}_grace")" <<<"$id"; then
      warn "$part did not stop in $("${part}_grace") s and is killed"
    fi
    part_kill "$part"
    say "$(printf '%-9s stopped    %s s' "$part" "$(since "$began")")"
  else
    part_kill "$part"
  fi
  rm -f "$STACK/$part/pid"
}

# kill -9 of the part as it is: the process first, then what it had started.
part_kill() {
  local part=$1 pid ids=()
  if pid=$(part_pid "$part"); then
    mapfile -t ids < <(process_id "$pid" && part_children "$pid")
    kill -KILL "$pid" 2>/dev/null || true
  fi
  mapfile -t -O "${#ids[@]}" ids < <(part_processes "$part")
  [[ ${#ids[@]} -gt 0 ]] || return 0
  local id
  for id in "${ids[@]}"; do
    if [[ $(process_id "${id%% *}") == "$id" ]]; then kill -KILL "${id%% *}" 2>/dev/null || true; fi
  done
  printf '%s\n' "${ids[@]}" | processes_gone 10 || die "$part: some of its processes don't end"
}

part_children() {
  local child
  for child in $(pgrep -P "$1" || true); do
    process_id "$child" || true
  done
}
