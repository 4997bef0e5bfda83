-- Sums of fees for each minute. Triggers keep them: of steps by gateways of the version before too.
-- works with: 1

-- A fee counts until its own time, rounded up to a minute.
create table fees (
  fee_payer text not null,
  until_ms bigint not null,
  lamports bigint not null,
  of_new_payers bigint not null,
  primary key (fee_payer, until_ms)
);

create index fees_by_time on fees (until_ms);

-- A payment is inserted before it has a fee.
create function change_fees() returns trigger language plpgsql as $$
begin
  update fees set lamports = lamports - old.fee_lamports, of_new_payers = of_new_payers - old.fee_lamports * old.fee_of_new_payer
    where fee_payer = old.fee_payer and until_ms = (old.fee_until_ms / 60000 + 1) * 60000;
  if tg_op = 'UPDATE' and new.fee_payer is not null then
    insert into fees (fee_payer, until_ms, lamports, of_new_payers)
      values (new.fee_payer, (new.fee_until_ms / 60000 + 1) * 60000, new.fee_lamports, new.fee_lamports * new.fee_of_new_payer)
      on conflict (fee_payer, until_ms) do update
      set lamports = fees.lamports + excluded.lamports, of_new_payers = fees.of_new_payers + excluded.of_new_payers;
  end if;
  return null;
end $$;

create trigger payments_fee_changed after update of fee_payer, fee_until_ms, fee_of_new_payer on payments
  for each row when (old.fee_payer is not null or new.fee_payer is not null) execute function change_fees();
create trigger payments_fee_removed after delete on payments
  for each row when (old.fee_payer is not null) execute function change_fees();

-- The triggers have locked the payments: no step is missing.
insert into fees (fee_payer, until_ms, lamports, of_new_payers)
  select fee_payer, (fee_until_ms / 60000 + 1) * 60000, sum(fee_lamports), sum(fee_lamports * fee_of_new_payer)
  from payments where fee_payer is not null group by 1, 2;

create or replace function counted_fees(text, bigint, bigint) returns bigint volatile language plpgsql as $$
begin
  insert into fee_payers values ($1) on conflict do nothing;
  perform 1 from fee_payers where name = $1 for update;
  return (select coalesce(sum(case when $3 = 1 then of_new_payers else lamports end), 0) from fees
  where fee_payer = $1 and until_ms > $2);
end $$;

drop index payments_fees;
