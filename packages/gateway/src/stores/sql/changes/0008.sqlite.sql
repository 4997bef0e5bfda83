-- Each step of a payment writes all indexes of its state. No query needs these two: unfinished payments are few.
-- works with: 1

drop index payments_unknown;
drop index payments_leased;
