# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the demo says at its end: how it went and what to do next, then where everything is, then how to
# stop it.
# shellcheck disable=SC2016,SC2154 # text for another shell; guests.sh
# Needs: OPS, ROOT, STACK, HOME_DIR, AGENT, PROVIDER, RUN, console.sh, demo_processes.sh.

# how_it_went CODE WHAT: the outcome, and what is the case now.
how_it_went() {
  local how='Everything went well'
  [[ $1 -eq 0 ]] || how='Something went wrong, see above'
  printf '\n%s. %s\n' "$how" "$2"
}

# After a run that has stopped what it started.
where_next() {
  how_it_went "$1" 'What the demo started is stopped.'
  cat <<EOF
To ask and look around yourself, have it keep running; it then says how:
  $(printf '%q' "$OPS/demo") --keep
What the worker logged in this run:
  $(stack_call logs worker -n 50)
EOF
}

# keep_running CODE: from now on everything is the user's, and no later demo stops it.
keep_running() {
  local parts part
  mapfile -t parts < <(parts_of_demo)
  write_environment
  how_it_went "$1" 'It all keeps running. To use it, in a shell:'
  cat <<EOF
  . $(printf '%q' "$HOME_DIR/env")
and there:
  ba-agent submit --tenant demo --wait 'Which airline has the carrier code UA?'
      one more question
  ba-agent show $RUN-correction --tenant demo
      the conversation as a time line, with the call that failed
  ba-agent results --max 5
      the results topic, committed records only
  psql service=ba_agent -c 'SELECT job_id, state, attempt FROM ba.jobs'
      the ledger
  $(stack_call logs worker -n 50)
      what the worker logged
EOF
  addresses
  how_to_stop "${parts[@]}"
  for part in "${parts[@]}"; do
    : >"$STACK/$part/started_for"
  done
  KEPT=yes
}

addresses() {
  cat <<EOF

Where it is:
  Kafka        $BA_KAFKA_BROKERS
  PostgreSQL   127.0.0.1:$(part_port postgres), databases ba_agent (user ba_owner) and analytics (user ba_reader);
               passwords in $STACK/postgres/pgpass
EOF
  if [[ -n $PROVIDER ]]; then
    say "  model        $PROVIDER"
  else
    say "  models       $BA_DEMO_LOCAL_URL (smollm2-135m), $BA_DEMO_SCRIPTED_URL (scripted)"
  fi
  cat <<EOF
  worker       $(worker_url)/metrics, /healthz, /readyz
For another program, only the servers' addresses:
  eval "\$($(stack_call env))"
EOF
}

how_to_stop() {
  local part others=()
  say ''
  for part in kafka postgres model; do
    part_pid "$part" >/dev/null || continue
    [[ " $* " == *" $part "* ]] || others+=("$part")
  done
  if [[ ${#others[@]} -eq 0 ]]; then
    printf 'To stop everything:\n  %s\n' "$(stack_call down)"
  else
    printf 'To stop what the demo started (%s ran before):\n  %s\nor all of it:\n  %s\n' "${others[*]}" \
      "$(stack_call down "${kGuests[@]}" "$@")" "$(stack_call down)"
  fi
}

# stack_call COMMAND...: how to call ops/stack from any folder.
stack_call() {
  local call
  call=$(printf '%q %q' "$OPS/stack" "$1")
  shift
  [[ $STACK == "$ROOT/.stack" ]] || call+=$(printf ' --dir %q' "$STACK")
  [[ $# -eq 0 ]] || call+=$(printf ' %q' "$@")
  printf '%s' "$call"
}

# A file for a shell: the stack as it is at that time, and the demo's configuration.
write_environment() {
  local name
  (
    umask 077
    {
      printf 'eval "$(%s)"\n' "$(stack_call env)"
      if [[ -z $PROVIDER ]]; then printf 'unset BA_LLM_BASE_URL BA_LLM_MODEL\n'; fi
      for name in BA_CONFIG BA_DEMO_SKILLS BA_DEMO_LOCAL_URL BA_DEMO_SCRIPTED_URL BA_DEMO_ANALYST BA_DEMO_FILES \
        BA_DEMO_COUNTER BA_DEMO_COUNTER_MESSAGES; do
        [[ -z ${!name:-} ]] || printf 'export %s=%q\n' "$name" "${!name}"
      done
      printf 'export PATH=%q:$PATH\n' "${AGENT%/*}"
    } >"$HOME_DIR/env"
  )
}
