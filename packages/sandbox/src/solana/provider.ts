import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Chain, Cluster } from '../chain/chain.ts';
import { bodyOf, listen, send } from '../chain/listen.ts';
import { createKnobs, knobsFor } from '../knobs.ts';
import { type Answer, answerEndpoint } from './answers.ts';
import { type Arrival, type ProviderFaultKnobs, type ProviderFaults, recordArrival } from './endpoints.ts';
import type { Present } from './past.ts';
import type { World } from './world.ts';

export { EXAMPLES } from './catalogue.ts';
export type { Arrival, ProviderFaultKnobs, ProviderFaults } from './endpoints.ts';

/** The chains to serve, the valid key, the port (default: a free one) and the clock in milliseconds. */
export interface SolanaProviderOptions {
  readonly chains: Readonly<Record<Cluster, Chain>>;
  readonly key: string;
  readonly port?: number;
  readonly now?: () => number;
}

/** A running provider that simulates Helius and Alchemy on both clusters. */
export interface SolanaProvider {
  readonly url: string;
  readonly key: string;
  /** URLs with the key. */
  readonly rpcUrls: Readonly<Record<'helius' | 'alchemy', Readonly<Record<Cluster, string>>>>;
  readonly walletUrl: string;
  /** Every received request, oldest first. */
  readonly arrivals: Arrival[];
  readonly faults: ProviderFaults;
  close(): Promise<void>;
}

function deliver(response: ServerResponse, answer: Answer, knobs: ProviderFaultKnobs): void {
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  if (knobs.truncate === undefined) {
    send(response, answer.status, answer.text);
    return;
  }
  const body = Buffer.from(answer.text);
  response.writeHead(answer.status, { 'content-type': 'application/json', 'content-length': body.length });
  response.flushHeaders();
  response.write(body.subarray(0, Math.floor(body.length * knobs.truncate)));
  response.socket?.destroySoon();
}

interface ProviderState {
  readonly worlds: Readonly<Record<Cluster, World>>;
  readonly key: string;
  readonly arrivals: Arrival[];
  readonly faults: ProviderFaults;
}

async function handle(request: IncomingMessage, response: ServerResponse, state: ProviderState): Promise<void> {
  const body = await bodyOf(request);
  const arrival = recordArrival(state.arrivals, request, body ?? '');
  const knobs = knobsFor(state.faults, arrival);
  if (knobs.delayMs !== undefined) await wait(knobs.delayMs, undefined, { ref: false });
  if (knobs.resetConnection === true) {
    request.socket.resetAndDestroy();
  } else if (body === undefined) {
    send(response, 413, 'Payload Too Large', 'text/plain');
  } else if (knobs.hang !== true) {
    deliver(response, await answerEndpoint(arrival, knobs, state), knobs);
  }
}

async function presentOf(chain: Chain, now: () => number): Promise<Present> {
  const slot = await chain.answer('getSlot', [{ commitment: 'finalized' }]);
  return { slot: BigInt(typeof slot === 'bigint' ? slot : 0), seconds: Math.floor(now() / 1000) };
}

/** Starts a provider on 127.0.0.1 that answers from the chains and simulated data, with fault knobs. */
export async function startSolanaProvider(options: SolanaProviderOptions): Promise<SolanaProvider> {
  const { chains, key, port = 0, now = Date.now } = options;
  const worldOf = async (cluster: Cluster): Promise<World> => {
    const chain = chains[cluster];
    return { cluster, chain, present: await presentOf(chain, now) };
  };
  const worlds = { mainnet: await worldOf('mainnet'), devnet: await worldOf('devnet') };
  const arrivals: Arrival[] = [];
  const faults = createKnobs<ProviderFaultKnobs>();
  const state: ProviderState = { worlds, key, arrivals, faults };
  const { url, close } = await listen(port, (request, response) => handle(request, response, state));
  const query = `?api-key=${encodeURIComponent(key)}`;
  const path = `v2/${encodeURIComponent(key)}`;
  return {
    url,
    key,
    rpcUrls: {
      helius: { mainnet: `${url}/mainnet${query}`, devnet: `${url}/devnet${query}` },
      alchemy: { mainnet: `${url}/mainnet/${path}`, devnet: `${url}/devnet/${path}` },
    },
    walletUrl: `${url}/v1/wallet`,
    arrivals,
    faults,
    close,
  };
}
