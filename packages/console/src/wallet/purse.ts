import { type GatewayClient, type SentPayment, type Signer, transactionIn, type Wallet } from '@asset-gateway/client';
import type { Cluster } from '@asset-gateway/protocol';
import { keepCaps, type PageCaps, readCaps } from './caps.ts';
import { keep, readKept } from './kept.ts';
import { forgetKey, type TabKey } from './key-store.ts';
import { browserLedger, type Spent } from './ledger.ts';
import { payerIn, receiptIn } from './receipt.ts';

/** Something that was paid for. */
export interface Purchase {
  readonly url: string;
  readonly at: number;
  readonly payer: string;
  /** base58 signature; empty where credit has paid. */
  readonly transaction: string;
  /** A compact JWS; nothing where the gateway signs no receipts. */
  readonly receipt?: string;
}

const NAME = 'purchases';
const MOST = 20;

/** What is needed to load the part that pays, which is the heavy one. */
export interface PurseParts {
  readonly signer: Signer;
  readonly key: TabKey;
  readonly isKept: boolean;
  readonly fetch: typeof fetch;
}

/** Who pays, how much at most, and what was paid: of the key of this browser, or of a wallet that its user has chosen. */
export class Purse {
  readonly #parts: PurseParts;
  readonly #listeners = new Set<() => void>();
  #wallet: Wallet | undefined;

  constructor(parts: PurseParts) {
    this.#parts = parts;
  }

  get address(): string {
    return this.#parts.signer.address;
  }

  /** Whether the key is there after a reload. */
  get isKept(): boolean {
    return this.#parts.isKept;
  }

  /** Who pays in place of the key of this browser. */
  get wallet(): Wallet | undefined {
    return this.#wallet;
  }

  get caps(): PageCaps {
    return readCaps();
  }

  get purchases(): readonly Purchase[] {
    return readKept<readonly Purchase[]>(NAME, []);
  }

  choose(wallet: Wallet | undefined): void {
    this.#wallet = wallet;
    this.#tell();
  }

  limit(caps: PageCaps): void {
    keepCaps(caps);
    this.#tell();
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** A client that pays. A wallet that asks its user at each signature is not asked to sign in as well: it has no credit. */
  async client(): Promise<GatewayClient> {
    const { payingClient } = await import('./paying.ts');
    const { signer, key, fetch } = this.#parts;
    const client = payingClient({ signer, wallet: this.#wallet ?? key, caps: this.caps, fetch });
    return this.#wallet ? client.with({ credit: false }) : client;
  }

  /** Asks for a path and pays for it: within the caps, and no more than the price that was shown. */
  async buy(path: string, body: unknown, maxUsd: number): Promise<Response> {
    const client = (await this.client()).with({ maxUsd });
    return this.#noted(client.ask(path, body === undefined ? {} : { body }));
  }

  /** Buys the smallest bundle of credit that is sold, for no more than the price that was shown. */
  async buyCredit(cluster: Cluster, maxUsd: number): Promise<void> {
    const client = (await this.client()).with({ cluster, maxUsd });
    const bought = client.credit.buy().full();
    await this.#noted(bought.then(({ response }) => response));
  }

  /** Sends a payment again of which nothing more is known. */
  async resume({ id, request, headers }: Spent): Promise<Response> {
    const client = await this.client();
    // Whoever pays now may not be who has paid then.
    const response = await this.#noted(client.resume({ request, headers } as SentPayment), payerIn);
    if (response.status < 500 && ![408, 409, 425, 429].includes(response.status))
      await browserLedger.closed(id, response.ok ? 'paid' : 'refused');
    this.#tell();
    return response;
  }

  forget(): Promise<void> {
    return forgetKey();
  }

  async #noted(asked: Promise<Response>, payerOf?: typeof payerIn): Promise<Response> {
    const now = this.#wallet?.accounts[0]?.address ?? this.address;
    try {
      const response = await asked;
      const header = response.headers.get('payment-response');
      if (response.ok && header !== null) this.#note(response, header, payerOf?.(header) ?? now);
      return response;
    } finally {
      this.#tell();
    }
  }

  #note(response: Response, header: string, payer: string): void {
    const receipt = receiptIn(header);
    const purchase = { url: response.url, at: Date.now(), payer, transaction: transactionIn(response) ?? '' };
    keep(NAME, [{ ...purchase, ...(receipt && { receipt }) }, ...this.purchases].slice(0, MOST));
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
