-- Sums of fees for each minute. Triggers keep them: of steps by gateways of the version before too.
-- works with: 1

-- A fee counts until its own time, rounded up to a minute.
create table fees (
  fee_payer text not null,
  until_ms integer not null,
  lamports integer not null,
  of_new_payers integer not null,
  primary key (fee_payer, until_ms)
) strict, without rowid;

create index fees_by_time on fees (until_ms);

-- A payment is inserted before it has a fee.
create trigger payments_fee_changed after update of fee_payer, fee_until_ms, fee_of_new_payer on payments
  when old.fee_payer is not null or new.fee_payer is not null begin
  update fees set lamports = lamports - old.fee_lamports, of_new_payers = of_new_payers - old.fee_lamports * old.fee_of_new_payer
    where fee_payer = old.fee_payer and until_ms = (old.fee_until_ms / 60000 + 1) * 60000;
  insert into fees (fee_payer, until_ms, lamports, of_new_payers)
    select new.fee_payer, (new.fee_until_ms / 60000 + 1) * 60000, new.fee_lamports, new.fee_lamports * new.fee_of_new_payer
    where new.fee_payer is not null
    on conflict (fee_payer, until_ms) do update
    set lamports = lamports + excluded.lamports, of_new_payers = of_new_payers + excluded.of_new_payers;
end;

create trigger payments_fee_removed after delete on payments when old.fee_payer is not null begin
  update fees set lamports = lamports - old.fee_lamports, of_new_payers = of_new_payers - old.fee_lamports * old.fee_of_new_payer
    where fee_payer = old.fee_payer and until_ms = (old.fee_until_ms / 60000 + 1) * 60000;
end;

insert into fees (fee_payer, until_ms, lamports, of_new_payers)
  select fee_payer, (fee_until_ms / 60000 + 1) * 60000, sum(fee_lamports), sum(fee_lamports * fee_of_new_payer)
  from payments where fee_payer is not null group by 1, 2;

drop index payments_fees;
