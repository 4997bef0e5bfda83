-- The tables of money.
-- works with: 1

create table wallets (
  id integer primary key,
  cluster text not null check (cluster in ('mainnet', 'devnet')),
  address text not null,
  version text not null default '',
  in_flight text not null default '[]',
  calls text not null default '[]',
  paid text not null default '[]',
  granted_micro_usdc integer not null default 0 check (granted_micro_usdc >= 0),
  spent_micro_usdc integer not null default 0 check (spent_micro_usdc >= 0),
  held_micro_usdc integer not null default 0 check (held_micro_usdc >= 0),
  holds integer not null default 0 check (holds >= 0),
  uncharged_at_ms text not null default '[]',
  failing_until_ms integer not null default 0,
  idle_since_ms integer,
  unique (cluster, address),
  check (held_micro_usdc <= granted_micro_usdc - spent_micro_usdc)
) strict;

create table payments (
  key text primary key,
  wallet_id integer not null references wallets (id),
  request_hash text not null,
  source text not null,
  memo text,
  price_usd text not null,
  micro_usdc integer not null check (micro_usdc >= 0),
  credit_micro_usdc integer not null check (credit_micro_usdc >= 0),
  transaction_base64 text not null,
  requirement text not null,
  owner text not null,
  route text not null,
  request_id text not null,
  resource_url text,
  state text not null check (state in ('reserved', 'settling', 'unresolved', 'settled', 'refused')),
  leased_until_ms integer,
  signature text,
  height integer,
  reason text,
  settling_since_ms integer,
  resolved_at_ms integer,
  forget_at_ms integer,
  owed_until_ms integer,
  calls integer not null default 0,
  fee_lamports integer not null check (fee_lamports >= 0),
  fee_payer text,
  fee_until_ms integer,
  fee_of_new_payer integer not null default 0 check (fee_of_new_payer in (0, 1)),
  check (state not in ('reserved', 'settling') or leased_until_ms is not null),
  check (state <> 'settled' or signature is not null),
  check (state not in ('settling', 'unresolved') or settling_since_ms is not null)
) strict;

create table debits (
  number integer primary key,
  id text not null unique,
  wallet_id integer not null references wallets (id),
  micro_usdc integer not null check (micro_usdc >= 0),
  paid_by text not null check (paid_by in ('signature', 'payment')),
  route text not null,
  request_hash text not null,
  request_id text not null,
  owner text not null,
  memo text,
  resource_url text,
  state text not null check (state in ('held', 'captured')),
  until_ms integer not null,
  captured_at_ms integer,
  owed_until_ms integer,
  calls_again integer not null default 0,
  watch_from_ms integer,
  height integer,
  check (state <> 'captured' or captured_at_ms is not null)
) strict;

-- A table of its own, so that rows of payments and debits stay small: each is written several times.
create table answers (
  number integer primary key,
  key text not null unique,
  until_ms integer,
  bytes integer not null check (bytes >= 0),
  answer text not null
) strict;

create table journal_entries (
  id integer primary key,
  at text not null,
  kind text not null check (kind in ('settlement', 'grant', 'debit', 'refusal')),
  cluster text not null check (cluster in ('mainnet', 'devnet')),
  wallet_id integer not null references wallets (id),
  route text not null,
  micro_usdc integer not null check (micro_usdc >= 0),
  fee_lamports integer not null check (fee_lamports >= 0),
  signature text,
  request_id text not null,
  node text not null,
  key text,
  is_repair integer not null default 0 check (is_repair in (0, 1)),
  check (kind not in ('settlement', 'grant') or signature is not null)
) strict;

-- Unique: an open payment per wallet and request, a settlement per transaction, an entry per kind and payment.
create index payments_of_wallet on payments (wallet_id, request_hash);
create unique index payments_open on payments (wallet_id, request_hash) where state in ('settling', 'unresolved');
create unique index payments_settled on payments (signature) where state = 'settled';
create index payments_buying on payments (wallet_id)
  where credit_micro_usdc > 0 and state in ('reserved', 'settling', 'unresolved');
create index payments_leased on payments (leased_until_ms) where leased_until_ms is not null;
create index payments_fees on payments (fee_payer, fee_until_ms, fee_of_new_payer, fee_lamports)
  where fee_payer is not null;
create index payments_forgotten on payments (forget_at_ms) where forget_at_ms is not null;
create index debits_unfinished on debits (wallet_id, request_hash) where state = 'held' or owed_until_ms is not null;

-- For the foreign keys, when a wallet is deleted.
create index debits_of_wallet on debits (wallet_id);
create index debits_watched on debits (watch_from_ms) where watch_from_ms is not null;
create index journal_by_time on journal_entries (at);
create index journal_by_wallet on journal_entries (wallet_id);
create unique index journal_keys on journal_entries (kind, key) where key is not null;
create unique index journal_settlements on journal_entries (signature) where kind = 'settlement';
create index wallets_idle on wallets (idle_since_ms) where idle_since_ms is not null;

create view journal as select e.id, e.at, e.kind, e.cluster, w.address as wallet, e.route, e.micro_usdc, e.fee_lamports,
  e.signature, e.request_id, e.node from journal_entries e join wallets w on w.id = e.wallet_id;

create view credit_balances as select cluster, address as wallet, granted_micro_usdc, spent_micro_usdc,
  granted_micro_usdc - spent_micro_usdc as balance_micro_usdc, held_micro_usdc from wallets where granted_micro_usdc > 0;

create view open_payments as select p.key, w.cluster, w.address as wallet, p.route, p.micro_usdc, p.state,
  strftime('%Y-%m-%dT%H:%M:%fZ', p.settling_since_ms / 1000.0, 'unixepoch') as since, p.signature from payments p join wallets w on w.id = p.wallet_id
  where p.state in ('settling', 'unresolved');

create view sales_by_hour as select substr(at, 1, 13) || ':00:00.000Z' as hour, cluster, route,
  sum(case when kind = 'settlement' then 1 else 0 end) as sales,
  cast(sum(case when kind = 'settlement' then micro_usdc else 0 end) as bigint) as micro_usdc,
  cast(sum(fee_lamports) as bigint) as fee_lamports
  from journal_entries where kind in ('settlement', 'refusal') group by 1, 2, 3;

create table clock (id integer primary key check (id = 1), last_ms integer not null, ahead_ms integer not null) strict;
insert into clock values (1, 0, 0);

-- Of one process in DATA_DIR: its settings and, without Redis, used nonces and held slots.
create table settings (name text primary key, value text not null) strict;

create table admissions (
  id integer primary key,
  nonce text,
  issued_at_seconds integer,
  budget text,
  frees_at_ms real,
  frees_at_monotonic_ms real,
  hold_ms real
) strict;
