import { creditIn, type GatewayClient, type SentPayment, transactionIn, type Wallet } from '@asset-gateway/client';
import { below, CLUSTERS, type Cluster, NETWORKS, textAt } from '@asset-gateway/protocol';
import { decodedHeader } from '../parts/text.ts';
import { browserLedger, type Spent } from './ledger.ts';
import type { PayingOptions } from './paying.ts';
import { type PageCaps, readCaps, readStored, store, storeCaps } from './storage.ts';

/** A paid call. */
export interface Purchase {
  readonly url: string;
  readonly at: number;
  readonly payer: string;
  /** base58 signature; empty if credit paid. */
  readonly transaction: string;
  /** The price, in millionths of a dollar; absent in entries of earlier versions, like the cluster. */
  readonly micros: number | undefined;
  /** The credit left, in millionths of a dollar, if the answer names it. */
  readonly creditMicros?: number | undefined;
  readonly cluster: Cluster | undefined;
  /** A compact JWS; absent if the gateway signs no receipts. */
  readonly receipt: string | undefined;
}

const NAME = 'purchases';
const MAX_PURCHASES = 20;

/** The JSON in a header, if it can be read. */
const jsonIn = (header: string | null): unknown => JSON.parse(decodedHeader(header ?? '') ?? 'null');

/** The payer, the cluster and the receipt (a compact JWS) in a PAYMENT-RESPONSE header, as far as it names them. */
function settlementIn(header: string) {
  const settled = jsonIn(header);
  return {
    payer: textAt(settled, 'payer') || undefined,
    cluster: CLUSTERS.find((cluster) => NETWORKS[cluster] === below(settled, 'network')),
    receipt: textAt(settled, 'extensions', 'offer-receipt', 'info', 'receipt', 'signature') || undefined,
  };
}

/** The cluster in the path of a paid route; an answer that credit paid names none. */
const clusterIn = (url: string): Cluster | undefined => CLUSTERS.find((each) => url.includes(`/${each}/`));

/** The amount of the payment in a request's headers, in millionths of a dollar; undefined if they carry none. */
function microsIn(headers: HeadersInit | undefined): number | undefined {
  const amount = below(jsonIn(new Headers(headers).get('payment-signature')), 'accepted', 'amount');
  const micros = Number(amount);
  return typeof amount === 'string' && Number.isSafeInteger(micros) ? micros : undefined;
}

/**
 * Pays with the key of this browser, or with an installed wallet that the user chose. The code that pays is loaded on first use. Its
 * event `change` follows each change, also in another tab.
 */
export class BrowserWallet extends EventTarget {
  readonly address: string;
  /** Whether the key is still there after a reload. */
  readonly isStored: boolean;
  /** The installed wallet that pays instead of the browser's key; `choose` sets it. */
  external: Wallet | undefined;
  /** How often it changed. */
  changes = 0;
  readonly #own: Omit<PayingOptions, 'caps'>;

  constructor(own: Omit<PayingOptions, 'caps'>, isStored: boolean) {
    super();
    this.#own = own;
    this.address = own.signer.address;
    this.isStored = isStored;
    addEventListener('storage', () => this.#changed());
  }

  /** The address that pays. */
  get payer(): string {
    return this.external?.accounts[0]?.address ?? this.address;
  }

  get purchases(): readonly Purchase[] {
    return readStored<readonly Purchase[]>(NAME, []);
  }

  /** The credit of this browser's key on a cluster, as far as the latest payments name it, in millionths of a dollar. */
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

  /** A paying client. */
  client(): Promise<GatewayClient> {
    return this.#clientWith(this.#own.fetch);
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
    const closed: SentPayment['closed'] = (outcome) => browserLedger.closed(id, outcome);
    const response = await this.#recorded((client) => client.resume({ request, headers, closed } as SentPayment), true);
    this.#changed();
    return response;
  }

  /** An installed wallet prompts for each signature, so it pays without credit, which would add a sign-in. */
  async #clientWith(fetch: typeof globalThis.fetch): Promise<GatewayClient> {
    const { payingClient } = await import('./paying.ts');
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
          // The payer may have changed since a payment that is resent, so the response names it.
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
