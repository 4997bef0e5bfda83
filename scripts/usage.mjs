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

Examples:
  npm run ask -- search gold
  npm run ask -- price solana
  npm run ask -- chart solana --interval 1D
  npm run ask -- balances 86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY --pay
  npm run ask -- assets/market-snapshots '{"mints":["So11111111111111111111111111111111111111112"]}'

Commands:
  search <q>                    find assets
  price <asset-id>              the price of an asset, and how it got there
  chart <asset-id>              the price of an asset in candles
  variants <asset-id>           the tokens that stand for an asset
  risk <mint>                   how risky a token is
  markets <asset-id>            where an asset is traded on chain
  tickers <asset-id>            where an asset is traded on exchanges
  balances <wallet>             what a wallet holds
  rpc <method> [<parameter> …]  a method of the Solana RPC; parameters that are no plain text as JSON
  <path> [<json body>]          ask for a path such as assets/solana; a JSON body makes it a POST
  quote <command>               what a command would cost; signs and pays nothing
  routes [<text>]               what the gateway serves, with prices
  credit [buy <usd>]            the credit of your wallet, or more of it
  wallet new|show|fund          make a wallet, see its address, put money into it
  spending                      what was spent, and what may still be
  resume                        send payments again that were interrupted, and get their answers
  mcp [--http [<port>]]         an MCP server: all of this as tools of a language model
  completion bash|zsh|fish      what makes your shell complete these commands

Options of every command:
  --pay                pay for the answer, within the limits, without asking first
  --credit             pay from credit; buy a bundle of it when there is too little
  --keypair <file>     a Solana CLI keypair file that signs
  --rpc <url>          the Solana RPC to pay through
  --gateway <url>      the gateway; else ASSET_GATEWAY_URL
  --max-call <usd>     the most that one call may cost; 0.01
  --max-day <usd>      the most that may be spent in 24 hours; 1
  --timeout <seconds>  how long a call may take; 30
  --json               the answer byte for byte, also at a terminal
  --no-input           never ask anything
  -h, --help           show this
  --version            show the version

What a call costs is asked for in USDC and paid with --pay, or after a yes at a terminal. Without a wallet a new one signs.
Piped, and with --json, an answer is printed byte for byte.
ASSET_GATEWAY_URL is the gateway that is asked; unset, http://localhost:8402. NO_COLOR and FORCE_COLOR are obeyed.
Exit codes: 0 a good answer, 1 a refusal or no answer, 2 not understood, 3 a spending limit, 4 invalid input,
  5 the outcome of a payment is not known, 6 a payment was sent and refused, 75 try again later.
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
