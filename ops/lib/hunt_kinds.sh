# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What ops/hunt does of each kind: it searches for so many seconds, keeps what it finds, and says what it did.
# A kind that could not be run is told, too: a hunt that saw nothing must have looked.
# Needs: OPS, ROOT, LOGS, FINDINGS, SEED, JOBS, console.sh, step.sh.

BROKEN=() DONE=()
readonly FOUND_MAX=20 # histories that break something, after which no others are tried
readonly HISTORIES_DAILY=200000 KILLS_DAILY=300 FUZZ_SECONDS_DAILY=15
readonly HISTORIES_AT_ONCE=10000
readonly STATEMENTS_AT_ONCE=500 # of ba-hunt, which looks for traces behind as many

# finding NAME COMMAND: keeps what stdin says of it. It may be called in a subshell.
finding() {
  local file=$FINDINGS/$1.txt
  mkdir -p "$FINDINGS"
  { printf 'again: %s\n' "$2" && cat; } >"$file"
  printf '%s\n' "$1" >>"$LOGS/found"
  say "finding: ${file#"$ROOT/"}"
  say "  again: $2"
}

# How much was found so far.
found() { wc -l <"$LOGS/found"; }

# judge KIND CODE KNOWN: it failed, and found no more than was known: it did not run.
judge() {
  [[ $2 -eq 0 || $(found) -gt $3 ]] || could_not_run "$1"
}

# could_not_run KIND: its log says why.
could_not_run() {
  BROKEN+=("$1")
  warn "$1 could not be run; its output is in ${LOGS#"$ROOT/"}/$1.log"
}

# build_for TARGET...: of the preset release.
build_for() {
  (cd "$ROOT" && cmake --preset release && cmake --build --preset release -j "$JOBS" --target "$@") >"$LOGS/build.log" 2>&1 &&
    return
  tail -n 20 "$LOGS/build.log" >&2
  warn "the build failed; its output is in ${LOGS#"$ROOT/"}/build.log"
  return 1
}

# tally WHAT COUNT DAILY: against what a day's hunt should come to.
tally() {
  local short=''
  [[ $2 -ge $3 ]] || short="; a day's hunt comes to $3"
  DONE+=("$1: $2$short")
}

hunt_statements() {
  local seconds=$1 code=0 known line
  known=$(found)
  build_for ba-hunt || { could_not_run statements && return; }
  step statements "$ROOT/build/release/ba-hunt" --seconds "$seconds" --seed "$SEED" --statements 1000000000 || code=$?
  while read -r line; do
    keep_statement "$line"
  done < <(grep -a '^violation: ' "$LOGS/statements.log")
  judge statements "$code" "$known"
  line=$(grep -aE '^[0-9]+ generated' "$LOGS/statements.log" | tail -n 1)
  DONE+=("statements: ${line:-none}")
}

# keep_statement "violation: seed S, statement K: SQL", or "seed S, statements from K on, …".
keep_statement() {
  [[ $1 =~ seed\ ([0-9]+),\ statement(s from)?\ ([0-9]+) ]] || return
  local seed=${BASH_REMATCH[1]} from=${BASH_REMATCH[3]} count=1
  [[ -z ${BASH_REMATCH[2]} ]] || count=$STATEMENTS_AT_ONCE
  grep -aF -A 1 -- "$1" "$LOGS/statements.log" |
    finding "statements-$seed-$from" "ops/hunt statements --statements $count --seed $seed --from $from"
}

# The time is shared by the targets; building them, which takes minutes the first time, is not counted.
hunt_fuzz() {
  local seconds code=0 known targets began=$LOGS/fuzz.began input
  known=$(found)
  targets=$("$OPS/fuzz" --targets | wc -l)
  seconds=$(($1 / ((targets + JOBS - 1) / JOBS))) # they run JOBS at a time
  [[ $seconds -gt 0 ]] || seconds=1
  touch "$began"
  step fuzz "$OPS/fuzz" --seconds "$seconds" --seed "$SEED" --jobs "$JOBS" || code=$?
  while read -r input; do
    keep_input "$input"
  done < <(find "$ROOT/build/fuzz/crashes" -type f -newer "$began" ! -name '*-slow-unit-*' 2>/dev/null | LC_ALL=C sort)
  judge fuzz "$code" "$known"
  tally 'fuzz, seconds a target' "$seconds" "$FUZZ_SECONDS_DAILY"
}

