# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the demo starts and stops: stack, scripted model, worker.
# Needs: OPS, HOME_DIR, AGENT, DEMO, PROVIDER, SUBMIT_PID, console.sh.

readonly kReadySeconds=60

STARTED_STACK=no WORKER_PID='' MODEL_PID=''

start_stack() {
  local options=() user_url=${BA_LLM_BASE_URL:-} user_model=${BA_LLM_MODEL:-}
  [[ -z $PROVIDER ]] || options+=(--no-model)
  "$OPS/stack" status >/dev/null 2>&1 || STARTED_STACK=yes
  "$OPS/stack" up "${options[@]}"
  eval "$("$OPS/stack" env)"
  if [[ -n $PROVIDER ]]; then
    export BA_LLM_BASE_URL=$user_url BA_LLM_MODEL=$user_model
  else
    export BA_DEMO_LOCAL_URL=$BA_LLM_BASE_URL
    unset BA_LLM_BASE_URL BA_LLM_MODEL
  fi
}

write_configuration() {
  export BA_CONFIG=$HOME_DIR/config.yaml
  cp "$DEMO/config.yaml" "$BA_CONFIG"
  [[ -z $PROVIDER ]] || return 0
  cat "$DEMO/stand-ins.yaml" >>"$BA_CONFIG"
  export BA_DEMO_ANALYST=scripted-messages BA_DEMO_FILES=scripted-chat BA_DEMO_COUNTER=smollm2-135m
}

# The scripted model prints its address on its first line.
start_models() {
  [[ -z $PROVIDER ]] || return 0
  rm -f "$HOME_DIR/scripted-model.url"
  setsid "$ROOT/build/release/ba-scripted-model" --script "$DEMO/script.yaml" \
    >"$HOME_DIR/scripted-model.url" 2>"$HOME_DIR/scripted-model.log" </dev/null &
  MODEL_PID=$!
  await "the scripted model" "$MODEL_PID" "$HOME_DIR/scripted-model.log" \
    test -s "$HOME_DIR/scripted-model.url"
  BA_DEMO_SCRIPTED_URL=$(head -n 1 "$HOME_DIR/scripted-model.url")
  export BA_DEMO_SCRIPTED_URL
}

start_worker() {
  BA_HTTP_PORT=$(/usr/bin/python3 -IS "$OPS/lib/ports.py" 1)
  export BA_HTTP_PORT
  "$AGENT" migrate
  "$AGENT" topics create
  setsid "$AGENT" worker >"$HOME_DIR/worker.log" 2>&1 </dev/null &
  WORKER_PID=$!
  await "the worker" "$WORKER_PID" "$HOME_DIR/worker.log" \
    curl -fs -o /dev/null --max-time 2 "http://127.0.0.1:$BA_HTTP_PORT/readyz"
  say "worker    ready (its log: $HOME_DIR/worker.log, metrics: http://127.0.0.1:$BA_HTTP_PORT/metrics)"
}

# await NAME PID LOG COMMAND...: until the command succeeds; ends the demo if the process does.
await() {
  local name=$1 pid=$2 log=$3 deadline=$(($(now_ms) + kReadySeconds * 1000))
  shift 3
  until "$@"; do
    if ! kill -0 "$pid" 2>/dev/null; then
      tail -n 20 "$log" >&2
      die "$name ended; its log: $log"
    fi
    if [[ $(now_ms) -gt $deadline ]]; then
      tail -n 20 "$log" >&2
      die "$name was not ready within $kReadySeconds s; its log: $log"
    fi
    sleep 0.1
  done
}

# A file with the environment and one that stops everything, for --keep.
write_keep_files() {
  local name
  (
    umask 077
    {
      "$OPS/stack" env
      if [[ -z $PROVIDER ]]; then printf 'unset BA_LLM_BASE_URL BA_LLM_MODEL\n'; fi
      for name in BA_CONFIG BA_HTTP_PORT BA_DEMO_LOCAL_URL BA_DEMO_SCRIPTED_URL BA_DEMO_ANALYST \
        BA_DEMO_FILES BA_DEMO_COUNTER; do
        [[ -z ${!name:-} ]] || printf 'export %s=%q\n' "$name" "${!name}"
      done
      printf 'export PATH=%q\n' "${AGENT%/*}:$PATH"
    } >"$HOME_DIR/env"
  )
  {
    printf '#!/bin/sh\nkill %s\n' "$WORKER_PID $MODEL_PID"
    if [[ $STARTED_STACK == yes ]]; then printf 'exec %q down\n' "$OPS/stack"; fi
  } >"$HOME_DIR/stop"
  chmod +x "$HOME_DIR/stop"
  KEPT=yes
}

KEPT=no

clean_up() {
  trap '' INT TERM HUP
  [[ $KEPT == no ]] || return 0
  stop_process "$SUBMIT_PID"
  stop_process "$WORKER_PID"
  stop_process "$MODEL_PID"
  if [[ $STARTED_STACK == yes ]]; then "$OPS/stack" down; fi
}

# A worker finishes its steps first.
stop_process() {
  [[ -n $1 ]] || return 0
  kill "$1" 2>/dev/null || true
  wait "$1" 2>/dev/null || true
}
