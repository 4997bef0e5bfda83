import { join } from 'node:path';
import type { Environment } from '@asset-gateway/gateway';
import { afterEach } from 'vitest';
import { freePort } from '../http/ports.ts';
import type { CommandOptions } from '../kit/command.ts';
import { makeFolder } from '../kit/folder.ts';
import { type Exchange, startRecordingProxy } from '../kit/recording-proxy.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { ROOMY } from '../payments/calls.ts';
import { runHere } from './in-process.ts';

export const PROGRAM = 'tests/cli/program.mjs';
export const MAIN = 'packages/cli/bin/main.js';
export const WALLET = '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY';
export const SOL = 'So11111111111111111111111111111111111111112';

/** The fixed time of the sandbox's market. */
const NOON = Date.UTC(2026, 7, 3, 12);

type RunOptions = { readonly home?: string } & CommandOptions;

/** An answer of a proxy, of JSON by default. */
type ProxyAnswer = Partial<Pick<Exchange, 'status' | 'headers'> & { readonly body: string | object }>;

const hasPayment = ({ asked }: Exchange): boolean => asked['payment-signature'] !== undefined;

/** A proxy changes nothing. */
export const unchanged = (): undefined => undefined;

/** Opens a gateway with all routes behind a proxy, and homes for a user. */
export async function openFixture(prices: Environment = {}) {
  const folder = makeFolder();
  const port = await freePort();
  const proxy = await startRecordingProxy(port);
  const variables = { ...ROOMY, ...prices, CREDIT: 'on', PORT: String(port), GATEWAY_BASE_URL: proxy.url };
  const gateway = await startTestGateway(variables, { paid: true, marketNow: () => NOON });
  const { solana } = gateway;
  let homes = 0;
  const newHome = (): string => join(folder, `home-${homes++}`);
  const environment = (home: string): NodeJS.ProcessEnv => ({
    HOME: home,
    ASSET_GATEWAY_URL: proxy.url,
    ASSET_GATEWAY_RPC_URL: solana.mainnet.url,
  });
  /** Runs a command in this process, which is faster. A text is its words. */
  const run = (typed: string | readonly string[], { home = newHome(), env }: RunOptions = {}) => {
    const words = typeof typed === 'string' ? typed.split(' ').filter(Boolean) : typed;
    return runHere(words, { env: { ...environment(home), ...env } });
  };
  afterEach(() => {
    proxy.alter = unchanged;
  });
  return {
    gateway,
    proxy,
    folder,
    /** A new home folder. */
    newHome,
    /** The environment of a command in this home. */
    environment,
    run,
    /** A user with a home folder, who runs commands. */
    newUser(home = newHome()) {
      return { home, run: (typed: Parameters<typeof run>[0], env = {}) => run(typed, { home, env }) };
    },
    /** The number of settled payments. */
    transfers: () => solana.mainnet.transfers.length + solana.devnet.transfers.length,
    /** The number of payments that passed, with repetitions. */
    payments: () => proxy.exchanges.filter(hasPayment).length,
    /** Until the end of the test, a proxy answers payments in place of the gateway, which gets them. */
    answerPayments({ body, headers, ...answer }: ProxyAnswer): void {
      const whole = {
        ...answer,
        headers: { 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      };
      proxy.alter = (exchange) => (hasPayment(exchange) ? whole : undefined);
    },
  };
}
