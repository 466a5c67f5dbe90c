# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# PostgreSQL 15 as a part of the stack: a cluster of its own, never one of the system's.
# See part.sh for the functions.

readonly kPostgresBin=/usr/lib/postgresql/15/bin
readonly kPostgresAway=/var/tmp/ba-agent-postgres
readonly kSocketPathMax=90 # of the 107 bytes that a socket's name may have, less the file's own

postgres_ports() { echo 1; }
postgres_signal() { echo INT; } # a fast shutdown: sessions are ended, nothing is lost
postgres_grace() { echo 20; }

# The cluster's folder. PostgreSQL refuses to run as root; it then runs as Debian's account for it,
# which may not reach the stack's folder. The cluster is then elsewhere and the stack's folder says
# where, as it is when the path is too long for a socket.
postgres_place() {
  local home=$STACK/postgres place
  if [[ ! -s $home/place ]]; then
    place=$home/cluster
    if [[ $(id -u) -eq 0 || ${#place} -gt kSocketPathMax ]]; then
      postgres_away | delete_folders # of a stack of this name whose folder was deleted
      place=$kPostgresAway.$(od -An -N8 -tx1 /dev/urandom | tr -d ' \n')
    fi
    printf '%s\n' "$place" >"$home/place.new"
    mv "$home/place.new" "$home/place"
  fi
  cat "$home/place"
}

# The clusters elsewhere that say they are this stack's, also when its folder is gone.
postgres_away() {
  grep -lxF -e "$STACK" "$kPostgresAway".????????????????/stack 2>/dev/null | sed 's|/stack$||' || true # grep: none
}

# Server processes lose their parent and their environment is overwritten, but they work here.
postgres_workplace() {
  {
    printf '%s\n' "$STACK/postgres/cluster"
    cat "$STACK/postgres/place" 2>/dev/null
    postgres_away
  } | sort -u | sed 's|$|/data|'
}

# Runs a command under the account that the cluster belongs to.
postgres_as() {
  if [[ $(id -u) -eq 0 ]]; then
    setpriv --reuid=postgres --regid=postgres --init-groups --inh-caps=-all -- "$@"
  else
    "$@"
  fi
}

postgres_ready() {
  "$kPostgresBin/pg_isready" -q -h "$(postgres_admin_host)" -p "$(part_port postgres)" -t 2 -U nobody -d postgres
}

# Of a secure stack the administrator comes by the socket, and nobody else does.
postgres_admin_host() {
  if is_secure; then printf '%s/socket' "$(postgres_place)"; else echo 127.0.0.1; fi
}

postgres_roles() {
  if is_secure; then printf '%s\n' postgres && secure_roles; else printf '%s\n' postgres ba_owner ba_reader; fi
}

# Passwords are made once and are only in files that their owner reads: pgpass has all of them.
postgres_secrets() {
  local pgpass=$STACK/postgres/pgpass role
  [[ ! -s $pgpass ]] || return 0
  (
    umask 077
    for role in $(postgres_roles); do
      printf '*:*:*:%s:%s\n' "$role" "$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')"
    done >"$pgpass.new"
  )
  mv "$pgpass.new" "$pgpass"
}

# The databases as services of libpq (psql service=ba_agent): a password is never on a command line.
postgres_services() {
  local role services=$STACK/postgres/services
  {
    postgres_service ba_agent ba_owner
    postgres_service analytics ba_reader
    if is_secure; then
      for role in worker operator console reader; do
        postgres_service ba_agent "${kLedgerRoles[$role]}" "${kLedgerRoles[$role]}"
      done
    fi
  } >"$services.new"
  mv "$services.new" "$services"
}

# postgres_service DATABASE ROLE [NAME]
postgres_service() {
  printf '[%s]\nhost=127.0.0.1\nport=%s\ndbname=%s\nuser=%s\npassfile=%s\n' "${3:-$1}" \
    "$(part_port postgres)" "$1" "$2" "$STACK/postgres/pgpass"
  ! is_secure || postgres_tls "$2"
  echo
}

# How a role shows its certificate and checks the server's.
postgres_tls() {
  printf 'sslmode=verify-full\nsslrootcert=%s/ca.pem\nsslcert=%s/%s.crt\nsslkey=%s/%s.key\n' \
    "$(secure_home)" "$(secure_home)" "$1" "$(secure_home)" "$1"
}

postgres_password() { awk -F: -v role="$1" '$4 == role {print $5}' "$STACK/postgres/pgpass"; }

# As the server is told it and keeps it.
postgres_verifier() { postgres_password "$1" | /usr/bin/python3 -IS "$OPS/rig/scram.py"; }

postgres_prepare() {
  local place
  place=$(postgres_place) && postgres_secrets && postgres_services || return
  if [[ ! -e $STACK/postgres/complete ]]; then
    rm -rf "$place" # a cluster that was not finished is begun again
    postgres_create "$place" || return
  fi
  ! is_secure || postgres_secure "$place" || return
  postgres_forget_dead "$place/data/postmaster.pid"
  rm -f "$place"/socket/.s.*
  [[ -z ${BA_STACK_SLOW_DISK:-} ]] || install -m 644 "$BA_STACK_SLOW_DISK" "$place/slow_disk.so"
}

# After kill -9 the server's lock file stays. A new server doesn't mind, unless the dead process is
# still in the table of processes because nobody has taken note of its end.
postgres_forget_dead() {
  local pid
  read -r pid 2>/dev/null <"$1" || return 0
  if ! process_id "$pid" >/dev/null; then rm -f "$1"; fi
}

postgres_create() {
  local place=$1
  mkdir -m 700 "$place" && printf '%s\n' "$STACK" >"$place/stack" && mkdir -m 700 "$place/socket" || return
  (umask 077 && postgres_verifier postgres >"$place/password" && postgres_conf "$place" >"$place/stack.conf") || return
  [[ $(id -u) -ne 0 ]] || chown -R postgres:postgres "$place"
  postgres_as "$kPostgresBin/initdb" -D "$place/data" -U postgres --pwfile="$place/password" \
    --auth=scram-sha-256 -E UTF8 --locale=C.UTF-8 --no-sync --no-instructions || return
  rm -f "$place/password"
  printf "include '%s/stack.conf'\n" "$place" >>"$place/data/postgresql.conf"
}

# As a production server would be set up where it matters for what is measured and for what
# survives a crash; the default is kept elsewhere. BA_STACK_FSYNC=off is for tests that crash no machine.
postgres_conf() {
  cat <<EOF
listen_addresses = '127.0.0.1'
unix_socket_directories = '$1/socket'
unix_socket_permissions = 0700
max_connections = 100
shared_buffers = 256MB
fsync = ${BA_STACK_FSYNC:-on}
synchronous_commit = on
wal_compression = lz4
log_line_prefix = '%m [%p] %q%u@%d '
lc_messages = 'C'
EOF
  ! is_secure || cat <<EOF
ssl = on
ssl_ca_file = '$1/ca.pem'
ssl_cert_file = '$1/server.crt'
ssl_key_file = '$1/server.key'
hba_file = '$1/hba.conf'
EOF
}

# Who comes over the network shows a certificate in the name of the role and knows its password.
postgres_hba() {
  cat <<EOF
local   all,replication  postgres                scram-sha-256
host    all              postgres  all           reject
hostssl all              all       127.0.0.1/32  scram-sha-256  clientcert=verify-full
EOF
}

postgres_secure() {
  local place=$1 file
  postgres_hba >"$place/hba.conf" && cp "$(secure_home)/ca.pem" "$place/ca.pem" || return
  for file in crt key; do install -m 600 "$(secure_home)/postgres.$file" "$place/server.$file" || return; done
  [[ $(id -u) -ne 0 ]] || chown postgres:postgres "$place"/{hba.conf,ca.pem,server.crt,server.key}
}

postgres_command() {
  local place
  place=$(postgres_place)
  command=("$kPostgresBin/postgres" -D "$place/data" -p "$(part_port postgres)")
  if [[ $(id -u) -eq 0 ]]; then
    command=(setpriv --reuid=postgres --regid=postgres --init-groups --inh-caps=-all -- "${command[@]}")
  fi
  # For ops/chaos: a library that lets the disk be slow while the file slow_disk is there.
  [[ -z ${BA_STACK_SLOW_DISK:-} ]] ||
    command=(env LD_PRELOAD="$place/slow_disk.so" BA_SLOW_FSYNC="$place/slow_disk" "${command[@]}")
}

postgres_psql() {
  local database=$1
  shift
  PGPASSFILE=$STACK/postgres/pgpass psql -X -q -h "$(postgres_admin_host)" -p "$(part_port postgres)" -U postgres \
    -d "$database" "$@"
}

# Roles, databases and the analytics tables, once.
postgres_finish() {
  local data
  [[ ! -e $STACK/postgres/complete ]] || return 0
  data=$(cached data)
  {
    printf "\\set owner_password '%s'\n" "$(postgres_verifier ba_owner)"
    printf "\\set reader_password '%s'\n" "$(postgres_verifier ba_reader)"
    cat "$OPS/data/roles.sql"
    ! is_secure || postgres_ledger_roles
  } | postgres_psql postgres -f - &&
    postgres_psql analytics -f "$OPS/data/reader.sql" &&
    (cd "$data" && postgres_psql analytics -f "$OPS/data/nycflights13.sql") || return
  : >"$STACK/postgres/complete"
}

# The roles of config/SECURITY.md beside the owner. Their rights come with the schema: ops/stack grant.
postgres_ledger_roles() {
  local role
  for role in worker operator console reader; do
    printf "CREATE ROLE %s LOGIN PASSWORD '%s';\n" "${kLedgerRoles[$role]}" \
      "$(postgres_verifier "${kLedgerRoles[$role]}")"
  done
}

postgres_url() {
  printf 'postgresql://%s:%s@127.0.0.1:%s/%s' "$1" "$(postgres_password "$1")" "$(part_port postgres)" "$2"
  ! is_secure || printf '?%s' "$(postgres_tls "$1" | sed 's/%/%25/g; s/ /%20/g; s/?/%3F/g; s/#/%23/g' | paste -sd '&')"
}

# Deletes the cluster. A folder elsewhere is one that this script has named.
postgres_delete() {
  local place
  postgres_away | delete_folders
  [[ -s $STACK/postgres/place ]] || return 0
  place=$(postgres_place)
  case $place in
    "$STACK/postgres/cluster" | "$kPostgresAway".????????????????) rm -rf "$place" ;;
    *) warn "not deleted, this is not a place of ours: $place" ;;
  esac
}

delete_folders() {
  local folder
  while read -r folder; do rm -rf "$folder"; done
}
