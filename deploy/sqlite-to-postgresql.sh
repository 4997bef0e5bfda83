#!/usr/bin/env bash
# Copies payments and credit from DATA_DIR/gateway.db to the PostgreSQL at DATABASE_URL:
#   DATA_DIR=… DATABASE_URL=postgres://… deploy/sqlite-to-postgresql.sh
# First start a gateway on the empty PostgreSQL database once, which creates the tables, and stop all gateways. Needs
# sqlite3 and psql.
set -euo pipefail
umask 077
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
copy=()
for table in wallets payments debits answers journal_entries; do
  sqlite3 -csv -header -nullvalue '\N' "$DATA_DIR/gateway.db" "select * from $table" >"$folder/$table.csv"
  [ -s "$folder/$table.csv" ] || continue
  columns=$(head -n 1 "$folder/$table.csv" | tr -d '\r')
  copy+=(-c "\\copy $table ($columns) from '$folder/$table.csv' csv header null '\\N'")
done
# One transaction: everything is copied, or nothing.
psql "$DATABASE_URL" --quiet --no-psqlrc --single-transaction --set ON_ERROR_STOP=1 "${copy[@]}" -c "
do \$\$ declare counter record; begin
  for counter in select * from (values ('wallets', 'id'), ('debits', 'number'), ('answers', 'number'), ('journal_entries', 'id')) as c (t, k)
  loop execute format('select setval(pg_get_serial_sequence(%L, %L), coalesce(max(%I), 0) + 1, false) from %I', counter.t, counter.k, counter.k, counter.t);
  end loop;
end \$\$"
