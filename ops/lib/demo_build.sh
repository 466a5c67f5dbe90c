# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Builds what the demo runs, with progress. Needs: ROOT, console.sh.

build() {
  local began log=$ROOT/build/demo-build.log
  began=$(now_ms)
  mkdir -p "$ROOT/build"
  cd "$ROOT" || die "no folder $ROOT"
  if ! build_release 2>&1 | build_progress "$log"; then
    tail -n 30 "$log" >&2
    die "the build failed; its output is in $log"
  fi
  say "build     $(since "$began") s"
}

build_release() {
  cmake --preset release && cmake --build --preset release --target ba-agent ba-scripted-model
}

# On a terminal one line that changes, else a line for each tenth part.
build_progress() {
  local log=$1 line done_steps all tenth=-1
  : >"$log"
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\ (.*) ]] || continue
    done_steps=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]}
    if [[ -t 1 ]]; then
      printf '\r\e[Kbuild     %d of %d  %.60s' "$done_steps" "$all" "${BASH_REMATCH[3]##*/}"
    elif [[ $((done_steps * 10 / all)) -ne $tenth ]]; then
      tenth=$((done_steps * 10 / all))
      say "build     $done_steps of $all"
    fi
  done
  if [[ -t 1 ]]; then printf '\r\e[K'; fi
}
