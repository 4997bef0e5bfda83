import { creditIn, type GatewayClient, type SentPayment, transactionIn, type Wallet } from '@asset-gateway/client';
import { below, CLUSTERS, type Cluster, NETWORKS, textAt } from '@asset-gateway/protocol';
import { decodedHeader } from '../parts/text.ts';
import { browserLedger, type Spent } from './ledger.ts';
import type { PayingOptions } from './paying-client.ts';
import { type PageCaps, readCaps, readStored, store, storeCaps } from './storage.ts';

/** A paid call. */
export interface Purchase {
  readonly url: string;
  readonly at: number;
  readonly payer: string;
  /** The signature in base58; empty if credit paid. */
  readonly transaction: string;
  /** The price in millionths of a dollar. Entries of earlier versions lack it and the cluster. */
  readonly micros: number | undefined;
  /** The remaining credit in millionths of a dollar, if the answer names it. */
  readonly creditMicros?: number | undefined;
  readonly cluster: Cluster | undefined;
  /** A compact JWS; undefined if the gateway signs no receipts. */
  readonly receipt: string | undefined;
}

const NAME = 'purchases';
const MAX_PURCHASES = 20;

/** Returns the JSON in a header, if readable. */
const jsonIn = (header: string | null): unknown => JSON.parse(decodedHeader(header ?? '') ?? 'null');

/** Returns the payer, cluster and receipt (a compact JWS) that a PAYMENT-RESPONSE header names. */
function settlementIn(header: string) {
  const settled = jsonIn(header);
  return {
    payer: textAt(settled, 'payer') || undefined,
    cluster: CLUSTERS.find((cluster) => NETWORKS[cluster] === below(settled, 'network')),
    receipt: textAt(settled, 'extensions', 'offer-receipt', 'info', 'receipt', 'signature') || undefined,
  };
}

/** Returns the cluster in a paid route's path, because an answer paid from credit names none. */
const clusterIn = (url: string): Cluster | undefined => CLUSTERS.find((each) => url.includes(`/${each}/`));

/** Returns the amount of a payment in request headers, in millionths of a dollar; undefined without a payment. */
function microsIn(headers: HeadersInit | undefined): number | undefined {
  const amount = below(jsonIn(new Headers(headers).get('payment-signature')), 'accepted', 'amount');
  const micros = Number(amount);
  return typeof amount === 'string' && Number.isSafeInteger(micros) ? micros : undefined;
}

/**
 * Pays with this browser's key, or with an installed wallet that the user chose. Loads the paying code on first use. Its event `change`
 * follows each change, also in another tab.
 */
export class BrowserWallet extends EventTarget {
  readonly address: string;
  /** Whether the key survives a reload. */
  readonly isStored: boolean;
  /** The installed wallet that pays in place of the browser's key. `choose` sets it. */
  external: Wallet | undefined;
  /** How often the wallet changed. */
  changes = 0;
  readonly #own: Omit<PayingOptions, 'caps'>;

  constructor(own: Omit<PayingOptions, 'caps'>, isStored: boolean) {
    super();
    this.#own = own;
    this.address = own.signer.address;
    this.isStored = isStored;
    addEventListener('storage', () => this.#changed());
  }

  /** Returns the address that pays. */
  get payer(): string {
    return this.external?.accounts[0]?.address ?? this.address;
  }

  get purchases(): readonly Purchase[] {
    return readStored<readonly Purchase[]>(NAME, []);
  }

  /** The credit of this browser's key on a cluster in millionths of a dollar, if the latest payments name it. */
  creditOn(cluster: Cluster): number {
    const own = this.purchases.filter((each) => each.payer === this.address && each.cluster === cluster);
    return own.find(({ creditMicros }) => creditMicros !== undefined)?.creditMicros ?? 0;
  }

  choose(wallet: Wallet | undefined): void {
    this.external = wallet;
    this.#changed();
  }

  setCaps(caps: PageCaps): void {
    storeCaps(caps);
    this.#changed();
  }

  /** Returns a paying client. */
  client(): Promise<GatewayClient> {
    return this.#clientWith(this.#own.fetch);
  }

  /** Calls a path and pays for it, within the caps and at most the shown price. */
  async buy(path: string, body: unknown, maxUsd: number): Promise<Response> {
    return this.#recorded((client) => client.with({ maxUsd }).ask(path, body === undefined ? {} : { body }));
  }

  /** Buys the smallest bundle of credit for at most the shown price. */
  async buyCredit(cluster: Cluster, maxUsd: number): Promise<void> {
    await this.#recorded(async (client) => (await client.with({ cluster, maxUsd }).credit.buy().full()).response);
  }

  /** Resends a payment whose outcome is unknown. */
  async resume({ id, request, headers }: Spent): Promise<Response> {
    const closed: SentPayment['closed'] = (outcome) => browserLedger.closed(id, outcome);
    const response = await this.#recorded((client) => client.resume({ request, headers, closed } as SentPayment), true);
    this.#changed();
    return response;
  }

  /**
   * Returns a client that pays with an installed wallet. The wallet prompts for each signature, so it pays without credit, which would add
   * a sign-in.
   */
  async #clientWith(fetch: typeof globalThis.fetch): Promise<GatewayClient> {
    const { payingClient } = await import('./paying-client.ts');
    const { signer, wallet } = this.#own;
    const client = payingClient({ signer, wallet: this.external ?? wallet, caps: readCaps(), fetch });
    return this.external ? client.with({ credit: false }) : client;
  }

  async #recorded(call: (client: GatewayClient) => Promise<Response>, isResumed = false): Promise<Response> {
    const { payer } = this;
    let micros: number | undefined;
    const client = await this.#clientWith((input, init) => {
      micros = microsIn(init?.headers) ?? micros;
      return this.#own.fetch(input, init);
    });
    try {
      const response = await call(client);
      const header = response.headers.get('payment-response');
      const credit = creditIn(response);
      if (response.ok && (header !== null || credit?.chargedMicros !== undefined)) {
        const { payer: named, ...settled } = settlementIn(header ?? '');
        const transaction = transactionIn(response) ?? '';
        const purchase: Purchase = {
          ...{ url: response.url, at: Date.now(), transaction, ...settled },
          cluster: settled.cluster ?? clusterIn(response.url),
          // The payer may have changed since the resent payment, so the response names it.
          payer: (isResumed ? named : undefined) ?? payer,
          micros: transaction === '' ? credit?.chargedMicros : micros,
          creditMicros: credit?.balanceMicros,
        };
        store(NAME, [purchase, ...this.purchases].slice(0, MAX_PURCHASES));
      }
      return response;
    } finally {
      this.#changed();
    }
  }

  #changed(): void {
    this.changes++;
    this.dispatchEvent(new Event('change'));
  }
}
