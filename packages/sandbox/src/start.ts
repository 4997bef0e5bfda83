#!/usr/bin/env node
import {
  announce,
  ConfigError,
  type Environment,
  processEnvironment,
  readConfig,
  runService,
  startGateway,
} from '@asset-gateway/gateway';
import { faucetOf, startSolanaSandbox } from './solana-sandbox.ts';
import { startTokensApi } from './tokens/api.ts';

const SANDBOX_KEY = 'sandbox-key-0123456789';
/** Matches the variables by which an operator configures paid routes. */
const PAID = /^(?:ALCHEMY|HELIUS|FACILITATOR|SOLANA)_|^(?:PAY_TO_WALLET|FEE_PAYER_KEYPAIR)$/;

/** Whether the sandbox sells credit. It does unless the operator has set CREDIT. */
const sellsCredit = ({ CREDIT }: Environment): boolean => !CREDIT?.trim();

const DEFAULT_PORT = 8402;
const LAST_PORT = 65_535;
const CHAINS = 2;

/**
 * Returns the mainnet chain's port: the one after the gateway's, where `npm run ask` expects it. Devnet uses the next one. Undefined if the
 * gateway uses any free port. Also undefined if PORT is invalid, which the gateway reports.
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

async function startWorld(): ReturnType<Parameters<typeof runService>[0]> {
  const environment = processEnvironment();
  const sellsAlone = Object.entries(environment).some(([name, value]) => PAID.test(name) && value?.trim());
  const port = sellsAlone ? undefined : chainPort(environment);
  const tokens = environment.TOKENS_API_KEY?.trim() ? undefined : await startTokensApi({ key: SANDBOX_KEY });
  const solana = sellsAlone
    ? undefined
    : await startSolanaSandbox({ key: SANDBOX_KEY, ...(port !== undefined && { port }) }).catch((error) => {
        throw chainFault(error);
      });
  const config = readConfig({
    ...environment,
    ...(solana && sellsCredit(environment) && { CREDIT: 'on' }),
    ...(tokens && { TOKENS_API_BASE_URL: tokens.url, TOKENS_API_KEY: tokens.key }),
    ...solana?.variables,
  });
  const gateway = await startGateway(config, solana ? { ownRoutes: [faucetOf(solana)], isPlayMoney: true } : {});
  const chains = solana && { mainnet: solana.mainnet.url, devnet: solana.devnet.url };
  announce(gateway, config, { hasTokens: tokens !== undefined, ...(chains && { chains }) });
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

/** Handles an argument and returns the exit code. The gateway does not start. */
function explain(word: string): number {
  if (word === '--help' || word === '-h') {
    process.stdout.write(USAGE);
    return 0;
  }
  process.stderr.write(`asset-gateway-sandbox: there is no command ${JSON.stringify(word)}.\n${USAGE}`);
  return 2;
}

const [word] = process.argv.slice(2);
if (word === undefined) await runService(startWorld);
else process.exitCode = explain(word);
