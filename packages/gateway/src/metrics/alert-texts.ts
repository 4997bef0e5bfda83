// Written from deploy/prometheus/alerts.yaml.
export const ALERTS = {
  "NoNodeReady": {
    "severity": "page",
    "means": "No node is ready, or none is scraped.",
    "advice": "Check Redis first, then the pods, then the scrape target."
  },
  "NodeNotReady": {
    "severity": "ticket",
    "means": "One node cannot reach Redis, or does not finish stopping.",
    "advice": "Check the network between the node and Redis; restart the node."
  },
  "StateStoreUnavailable": {
    "severity": "page",
    "means": "Signed or paid requests are refused.",
    "advice": "Check Redis and the database: is one down, full (`maxmemory`, disk), read-only, a replica?"
  },
  "DatabaseUnreachable": {
    "severity": "page",
    "means": "A node cannot reach the database of money; paid requests and credit get 503.",
    "advice": "Check PostgreSQL: is it up, in recovery, out of connections? Then the network; with SQLite, the disk of `DATA_DIR`."
  },
  "ClockJumped": {
    "severity": "page",
    "means": "The wall clock of the PostgreSQL server, or with SQLite of this machine, jumped by more than an hour; nothing is deleted until that is undone.",
    "advice": "Correct it. If it is right now: `asset-gateway sales clock --accept`."
  },
  "CommitsSlow": {
    "severity": "ticket",
    "means": "One commit in a hundred takes longer than 250 ms; PostgreSQL's fail after 400 ms.",
    "advice": "Check the database's disk and CPU, long transactions, a slow synchronous standby."
  },
  "DiskFilling": {
    "severity": "ticket",
    "means": "Less than 15 % of a disk is free: a Kubernetes volume (kubelet) or a machine's disk (node_exporter).",
    "advice": "Use a larger disk or a smaller `SALES_KEEP_DAYS`; move other files."
  },
  "BudgetExhausted": {
    "severity": "ticket",
    "means": "More than a fifth of the valid requests to a route get 429.",
    "advice": "Check `asset_gateway_share_refusals_total`: one client's share, or the whole budget? If the whole, get a larger upstream contract and raise the limit."
  },
  "SignInFailuresSurge": {
    "severity": "ticket",
    "means": "More sign-ins fail than pass.",
    "advice": "Check `result`: `nonce` means replays or secrets that differ between nodes, `domain` a wrong `GATEWAY_BASE_URL`, `signature` forgeries or a broken client. They cost no budget."
  },
  "UpstreamFailing": {
    "severity": "ticket",
    "means": "A tenth of a route's answers are upstream failures.",
    "advice": "Check the upstream's status page and `reason` in the log."
  },
  "UpstreamLeftAlone": {
    "severity": "page",
    "means": "An upstream keeps failing; the gateway has stopped calling it.",
    "advice": "Check the upstream's status page and `reason` in the log. The gateway retries by itself."
  },
  "UpstreamRefusesOurKey": {
    "severity": "page",
    "means": "An upstream's key is revoked or wrong.",
    "advice": "Replace the key and restart."
  },
  "UpstreamKeySetAside": {
    "severity": "ticket",
    "means": "One of several keys is revoked or wrong; the others serve.",
    "advice": "Remove or replace the key at `place`, counted from 1, in `TOKENS_API_KEY`."
  },
  "CacheForgoesDemand": {
    "severity": "ticket",
    "means": "Clients request more different data than the budget can fetch.",
    "advice": "Add a key to `TOKENS_API_KEY`, raise the budget, or lengthen bounds in `APIS_FILE`: docs/cache.md."
  },
  "UpstreamAsksForPause": {
    "severity": "ticket",
    "means": "The upstream counts more calls than the gateway.",
    "advice": "Lower the limit; check whether the key is used elsewhere."
  },
  "SettlementsUnresolved": {
    "severity": "page",
    "means": "A payment's outcome has been unknown for five minutes.",
    "advice": "Is `SOLANA_*_RPC_URL` up to date and set? A payer may be waiting; no payer is charged twice."
  },
  "SettlementUnknownForLong": {
    "severity": "page",
    "means": "A payment's outcome has been unknown for ten minutes; a transaction lands within two or never.",
    "advice": "Run `asset-gateway sales unresolved`. Is `SOLANA_*_RPC_URL` up to date and set?"
  },
  "MarginBelowZero": {
    "severity": "ticket",
    "means": "In the last hour fees exceeded sales, at `SOL_PRICE_USD`.",
    "advice": "Find the route with docs/sales.md; raise `SETTLEMENT_FEE_USD_MICROS` or your own price, or sell credit."
  },
  "PaymentsUnavailable": {
    "severity": "page",
    "means": "All payments are refused.",
    "advice": "Check the facilitator or the RPC. If the hour's fee budget is used up, find out by which wallets."
  },
  "FeePayerBalanceLow": {
    "severity": "page",
    "means": "The fee payer has less than 0.1 SOL, two hours of the default fee budget.",
    "advice": "Send it SOL, no tokens."
  },
  "SalesClosed": {
    "severity": "page",
    "means": "The fee payer cannot pay the next fee; payments get 503 and stay unused.",
    "advice": "Send it SOL; sales reopen within five seconds."
  },
  "EventLoopDelayed": {
    "severity": "ticket",
    "means": "The process blocks for more than 200 ms at a time.",
    "advice": "Add nodes."
  },
  "Overloaded": {
    "severity": "ticket",
    "means": "More than 64 calls (asset data) or 32 (a provider) are in flight on a node.",
    "advice": "Is the upstream slow? If not, add nodes."
  },
  "LogLost": {
    "severity": "ticket",
    "means": "The reader of a node's log has died; the node serves but logs nothing.",
    "advice": "Restart the log collector, then the node."
  },
  "BackgroundWorkFails": {
    "severity": "ticket",
    "means": "Work that no request waits for fails, such as settling unknown outcomes or deleting old rows.",
    "advice": "Find the cause in the log: `msg` is `background work failed`, and `task` is one of docs/metrics.md."
  },
  "OwnFault": {
    "severity": "page",
    "means": "A 500: a bug in the gateway.",
    "advice": "Find `requestId` and the stack in the log, and report them."
  }
} as const;
