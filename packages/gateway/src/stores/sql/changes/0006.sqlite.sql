-- Look-ups of a payment read only payments that are open or owed. A wallet that buys one answer every second has 86,400 others.
-- works with: 1

create index payments_due on payments (wallet_id, request_hash) where state in ('settling', 'unresolved') or owed_until_ms is not null;

-- With the state as a column SQLite prefers it to an index of all payments.
drop index payments_unfinished;
create index payments_unfinished on payments (wallet_id, state) where state in ('reserved', 'settling', 'unresolved');

-- For the foreign key, when a wallet is deleted.
drop index payments_of_wallet;
create index payments_of_wallet on payments (wallet_id);
