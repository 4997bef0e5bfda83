#!/usr/bin/env node
import {
  ConfigError,
  type Environment,
  processEnvironment,
  readConfig,
  run,
  startGateway,
} from '@asset-gateway/gateway';
import { faucetOf, type SolanaSandbox, startSolanaSandbox } from './solana-sandbox.ts';
import { startTokensApi, type TokensApi } from './tokens/api.ts';

/** The simulated upstreams; undefined if the real one is used. */
interface World {
  readonly tokens: TokensApi | undefined;
  readonly solana: SolanaSandbox | undefined;
}

/** The default URL of the command line. */
const DEFAULT_URL = 'http://localhost:8402';

const portOf = (url: string): number => Number(new URL(url).port || 80);

/** The ports besides the gateway's own. */
const ports = ({ tokens, solana }: World): string[] =>
  Object.entries({
    mainnet: solana?.mainnet,
    devnet: solana?.devnet,
    'Tokens API': tokens,
    providers: solana?.provider,
  }).flatMap(([name, server]) => (server ? [`${portOf(server.url)} ${name}`] : []));

/** Commands to try next, with the URL if it is not the default. */
function commands(url: string, { solana }: World): string[] {
  const ask = `${url === DEFAULT_URL ? '' : `ASSET_GATEWAY_URL=${url} `}npm run ask --`;
  if (!solana) return [`${ask} assets/solana`];
  const rpc = portOf(solana.mainnet.url) === portOf(url) + 1 ? '' : ` --rpc ${solana.mainnet.url}`;
  const body = JSON.stringify({ params: [solana.payTo] });
  const paidCall = `${rpc} solana/mainnet/helius/rpc/getBalance '${body}'`;
  return [`${ask} assets/solana`, `${ask} --pay${paidCall}`, `${ask} --credit${paidCall}`];
}

/** Printed after the start: what is simulated, the ports, and commands to try next. */
function banner(gatewayUrl: string, world: World): string {
  const { tokens, solana } = world;
  const url = gatewayUrl.replace('127.0.0.1', 'localhost');
  const otherPorts = ports(world);
  const rows = [
    ['sign-in, payments, budget', 'real'],
    ['Tokens API', tokens ? 'SANDBOX: simulated market, offline; set TOKENS_API_KEY for the real one' : 'real'],
    [
      'Solana, RPC, DAS, wallets',
      solana ? 'SANDBOX: real SVM with play money, offline; see docs/configuration.md' : 'real',
    ],
    ...(otherPorts.length > 0 ? [['other ports', otherPorts.join(', ')]] : []),
  ];
  const lines = [
    '',
    `Asset gateway listening on ${url}`,
    '',
    ...rows.map(([name = '', text = '']) => name.padEnd(28) + text),
    '',
    `Open ${url} in a browser, or run in another terminal:`,
    '',
    ...commands(url, world).map((command) => `  ${command}`),
    '',
  ];
  return `${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n`;
}

const SANDBOX_KEY = 'sandbox-key-0123456789';
/** Any of these variables means that the operator configured paid routes. */
const PAID = /^(?:ALCHEMY|HELIUS|FACILITATOR|SOLANA)_|^(?:PAY_TO_WALLET|FEE_PAYER_KEYPAIR)$/;

/** The sandbox sells credit unless the operator set CREDIT or PAYMENT_MEMO, which credit needs. */
const sellsCredit = ({ CREDIT, PAYMENT_MEMO }: Environment): boolean => !CREDIT?.trim() && !PAYMENT_MEMO?.trim();

const DEFAULT_PORT = 8402;
const LAST_PORT = 65_535;
const CHAINS = 2;

/**
 * The port of the mainnet chain: the one after the gateway's, where `npm run ask` expects it. Devnet uses the next one. Undefined if
 * the gateway uses any free port, or if PORT is invalid, which the gateway reports.
 */
function chainPort({ PORT }: Environment): number | undefined {
  const text = PORT?.trim() || String(DEFAULT_PORT);
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port === 0 || port > LAST_PORT) return undefined;
  if (port + CHAINS <= LAST_PORT) return port + 1;
  const most = LAST_PORT - CHAINS;
  throw new ConfigError([`PORT must be at most ${most}: the sandbox's chains listen on the two ports after it.`]);
}

/** Explains why a chain cannot listen on its port. */
function chainFault(error: NodeJS.ErrnoException & { readonly port?: number }): Error {
  const { code = '', port } = error;
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return error;
  const what = code === 'EACCES' ? 'is not allowed for this user' : 'is in use';
  const advice = 'set a PORT that is followed by two free ports, or stop the other program';
  return new ConfigError([`PORT: the sandbox needs ${port} on 127.0.0.1 for a chain, but it ${what}; ${advice}.`]);
}

async function startWorld(): ReturnType<Parameters<typeof run>[0]> {
  const environment = processEnvironment();
  const sellsAlone = Object.entries(environment).some(([name, value]) => PAID.test(name) && value?.trim());
  const port = sellsAlone ? undefined : chainPort(environment);
  const tokens = environment.TOKENS_API_KEY?.trim() ? undefined : await startTokensApi({ key: SANDBOX_KEY });
  const solana = sellsAlone
    ? undefined
    : await startSolanaSandbox({ key: SANDBOX_KEY, ...(port !== undefined && { port }) }).catch((error) => {
        throw chainFault(error);
      });
  const gateway = await startGateway(
    readConfig({
      ...environment,
      ...(solana && sellsCredit(environment) && { CREDIT: 'on' }),
      ...(tokens && { TOKENS_API_BASE_URL: tokens.url, TOKENS_API_KEY: tokens.key }),
      ...solana?.variables,
    }),
    solana ? { ownRoutes: [faucetOf(solana)] } : {},
  );
  process.stdout.write(banner(gateway.url, { tokens, solana }));
  return {
    log: gateway.log,
    async stop() {
      await gateway.stop();
      await Promise.all([tokens?.close(), solana?.close()]);
    },
  };
}

const USAGE = `Usage: asset-gateway-sandbox
  Starts the gateway on http://localhost:8402, with an offline sandbox for each upstream without a key. Uses PORT, and the two ports
  after it for the chains of the sandbox. Configured by environment variables. Ctrl+C stops it.
`;

/** Handles an argument and returns the exit code; the gateway does not start. */
function explain(word: string): number {
  if (word === '--help' || word === '-h') {
    process.stdout.write(USAGE);
    return 0;
  }
  process.stderr.write(`asset-gateway-sandbox: there is no command ${JSON.stringify(word)}.\n${USAGE}`);
  return 2;
}

const [word] = process.argv.slice(2);
if (word === undefined) await run(startWorld);
else process.exitCode = explain(word);
