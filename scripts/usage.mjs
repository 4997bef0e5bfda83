/** What each command says about itself when it is asked for help; nothing is installed, written or started then. */
export const USAGE = {
  start: `Usage: npm start
  Sets everything up, then starts the gateway on http://localhost:8402, with an offline sandbox for every upstream
  that has no key. Takes PORT and, for the sandbox's chains, the two ports after it. Ctrl+C stops it.
  All variables: docs/configuration.md
`,
  dev: `Usage: npm run dev [-- --inspect[=<port>]]
  Sets everything up, then does what npm start does, compiles whatever changes in packages/, and starts the gateway
  again with it. Ctrl+C stops it all.
  --inspect   opens Node's port for a debugger; --inspect-brk also waits for one
`,
  gateway: `Usage: npm run gateway
       npm run gateway -- doctor <url>
       npm run gateway -- --version
  Sets everything up, then starts the gateway without any sandbox; it is configured by environment variables
  alone and refuses to start, naming every fault, when something is missing or wrong.
  All variables: docs/configuration.md
`,
  ask: `Usage: npm run ask -- <command> [<word> …] [<option> …]
  Sets everything up, then runs the command line client: docs/cli.md
  npm run ask -- price solana   the price of an asset
  npm run ask -- --help         after the set-up, all commands and options
`,
  doctor: `Usage: npm run doctor -- <url>
  Looks at the gateway at <url> from outside, as crawlers and browsers do, and prints what to fix.
  It signs nothing, pays nothing and reaches no upstream. A line that begins with · is no fault.
  Exit code: 0 nothing to fix, 1 something to fix, 2 no gateway could be read there.
`,
  docs: `Usage: npm run docs
  Writes docs/routes.md, openapi.json and the client's typed methods (packages/client/src/methods.ts) from the route table.
`,
  site: `Usage: npm run site
  Makes pages of the Markdown of the repository, in site/dist: open site/dist/index.html, or serve the folder under any path.
  Installs its generator first, which nothing else needs.
`,
  changeset: `Usage: npm run changeset [-- version]
  Asks how large a step a change is and for a sentence about it, and writes both into .changeset/. Installs changesets first.
  version   makes the next version of what stands there, in the packages and in CHANGELOG.md: CONTRIBUTING.md
`,
  mcpb: `Usage: npm run mcpb [-- <file>]
  Packs the client's MCP server, with all that it imports, into one file that Claude Desktop installs: docs/mcp.md.
  The file is asset-gateway.mcpb unless told.
`,
  test: `Usage: npm test [-- <file or option of vitest> …]
  Sets everything up, then runs the tests; the last line is their count. Suites that need redis-server, nginx,
  chromium or promtool are skipped where there is none; REQUIRE_ALL=1 makes them fail instead.
  ROUNDS=full repeats what races, kills and floods as often as docs/proof.md says.
  npm test -- tests/config        only these
  npm test -- -t 'the log line'   only those with this in their title
`,
  measure: `Usage: npm run measure
  Measures how many microseconds of processor time a signed request costs here, beside a hand-written server's that gives
  the same answer, and what each stage costs: docs/performance.md. ROUNDS=full repeats it more often. Linux only.
`,
  'measure:credit': `Usage: npm run measure:credit
  Measures how many microseconds of processor time a call costs here that credit pays by signature, beside a signed call that is
  free: docs/performance.md. Linux only.
`,
  'measure:books': `Usage: npm run measure:books
  Fills a folder with a journal of a million entries, and measures the start of a gateway on it, its sales of a day, and the
  requests that it serves meanwhile: docs/performance.md.
`,
  'measure:nodes': `Usage: npm run measure:nodes
  Measures calls from credit a second with one, two and four gateways, and the processor time of each part, on the empty
  PostgreSQL of DATABASE_URL and the empty Redis of REDIS_URL on this machine: docs/performance.md. Linux only.
`,
  'measure:worst': `Usage: npm run measure:worst [-- <id of a route> …]
  Sends the largest admissible texts of the worst kinds to every row, or to those that are named, and prints the
  processor time of each beside that of an answer. ROUNDS=full repeats each more often. Linux only.
  Exit code: 0 nothing costs too much, 1 something does.
`,
  simulate: `Usage: npm run simulate [-- --held-out | --quick] [--json]
  Runs the order in which a cache makes its calls, and simpler ones, against simulated requests with a virtual clock, and prints
  the share that each answers beside the best possible one: docs/cache.md.
  --held-out  only the workloads that its constants were not chosen on, marked * in the table
  --quick     only two of these, for less time
  --json      a JSON document for each workload instead of a table
`,
  setup: `Usage: node scripts/run.mjs setup
  Installs the dependencies and compiles the packages, where that has not been done.
`,
};

/** All commands in short, for one that does not exist. */
export const COMMANDS = `Usage: node scripts/run.mjs <command>
  One of ${Object.keys(USAGE).join(', ')}; each of them says more when it is given --help.
`;
