import {
  creditIn,
  type GatewayClient,
  type SentPayment,
  type Signer,
  transactionIn,
  type Wallet,
} from '@asset-gateway/client';
import type { Cluster } from '@asset-gateway/protocol';
import { browserLedger, type Spent } from './ledger.ts';
import { clusterIn, microsIn, payerIn, receiptIn } from './payment-headers.ts';
import { deleteBrowserKey, type PageCaps, readCaps, readStored, store, storeCaps } from './storage.ts';

/** A paid call. */
export interface Purchase {
  readonly url: string;
  readonly at: number;
  readonly payer: string;
  /** base58 signature; empty if credit paid. */
  readonly transaction: string;
  /** The price, in millionths of a dollar; absent in entries of earlier versions, like the cluster. */
  readonly micros?: number;
  readonly cluster?: Cluster;
  /** A compact JWS; absent if the gateway signs no receipts. */
  readonly receipt?: string;
}

const NAME = 'purchases';
const MAX_PURCHASES = 20;

export interface BrowserWalletOptions {
  readonly signer: Signer;
  readonly key: CryptoKeyPair;
  readonly isStored: boolean;
  readonly fetch: typeof fetch;
}

/** Pays with the key of this browser, or with an installed wallet that the user chose. The code that pays is loaded on first use. */
export class BrowserWallet {
  readonly #options: BrowserWalletOptions;
  readonly #listeners = new Set<() => void>();
  #external: Wallet | undefined;

  constructor(options: BrowserWalletOptions) {
    this.#options = options;
  }

  get address(): string {
    return this.#options.signer.address;
  }

  /** Whether the key is still there after a reload. */
  get isStored(): boolean {
    return this.#options.isStored;
  }

  /** The installed wallet that pays instead of the browser's key. */
  get external(): Wallet | undefined {
    return this.#external;
  }

  /** The address that pays. */
  get payer(): string {
    return this.#external?.accounts[0]?.address ?? this.address;
  }

  get caps(): PageCaps {
    return readCaps();
  }

  get purchases(): readonly Purchase[] {
    return readStored<readonly Purchase[]>(NAME, []);
  }

  choose(wallet: Wallet | undefined): void {
    this.#external = wallet;
    this.#changed();
  }

  setCaps(caps: PageCaps): void {
    storeCaps(caps);
    this.#changed();
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** A paying client. */
  client(): Promise<GatewayClient> {
    return this.#clientWith(this.#options.fetch);
  }

  /** Calls a path and pays for it, within the caps and at most the price shown. */
  async buy(path: string, body: unknown, maxUsd: number): Promise<Response> {
    return this.#recorded((client) => client.with({ maxUsd }).ask(path, body === undefined ? {} : { body }));
  }

  /** Buys the smallest bundle of credit, for at most the price shown. */
  async buyCredit(cluster: Cluster, maxUsd: number): Promise<void> {
    await this.#recorded(async (client) => (await client.with({ cluster, maxUsd }).credit.buy().full()).response);
  }

  /** Resends a payment whose outcome is unknown. */
  async resume({ id, request, headers }: Spent): Promise<Response> {
    // The payer may have changed since, so the response names it.
    const response = await this.#recorded((client) => client.resume({ request, headers } as SentPayment), payerIn);
    if (response.status < 500 && ![408, 409, 425, 429].includes(response.status))
      await browserLedger.closed(id, response.ok ? 'paid' : 'refused');
    this.#changed();
    return response;
  }

  deleteKey(): Promise<void> {
    return deleteBrowserKey();
  }

  /** An installed wallet prompts for each signature, so it pays without credit, which would add a sign-in. */
  async #clientWith(fetch: typeof globalThis.fetch): Promise<GatewayClient> {
    const { payingClient } = await import('./paying.ts');
    const { signer, key } = this.#options;
    const client = payingClient({ signer, wallet: this.#external ?? key, caps: this.caps, fetch });
    return this.#external ? client.with({ credit: false }) : client;
  }

  async #recorded(call: (client: GatewayClient) => Promise<Response>, payerOf?: typeof payerIn): Promise<Response> {
    const payer = this.payer;
    let micros: number | undefined;
    const client = await this.#clientWith((input, init) => {
      micros = microsIn(init?.headers) ?? micros;
      return this.#options.fetch(input, init);
    });
    try {
      const response = await call(client);
      const header = response.headers.get('payment-response');
      if (response.ok && header !== null) this.#record(response, header, payerOf?.(header) ?? payer, micros);
      return response;
    } finally {
      this.#changed();
    }
  }

  #record(response: Response, header: string, payer: string, sentMicros: number | undefined): void {
    const transaction = transactionIn(response) ?? '';
    const micros = transaction === '' ? creditIn(response)?.chargedMicros : sentMicros;
    const [receipt, cluster] = [receiptIn(header), clusterIn(header)];
    const purchase: Purchase = {
      ...{ url: response.url, at: Date.now(), payer, transaction },
      ...(micros !== undefined && { micros }),
      ...(cluster && { cluster }),
      ...(receipt && { receipt }),
    };
    store(NAME, [purchase, ...this.purchases].slice(0, MAX_PURCHASES));
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
