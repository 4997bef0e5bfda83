-- The books' clock, opening entries, indexes for what expires, and locks that are rows.
-- works with: 1

alter table clock add column now_ms integer not null default 0;
alter table clock add column wall_ms integer not null default 0;
alter table clock add column accepted_ms integer not null default 0;
alter table clock add column stepped_ms integer not null default 0;

update clock set now_ms = last_ms + ahead_ms, wall_ms = last_ms;

-- Up to which entry retention has deleted, and since when the journal is complete.
create table books (id integer primary key check (id = 1), pruned_id integer not null, complete_since text) strict;

insert into books values (1, 0, null);

-- The sums of a wallet's deleted entries.
create table openings (
  wallet_id integer primary key references wallets (id),
  at text not null,
  granted_micro_usdc integer not null,
  spent_micro_usdc integer not null
) strict;

drop view journal;

create view journal as select e.id, e.at, e.kind, e.cluster, w.address as wallet, e.route, e.micro_usdc, e.fee_lamports,
  e.signature, e.request_id, e.node from journal_entries e join wallets w on w.id = e.wallet_id
  union all select -w.id, o.at, 'opening', w.cluster, w.address, '', o.granted_micro_usdc - o.spent_micro_usdc, 0, null, '', ''
  from openings o join wallets w on w.id = o.wallet_id;
create index answers_expiring on answers (until_ms) where until_ms is not null;
create index debits_captured on debits (captured_at_ms) where captured_at_ms is not null;
create index debits_held on debits (until_ms) where state = 'held';
create index journal_movements on journal_entries (wallet_id, id) where kind in ('grant', 'debit');

create index payments_unknown on payments (settling_since_ms) where state in ('settling', 'unresolved');

-- Up to which slot each cluster was searched for covered payments, which their memos find.
create table searches (cluster text primary key, slot integer not null) strict;

drop index debits_watched;
create index debits_watched on debits (height) where watch_from_ms is not null;
create index debits_memos on debits (memo) where watch_from_ms is not null;

-- When the outcome of an open payment is looked up next, and when that ended: its payer may then buy the same answer anew.
alter table payments add column search_from_ms integer;
alter table payments add column search_ended_ms integer;

drop index payments_open;
create unique index payments_open on payments (wallet_id, request_hash)
  where state in ('settling', 'unresolved') and search_ended_ms is null;
create index payments_searched on payments (coalesce(search_from_ms, 0))
  where state in ('settling', 'unresolved') and search_ended_ms is null;
