-- Whether a refused payment has failed on the chain is a column. Gateways of the version before write 0 there: their refused payments
-- are looked up again when they are sent again, which changes nothing.
-- works with: 1

alter table payments add column failed_on_chain integer not null default 0 check (failed_on_chain in (0, 1));

update payments set failed_on_chain = 1 where state = 'refused' and reason = 'failed on the chain';

-- Upstream calls that no payment has paid for are rows too, those of one reservation together. What rows say is no longer repeated in
-- lists of wallets, whose columns stay for gateways of the version before. While both versions run, each counts its own calls.
alter table uncharged_calls add column payment_key text;
alter table uncharged_calls add column calls integer not null default 1;

insert into uncharged_calls (wallet_id, payment_key, at_ms)
  select w.id, json_extract(each.value, '$.key'), json_extract(each.value, '$.atMs') from wallets w, json_each(w.calls) as each where w.calls <> '[]';

create index uncharged_calls_of_payment on uncharged_calls (payment_key) where payment_key is not null;

update payments set calls = (select count(*) from uncharged_calls where payment_key = payments.key)
  where state in ('reserved', 'settling', 'unresolved');

drop index payments_buying;
create index payments_unfinished on payments (wallet_id) where state in ('reserved', 'settling', 'unresolved');