# keep_input build/fuzz/crashes/TARGET-crash-…: as a seed, with which the level quick fails until it is mended.
keep_input() {
  local name=${1##*/} target hash seed
  target=${name%%-*}
  hash=$(sha256sum <"$1")
  seed=tests/fuzz/seeds/$target/${hash:0:16}
  cp "$1" "$ROOT/$seed"
  tail -n 40 "$ROOT/build/fuzz/logs/$target.log" |
    finding "fuzz-$target-${hash:0:16}" "build/fuzz/fuzz_$target $seed"
  say "  it is a seed now, with which the level quick fails until it is mended"
}

hunt_simulation() {
  local code=0 known histories
  known=$(found)
  build_for ba-simulate || { could_not_run simulation && return; }
  step simulation simulate "$1" || code=$?
  judge simulation "$code" "$known"
  histories=$(sed -nE 's/^([0-9]+) histories in all$/\1/p' "$LOGS/simulation.log")
  tally histories "${histories:-0}" "$HISTORIES_DAILY"
}

# simulate SECONDS: one batch at least. What a batch says is on the screen only where that is of use.
simulate() {
  local until from=$((SEED * 10000000)) histories=0 code=0 log=$LOGS/histories.log known
  known=$(found)
  until=$(($(now_ms) + $1 * 1000))
  while [[ $code -eq 0 && $(found) -lt $((known + FOUND_MAX)) ]]; do
    "$OPS/simulate" --histories "$HISTORIES_AT_ONCE" --from "$from" --jobs "$JOBS" --gentle >"$log" 2>&1 || code=$?
    grep -aE ' broke an invariant$' "$log"
    if [[ $code -ne 0 ]] && keep_histories "$log"; then code=0; fi
    histories=$((histories + HISTORIES_AT_ONCE)) from=$((from + HISTORIES_AT_ONCE))
    [[ $(now_ms) -lt $until ]] || break
  done
  [[ $code -eq 0 ]] || { tail -n 30 "$log" && return "$code"; }
  say "$histories histories in all"
  [[ $(found) -eq $known ]]
}

# keep_histories LOG: each "seed N: …", with the command that replays it in a smaller world where that stands there.
# Fails where there is none.
keep_histories() {
  local line seed command any=1
  while read -r line; do
    any=0 seed=${line#seed }
    seed=${seed%%:*}
    command=$(grep -aoE "ops/simulate --seed $seed --trace.*" "$1" | head -n 1)
    finding "simulation-$seed" "${command:-ops/simulate --seed $seed --trace}" <<<"$line"
  done < <(grep -aE '^seed [0-9]+: ' "$1")
  return "$any"
}

hunt_chaos() {
  local options=(--minutes "$(($1 / 60 + 1))" --seed "$((SEED * 1000))") code=0 known kills
  known=$(found)
  build_for ba-agent ba-agent-crash ba-scripted-model ba_slow_fsync || { could_not_run chaos && return; }
  [[ $(id -u) -eq 0 ]] || options+=(--without-disk)
  step chaos "$OPS/chaos" "${options[@]}" || code=$?
  keep_runs "ops/chaos ${options[*]}"
  judge chaos "$code" "$known"
  kills=$(sed -nE 's/.*; ([0-9]+) kills in all\)$/\1/p' "$LOGS/chaos.log" | tail -n 1)
  tally kills "${kills:-0}" "$KILLS_DAILY"
}

# keep_runs CAMPAIGN: each "FAILED seed N: …" with what stands below it, and what the campaign as a whole lacks.
keep_runs() {
  local line seed number=0
  while read -r line; do
    if [[ $line =~ ^FAILED\ seed\ ([0-9]+): ]]; then
      seed=${BASH_REMATCH[1]}
      awk -v head="FAILED seed $seed:" 'index($0, head) == 1 {on = 1; print; next} on && /^ / {print; next} {on = 0}' \
        "$LOGS/chaos.log" | finding "chaos-$seed" "ops/chaos --runs 1 --seed $seed"
    else
      number=$((number + 1))
      finding "chaos-campaign-$SEED-$number" "$1" <<<"$line"
    fi
  done < <(grep -a '^FAILED ' "$LOGS/chaos.log")
}
