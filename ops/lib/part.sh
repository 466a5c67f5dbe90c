# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Start, stop and state of one part of a stack, the same for kafka, postgres, model and for what runs on
# the stack (guests.sh). What differs is in the functions PART_ports (how many), PART_prepare, PART_command
# (sets the array `command`), PART_ready, PART_finish (once it is ready), PART_signal, PART_grace (seconds
# to stop in) and PART_workplace (folders where only this part works, one per line, or nothing).
# Needs: OPS, STACK (the stack's folder), console.sh, process.sh.

readonly kStartTries=5
readonly kWaitSeconds=${BA_STACK_WAIT_SECONDS:-240} # on a busy machine a broker takes minutes
readonly kSlowSeconds=30                            # then it is said that there is waiting

# The folder of the stack that is meant when none is named.
default_stack() { realpath -m -- "${BA_STACK_DIR:-$(dirname "$OPS")/.stack}"; }

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
    while read -r workplace; do
      find /proc/[0-9]*/cwd -maxdepth 0 \( -lname "$workplace" -o -lname "$workplace (deleted)" \) 2>/dev/null
    done < <("$1_workplace")
  )
}

# Fewer than are needed are from a time when the part had fewer.
part_has_ports() { [[ $(wc -w 2>/dev/null <"$STACK/$1/ports") -ge $("$1_ports") ]]; }

# The ports of last time where they are free; none of them at a further TRY.
part_choose_ports() {
  local part=$1 try=$2 home wished=()
  home=$(part_home "$part")
  [[ $try -gt 1 || ! -s $home/ports ]] || read -ra wished <"$home/ports"
  /usr/bin/python3 -IS "$OPS/lib/ports.py" "$("${part}_ports")" "${wished[@]}" >"$home/ports.new"
  mv "$home/ports.new" "$home/ports"
}

# Whom the part was started for is kept beside it (BA_STACK_FOR, nothing for the user): ops/demo stops
# what was started for it and nothing else.
part_launch() {
  local part=$1 home
  local -a command=()
  home=$(part_home "$part")
  "${part}_command"
  printf '%s' "${BA_STACK_FOR:-}" >"$home/started_for"
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
  local part=$1 began told=no waited
  began=$(now_ms)
  until "${part}_ready"; do
    part_pid "$part" >/dev/null || return 1
    kill -0 $$ 2>/dev/null || exit 1
    waited=$((($(now_ms) - began) / 1000))
    [[ $waited -lt $kWaitSeconds ]] || return 2
    if [[ $waited -ge $kSlowSeconds && $told == no ]]; then
      part_line "$part" 'is slow' "it is waited for up to $kWaitSeconds s, its log: $(part_log "$part")"
      told=yes
    fi
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
    if [[ $choice == any ]] || ! part_has_ports "$part"; then part_choose_ports "$part" "$try"; fi
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
    grep -qiE 'in use|could ?n.t bind|failed to bind' <<<"$(tail -n 20 "$home/log")" || break
    part_line "$part" 'port taken' 'trying again'
    [[ $choice == any ]] || sleep 1
  done
  if [[ $outcome -eq 1 ]]; then
    part_complain "$part" 'ended while starting'
  else
    part_complain "$part" "is not ready after $kWaitSeconds s"
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
