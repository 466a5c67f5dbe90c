# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What `ops/stack` says about a stack without changing it: status, env and logs.
# Needs: STACK, part.sh, the parts.

# "PART STATE PID PORT", state being ready, starting (runs but doesn't serve) or down.
part_report() {
  local pid=- port state=down
  port=$(part_port "$1") || port=-
  if pid=$(part_pid "$1"); then
    state=starting
    if part_is_running_well "$1"; then state=ready; fi
  else
    pid=-
  fi
  printf '%s %s %s %s\n' "$1" "$state" "$pid" "$port"
}

# What ops/demo has started on the stack, in the form of part_report, running or down. The stack isn't
# meant to have it: where it never ran, nothing is said, and where it is down, nothing is amiss.
guest_reports() {
  local guest port pid
  for guest in "${kGuests[@]}"; do
    port=$(part_port "$guest") || continue
    if pid=$(part_pid "$guest"); then
      printf '\n%s running %s %s' "$guest" "$pid" "$port"
    else
      printf '\n%s down - %s' "$guest" "$port"
    fi
  done
}

stack_status() {
  local reports part state pid port code=0
  reports=$(for part in $(stack_parts); do part_report "$part"; done)
  ! grep -qv ' ready ' <<<"$reports" || code=3
  reports+=$(guest_reports)
  if [[ $JSON == yes ]]; then
    status_json "$reports" "$code"
  else
    while read -r part state pid port; do
      printf '%-9s %-9s pid %-8s 127.0.0.1:%s\n' "$part" "$state" "$pid" "$port"
    done <<<"$reports"
  fi
  exit "$code"
}

status_json() {
  local ready=true separator='' part state pid port
  [[ $2 -eq 0 ]] || ready=false
  printf '{"dir":"%s","ready":%s,"parts":{' "$STACK" "$ready"
  while read -r part state pid port; do
    printf '%s"%s":{"state":"%s","pid":%s,"port":%s}' "$separator" "$part" "$state" \
      "${pid/#-/null}" "${port/#-/null}"
    separator=,
  done <<<"$1"
  printf '}}\n'
}

stack_env() {
  local part running=()
  for part in $(stack_parts); do
    if part_pid "$part" >/dev/null; then running+=("$part"); fi
  done
  [[ ${#running[@]} -gt 0 ]] || die "nothing runs in $STACK; to start it: $(up_call)"
  for part in $(stack_parts); do
    [[ " ${running[*]} " == *" $part "* ]] ||
      warn "$part is down in $STACK, its settings are left out; to start it: $(up_call)"
  done
  export_line BA_STACK_DIR "$STACK"
  export_line BA_FILES_DIR "$STACK/files"
  if is_secure; then
    [[ -z $AS ]] || secure_knows "$AS" || die "no login '$AS'; there are: $(secure_logins | xargs)"
    export_line BA_STACK_SECURE "$(secure_home)"
  fi
  for part in "${running[@]}"; do
    "env_$part"
  done
}

# What starts this stack, in the shell that was asked from.
up_call() {
  printf 'ops/stack up%s' "$(! is_secure || echo ' --secure')"
  [[ $STACK == "$(default_stack)" ]] || printf ' --dir %q' "$STACK"
}

export_line() { printf 'export %s=%q\n' "$1" "$2"; }

env_kafka() {
  export_line BA_KAFKA_BROKERS "127.0.0.1:$(part_port kafka)"
  export_line BA_KAFKA_BEHIND_PROXY "127.0.0.1:$(part_port kafka 2)"
  export_line BA_KAFKA_PROXY "127.0.0.1:$(part_port kafka 3)"
  if is_secure && secure_is_user "${AS:-admin}"; then env_kafka_login "${AS:-admin}"; fi
}

# Who runs no other part of the program than one login is for takes its name with --as.
env_kafka_login() {
  local at=BA__KAFKA__PROPERTIES
  export_line ${at}__SECURITY__PROTOCOL SASL_SSL
  export_line ${at}__SSL__CA__LOCATION "$(secure_home)/ca.pem"
  export_line ${at}__SASL__MECHANISM SCRAM-SHA-512
  export_line ${at}__SASL__USERNAME "$1"
  export_line ${at}__SASL__PASSWORD "$(secure_password "kafka-$1")"
}

env_postgres() {
  local role=ba_owner
  ! is_secure || role=$(ledger_role_of "$AS")
  export_line BA_POSTGRES_URL "$(postgres_url "$role" ba_agent)"
  export_line BA_ANALYTICS_URL "$(postgres_url ba_reader analytics)"
  export_line PGSERVICEFILE "$STACK/postgres/services" # psql service=ba_agent, service=analytics
}

# Which role of the ledger goes with a login.
ledger_role_of() {
  case $1 in
    '' | topics-*) printf '%s' "${kLedgerRoles[owner]}" ;;
    *) printf '%s' "${kLedgerRoles[$1]:-${kLedgerRoles[operator]}}" ;;
  esac
}

env_model() {
  if is_secure; then env_secure_model && return; fi
  export_line BA_LLM_BASE_URL "http://127.0.0.1:$(part_port model)/v1"
  export_line BA_LLM_MODEL smollm2-135m
}

stack_logs() {
  local part logs=() options=(-n "$LINES_SHOWN")
  [[ $FOLLOW == no ]] || options+=(-F)
  # shellcheck disable=SC2207 # names of parts
  [[ ${#NAMED[@]} -gt 0 ]] || NAMED=($(stack_parts) "${kGuests[@]}")
  for part in "${NAMED[@]}"; do
    if [[ -e $(part_log "$part") ]]; then logs+=("$(part_log "$part")"); fi
  done
  [[ ${#logs[@]} -gt 0 ]] || die "no logs in $STACK"
  exec tail "${options[@]}" "${logs[@]}"
}
