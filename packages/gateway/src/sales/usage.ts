/** What `asset-gateway sales --help` answers; docs/sales.md has the same text. */
export const USAGE = `Usage: asset-gateway sales [--since 7d] [--by route|wallet|day|cluster] [--csv|--json]
       asset-gateway sales --follow [--since 1h] [--csv|--json]
       asset-gateway sales unresolved [--csv|--json]
       asset-gateway sales verify [--since 7d] [--repair] [--csv|--json]
  What was sold, what fees took of it, and whether the books agree with the chain. It reads the gateway's own variables and
  may run while the gateway serves.
  --since     a span such as 7d, 24h or 90m, a date such as 2026-11-01, or all; 7d by default
  --by        what sales are grouped by; route by default
  --follow    writes each entry as it is appended
  unresolved  payments that may have moved money, and whose outcome is not known
  verify      compares the journal with the payee's transfers on the chain; ends with 1 where they do not agree
  --repair    appends what the journal is missing; without DATABASE_URL, stop the gateway first
  --csv       for a spreadsheet; --json for a program. Both have dollars in millionths
`;
