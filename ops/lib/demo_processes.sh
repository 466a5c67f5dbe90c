# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the demo starts and stops: stack, scripted model, worker.
# Needs: OPS, STACK, HOME_DIR, AGENT, DEMO, PROVIDER, RUNNING, console.sh, process.sh, part.sh, guests.sh.

LOCKED=no KEPT=no STOPPED=no

# One demo at a time on a stack, held as descriptor 9. A build that a killed demo left at work still
# holds it, and is waited for.
lock_demo() {
  mkdir -p "$HOME_DIR"
  exec 9>>"$HOME_DIR/lock"
  if ! flock -n 9; then
    say "waiting for another ops/demo on $STACK, or for what a killed one left at work"
    flock 9
  fi
  LOCKED=yes
}

# The worker and the scripted model of a demo that was killed or kept running make room.
stop_earlier_guests() {
  local guest
  for guest in "${kGuests[@]}"; do
    part_stop "$guest"
  done
}

start_stack() {
  local options=() user_url=${BA_LLM_BASE_URL:-} user_model=${BA_LLM_MODEL:-}
  [[ -z $PROVIDER ]] || options+=(--no-model)
  BA_STACK_FOR=demo "$OPS/stack" up --dir "$STACK" "${options[@]}"
  eval "$("$OPS/stack" env --dir "$STACK")"
  if [[ -n $PROVIDER ]]; then
    export BA_LLM_BASE_URL=$user_url BA_LLM_MODEL=$user_model
  else
    export BA_DEMO_LOCAL_URL=$BA_LLM_BASE_URL
    unset BA_LLM_BASE_URL BA_LLM_MODEL
  fi
}

# The parts that were started for a demo, this one or one that was killed: the others stay as they are.
parts_of_demo() {
  local part
  for part in kafka postgres model; do
    if [[ $(cat "$STACK/$part/started_for" 2>/dev/null) == demo ]]; then printf '%s\n' "$part"; fi
  done
}

write_configuration() {
  export BA_CONFIG=$HOME_DIR/config.yaml BA_DEMO_SKILLS=$DEMO/skills
  cp "$DEMO/config.yaml" "$BA_CONFIG"
  [[ -z $PROVIDER ]] || return 0
  cat "$DEMO/stand-ins.yaml" >>"$BA_CONFIG"
  export BA_DEMO_ANALYST=scripted-messages BA_DEMO_FILES=scripted-chat BA_DEMO_COUNTER=smollm2-135m \
    BA_DEMO_COUNTER_MESSAGES=smollm2-135m-messages
}

scripted_command() {
  # shellcheck disable=SC2034 # read by part_launch
  command=("$ROOT/build/release/ba-scripted-model" --script "$DEMO/script.yaml"
    --port "$(part_port scripted)")
}

scripted_ready() { curl -s -o /dev/null --max-time 2 "http://127.0.0.1:$(part_port scripted)/"; }

start_models() {
  [[ -z $PROVIDER ]] || return 0
  part_start scripted any || exit 1
  BA_DEMO_SCRIPTED_URL=http://127.0.0.1:$(part_port scripted)
  export BA_DEMO_SCRIPTED_URL
}

worker_command() {
  # shellcheck disable=SC2034 # read by part_launch
  command=(env "BA_HTTP_PORT=$(part_port worker)" "$AGENT" worker)
}

worker_ready() { curl -fs -o /dev/null --max-time 2 "$(worker_url)/readyz"; }

worker_url() { printf 'http://127.0.0.1:%s' "$(part_port worker)"; }

start_worker() {
  "$AGENT" migrate
  "$AGENT" topics create
  part_start worker any || exit 1
}

clean_up() {
  trap '' INT TERM HUP
  [[ -z $RUNNING ]] || kill "$RUNNING" 2>/dev/null || true
  [[ $KEPT == no && $STOPPED == no && $LOCKED == yes ]] || return 0
  stop_what_was_started
}

stop_what_was_started() {
  local parts
  mapfile -t parts < <(parts_of_demo)
  "$OPS/stack" down --dir "$STACK" "${kGuests[@]}" "${parts[@]}"
  STOPPED=yes
}
