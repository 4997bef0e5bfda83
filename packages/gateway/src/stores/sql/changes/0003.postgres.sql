-- Uncharged calls are rows. Their columns in wallets stay for gateways of the version before.
-- works with: 1

create table uncharged_calls (
  wallet_id bigint not null references wallets (id),
  at_ms bigint not null
);

insert into uncharged_calls (wallet_id, at_ms)
  select w.id, cast(each.value as bigint) from wallets w, jsonb_array_elements_text(cast(w.uncharged_at_ms as jsonb)) as each (value)
  where w.uncharged_at_ms <> '[]';

create index uncharged_calls_of_wallet on uncharged_calls (wallet_id, at_ms);
create index uncharged_calls_by_time on uncharged_calls (at_ms);
