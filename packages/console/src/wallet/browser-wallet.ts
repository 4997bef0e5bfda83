import { type GatewayClient, type SentPayment, type Signer, transactionIn, type Wallet } from '@asset-gateway/client';
import type { Cluster } from '@asset-gateway/protocol';
import { browserLedger, type Spent } from './ledger.ts';
import { payerIn, receiptIn } from './receipt.ts';
import { deleteBrowserKey, type PageCaps, readCaps, readStored, store, storeCaps } from './storage.ts';

/** A paid call. */
export interface Purchase {
  readonly url: string;
  readonly at: number;
  readonly payer: string;
  /** base58 signature; empty if credit paid. */
  readonly transaction: string;
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

  /** A paying client. An installed wallet prompts for each signature, so it pays without credit, which would add a sign-in. */
  async client(): Promise<GatewayClient> {
    const { payingClient } = await import('./paying.ts');
    const { signer, key, fetch } = this.#options;
    const client = payingClient({ signer, wallet: this.#external ?? key, caps: this.caps, fetch });
    return this.#external ? client.with({ credit: false }) : client;
  }

  /** Calls a path and pays for it, within the caps and at most the price shown. */
  async buy(path: string, body: unknown, maxUsd: number): Promise<Response> {
    const client = (await this.client()).with({ maxUsd });
    return this.#recorded(client.ask(path, body === undefined ? {} : { body }));
  }

  /** Buys the smallest bundle of credit, for at most the price shown. */
  async buyCredit(cluster: Cluster, maxUsd: number): Promise<void> {
    const client = (await this.client()).with({ cluster, maxUsd });
    const bought = client.credit.buy().full();
    await this.#recorded(bought.then(({ response }) => response));
  }

  /** Resends a payment whose outcome is unknown. */
  async resume({ id, request, headers }: Spent): Promise<Response> {
    const client = await this.client();
    // The payer may have changed since, so the response names it.
    const response = await this.#recorded(client.resume({ request, headers } as SentPayment), payerIn);
    if (response.status < 500 && ![408, 409, 425, 429].includes(response.status))
      await browserLedger.closed(id, response.ok ? 'paid' : 'refused');
    this.#changed();
    return response;
  }

  deleteKey(): Promise<void> {
    return deleteBrowserKey();
  }

  async #recorded(pending: Promise<Response>, payerOf?: typeof payerIn): Promise<Response> {
    const payer = this.#external?.accounts[0]?.address ?? this.address;
    try {
      const response = await pending;
      const header = response.headers.get('payment-response');
      if (response.ok && header !== null) this.#record(response, header, payerOf?.(header) ?? payer);
      return response;
    } finally {
      this.#changed();
    }
  }

  #record(response: Response, header: string, payer: string): void {
    const receipt = receiptIn(header);
    const purchase = { url: response.url, at: Date.now(), payer, transaction: transactionIn(response) ?? '' };
    store(NAME, [{ ...purchase, ...(receipt && { receipt }) }, ...this.purchases].slice(0, MAX_PURCHASES));
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
