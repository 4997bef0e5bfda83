-- Payments that have failed on the chain count on all nodes.
-- works with: 1

create index payments_failed on payments (wallet_id, resolved_at_ms) where failed_on_chain = 1;
