/** The usage of each command. Printing it installs, writes and starts nothing. */
export const USAGE = {
  start: `Usage: npm start
  Sets everything up, then starts the gateway on http://localhost:8402, with an offline sandbox for every upstream
  without a key. Uses PORT and, for the sandbox's chains, the two ports after it. Ctrl+C stops it.
  All variables: docs/configuration.md
`,
  dev: `Usage: npm run dev [-- --inspect[=<port>]]
  Like npm start, but compiles each change in packages/ and restarts the gateway. Ctrl+C stops everything.
  --inspect   opens Node's debugger port; --inspect-brk also waits for a debugger
`,
  gateway: `Usage: npm run gateway
       npm run gateway -- doctor <url>
       npm run gateway -- --version
  Sets everything up, then starts the gateway without a sandbox. Environment variables configure it. If one is missing
  or wrong, it does not start and names every fault.
  All variables: docs/configuration.md
`,
  ask: `Usage: npm run ask -- <command> [<word> …] [<option> …]
  Sets everything up, then runs the command line client: docs/cli.md
  npm run ask -- price solana   the price of an asset
  npm run ask -- --help         after the set-up, all commands and options
`,
  doctor: `Usage: npm run doctor -- <url>
  Checks the gateway at <url> from outside, as crawlers and browsers see it, and prints what to fix.
  It signs nothing, pays nothing and reaches no upstream. A line that begins with · is not a fault.
  Exit code: 0 nothing to fix, 1 something to fix, 2 no gateway could be read at <url>.
`,
  docs: `Usage: npm run docs
  Writes docs/routes.md, docs/errors.md and openapi.json from the tables of routes and refusals, and docs/apis.schema.json, the
  schema of the file of APIs.
`,
  site: `Usage: npm run site
  Builds the documentation site in site/dist: open site/dist/index.html, or serve the folder under any path.
  Installs its generator on first use.
`,
  changeset: `Usage: npm run changeset [-- version]
  Asks for the size of a change and a sentence about it, and writes both into .changeset/. Installs changesets on first use.
  version   applies all changesets: the next version in the packages and in CHANGELOG.md (CONTRIBUTING.md)
`,
  mcpb: `Usage: npm run mcpb [-- <file>]
  Packs the MCP server with its imports into one file for Claude Desktop: docs/mcp.md. Default: asset-gateway.mcpb
`,
  test: `Usage: npm test [-- <file or option of vitest> …]
  Sets everything up, then runs the tests; the last line counts them. Suites whose program is missing (redis-server,
  nginx, chromium, promtool, …) are skipped; with REQUIRE_ALL=1 they fail.
  ROUNDS=full repeats the tests that race, kill or flood as often as docs/proof.md says.
  npm test -- tests/config        only this folder
  npm test -- -t 'the log line'   only tests with this in their title
`,
  measure: `Usage: npm run measure
  Measures the CPU time of a signed request, compared with a minimal hand-written server: of 16 clients, then on warm
  servers that 32 connections saturate: docs/performance.md.
  ROUNDS=full repeats it more often. Linux only.
`,
  'measure:credit': `Usage: npm run measure:credit
  Measures the CPU time of a call paid from credit by signature, compared with a free one: docs/performance.md. Linux only.
`,
  'measure:path': `Usage: npm run measure:path
  Counts the files and functions of ours that one request runs through: signed and free, cached, bought, debited.
  LIST=<one of these> also prints the functions of that request.
`,
  'measure:books': `Usage: npm run measure:books
  With a journal of a million entries, measures the gateway's start, /sales of a day, and the latency of other requests
  meanwhile: docs/performance.md.
`,
  'measure:nodes': `Usage: npm run measure:nodes
  Measures calls from credit per second with one, two and four gateways, and the CPU time of each part. Needs an empty
  PostgreSQL at DATABASE_URL and an empty Redis at REDIS_URL, on this machine: docs/performance.md. Linux only.
`,
  'measure:worst': `Usage: npm run measure:worst [-- <id of a route> …]
  Sends the most expensive texts of the largest allowed size to every route, or to the named ones, and prints their CPU
  time and that of a normal answer. ROUNDS=full repeats each more often. Linux only.
  Exit code: 0 all within bounds, 1 a request costs too much.
`,
  simulate: `Usage: npm run simulate [-- --held-out | --quick] [--json]
  Simulates the cache's order of upstream calls, and simpler orders, with a virtual clock, and prints the share of requests
  that each answers, compared with the best possible one: docs/cache.md.
  --held-out  only the workloads that were not used to choose its constants, marked * in the table
  --quick     only two of these, for less time
  --json      a JSON document for each workload instead of a table
`,
  setup: `Usage: node scripts/run.mjs setup
  Installs the dependencies and compiles the packages, if needed.
`,
};

/** The usage without a valid command. */
export const COMMANDS = `Usage: node scripts/run.mjs <command>
  One of ${Object.keys(USAGE).join(', ')}; --help after a command explains it.
`;
