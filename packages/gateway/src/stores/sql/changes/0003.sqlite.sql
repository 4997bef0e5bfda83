-- Uncharged calls are rows. Their columns in wallets stay for gateways of the version before.
-- works with: 1

create table uncharged_calls (
  wallet_id integer not null references wallets (id),
  at_ms integer not null
) strict;

insert into uncharged_calls (wallet_id, at_ms)
  select w.id, each.value from wallets w, json_each(w.uncharged_at_ms) each where w.uncharged_at_ms <> '[]';

create index uncharged_calls_of_wallet on uncharged_calls (wallet_id, at_ms);
create index uncharged_calls_by_time on uncharged_calls (at_ms);
