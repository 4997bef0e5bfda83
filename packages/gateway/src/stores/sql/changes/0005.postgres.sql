-- Whether a refused payment has failed on the chain is a column. Gateways of the version before write 0 there: their refused payments
-- are looked up again when they are sent again, which changes nothing.
-- works with: 1

alter table payments add column failed_on_chain bigint not null default 0 check (failed_on_chain in (0, 1));

update payments set failed_on_chain = 1 where state = 'refused' and reason = 'failed on the chain';
