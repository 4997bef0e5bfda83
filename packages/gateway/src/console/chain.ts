import { type Cluster, decodeBase58, type Issue, member, memberText, Refusal, USDC } from '@asset-gateway/protocol';
import { LRUCache } from 'lru-cache';
import { addressBlockOf } from '../ip-address.ts';
import type { OwnAnswer } from '../upstreams/upstream.ts';

/** Posts a JSON-RPC request to a cluster. Returns the text of a 200; rejects after any other status. */
interface ChainRpc {
  post(json: string): Promise<string>;
}

/** Two connections to a cluster, so that slow balance reads do not delay a blockhash. */
type ChainConnections = Readonly<Record<'payments' | 'balances', ChainRpc>>;

/**
 * How long answers are cached, in milliseconds. A blockhash is valid for a minute, a mint hardly ever changes, and a genesis hash never.
 */
const KEPT_MS = { blockhash: 2_000, mint: 3_600_000, genesis: 3_600_000, accounts: 3_000 };
/** How long failures are cached, in milliseconds, so that a failing RPC gets no more calls than a healthy one. */
const FAILED_MS = 2_000;
/** The most concurrent reads of accounts and transaction lists. */
const MAX_READINGS = 2;
const MAX_PAIRS = 1_000;
/**
 * How many of these reads may start per second (`perSecond`), and how many of them for frequent clients (`ofFrequent`). A client is
 * frequent if it has made `several` reads within `withinMs`. A page makes three while it opens and pays.
 */
const READS = { perSecond: 5, ofFrequent: 3, several: 3, withinMs: 10_000 };
const ADDRESS_BYTES = 32;
/** Reads only an account's lamports or a token account's amount, because a program has megabytes. */
const BALANCE = { commitment: 'confirmed', encoding: 'base64', dataSlice: { offset: 64, length: 8 } };

/** How many transactions the client lists for an account. */
const LISTED = 100;

const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && decodeBase58(value, ADDRESS_BYTES) !== undefined;

const wrong = (message: string): Refusal => {
  const issue: Issue = { in: 'body', name: 'params', rule: 'console', message };
  return new Refusal('invalid_request', { issues: [issue], reason: 'console params' });
};

/** When one of these reads started, and for which client. */
interface ReadStart {
  readonly atMs: number;
  readonly addressBlock: string;
}

/** Reads from one cluster what a page needs, at a bounded cost: balances, and the data for a payment. */
class ChainReader {
  readonly #rpcs: ChainConnections;
  readonly #mint: string;
  readonly #now: () => number;
  readonly #kept: LRUCache<string, Promise<string>>;
  /** The last of these reads. */
  #starts: readonly ReadStart[] = [];
  #readings = 0;

  constructor(rpcs: ChainConnections, mint: string, now: () => number) {
    this.#rpcs = rpcs;
    this.#mint = mint;
    this.#now = now;
    this.#kept = new LRUCache({ max: MAX_PAIRS, perf: { now } });
  }

  /** Returns the text of a call's result for a client. Throws a refusal of other calls, and of calls that are too expensive. */
  result(method: string, [first, config]: readonly unknown[], client: string): Promise<string> {
    if (method === 'getLatestBlockhash') {
      const commitment = member(first, 'commitment') === 'finalized' ? 'finalized' : 'confirmed';
      return this.#ask(method, [{ commitment }], KEPT_MS.blockhash);
    }
    if (method === 'getGenesisHash') return this.#ask(method, [], KEPT_MS.genesis);
    if (method === 'getAccountInfo') {
      if (first !== this.#mint) throw wrong(`Only the USDC mint ${this.#mint} can be read.`);
      return this.#ask(method, [first, { encoding: 'base64', commitment: 'confirmed' }], KEPT_MS.mint);
    }
    if (method === 'getSignaturesForAddress') {
      if (!isAddress(first)) throw wrong('Give one address.');
      const minContextSlot = member(config, 'minContextSlot');
      if (!Number.isSafeInteger(minContextSlot) || Number(minContextSlot) < 0)
        throw wrong('Give minContextSlot, a slot.');
      // The newest transactions, in which a page looks for its own payments.
      return this.#limited(method, [first, { commitment: 'finalized', limit: LISTED, minContextSlot }], client);
    }
    const addresses = Array.isArray(first) ? first : [];
    if (!addresses.every(isAddress) || addresses.length < 1 || addresses.length > 2)
      throw wrong('Give one or two addresses.');
    return this.#limited('getMultipleAccounts', [addresses, BALANCE], client);
  }

  /** Makes an expensive call. Only a few may run at once or start in a second, and a frequent client must leave some to others. */
  #limited(method: string, params: readonly unknown[], client: string): Promise<string> {
    const kept = this.#kept.get(JSON.stringify(params));
    if (kept) return kept;
    const [atMs, addressBlock] = [this.#now(), addressBlockOf(client)];
    this.#starts = this.#starts.filter((start) => atMs - start.atMs < READS.withinMs);
    const isFrequent = this.#starts.filter((start) => start.addressBlock === addressBlock).length >= READS.several;
    const running = MAX_READINGS - (isFrequent ? 1 : 0);
    const started = this.#starts.filter((start) => atMs - start.atMs < 1_000).length;
    if (this.#readings >= running || started >= (isFrequent ? READS.ofFrequent : READS.perSecond))
      throw new Refusal('rate_limited', { retryAfterSeconds: 1, reason: 'console balances' });
    this.#starts = [...this.#starts, { atMs, addressBlock }];
    this.#readings++;
    const asked = this.#ask(method, params, KEPT_MS.accounts);
    const over = (): void => void this.#readings--;
    asked.then(over, over);
    return asked;
  }

  /** Makes a call. Identical requests share it and its cached result. */
  #ask(method: string, params: readonly unknown[], ttl: number): Promise<string> {
    const key = JSON.stringify(params);
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const asked = this.#call(method, params);
    this.#kept.set(key, asked, { ttl });
    asked.catch(() => this.#kept.set(key, asked, { ttl: FAILED_MS }));
    return asked;
  }

  async #call(method: string, params: readonly unknown[]): Promise<string> {
    const isLimited = method === 'getMultipleAccounts' || method === 'getSignaturesForAddress';
    const rpc = isLimited ? this.#rpcs.balances : this.#rpcs.payments;
    const text = await rpc.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })).catch((error) => {
      throw new Refusal('upstream_unreachable', { reason: `console rpc ${method}: ${(error as Error).message}` });
    });
    const result = resultIn(text);
    if (result === undefined) throw new Refusal('upstream_invalid_response', { reason: `console rpc ${method}` });
    return result;
  }
}

function resultIn(text: string): string | undefined {
  try {
    JSON.parse(text);
    return memberText(text, 'result');
  } catch {
    return undefined;
  }
}

/** Answers the row's JSON-RPC methods from the gateway's settlement RPC. */
export function chainAnswer(rpcs: Readonly<Partial<Record<Cluster, ChainConnections>>>, now: () => number): OwnAnswer {
  const views = new Map(
    Object.entries(rpcs).map(([cluster, connections]) => [
      cluster,
      new ChainReader(connections, USDC[cluster as Cluster], now),
    ]),
  );
  return async ({ input: { path, body }, arrival: { client = '' } }) => {
    const view = views.get(String(path.cluster));
    if (!view) throw new Refusal('not_found', { reason: 'no rpc of this cluster' });
    const result = await view.result(String(body.method), Array.isArray(body.params) ? body.params : [], client);
    return { json: `{"jsonrpc":"2.0","id":${JSON.stringify(body.id)},"result":${result}}` };
  };
}
