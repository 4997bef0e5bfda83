-- Each step of a payment writes all indexes of its state. No query needs this one: unfinished payments are few. Gateways of the version
-- before search payments_leased every 30 s, so a later change drops it, once none of them can run.
-- works with: 1

drop index payments_unknown;
