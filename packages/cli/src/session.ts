import { createClient, creditIn, type GatewayClient, GatewayError, transactionIn } from '@asset-gateway/client';
import { dollars } from '@asset-gateway/protocol';
import { gatewayUrl, maxUsdPerCall, maxUsdPerDay, rpcUrl, stateFolder } from './config.ts';
import type { Wallet } from './keys/files.ts';
import { walletFor } from './keys/wallets.ts';
import { Misunderstood } from './misunderstood.ts';
import { LedgerFile, type PurchaseStep } from './money/ledger-file.ts';
import { payerFor } from './money/paying.ts';
import { dollarsIn, type Values } from './options.ts';
import type { Asked } from './request.ts';
import { Terminal } from './show/terminal.ts';

/** A person takes longer to answer than a gateway. */
const ASKING_MS = 600_000;
const PAYING_MS = 30_000;

/** What is spent at most unless told, in dollars. */
const CAPS = { call: '0.01', day: '1' };
const BUNDLE_USD = 0.05;

/** What a command is run with besides its words. */
export interface RunOptions {
  /** Told of each moment of a purchase. */
  readonly onStep?: (step: PurchaseStep) => void;
}

/** What one run of the command works with: the gateway, the wallet, the ledger and the terminal. */
export class Session {
  readonly values: Values;
  readonly terminal: Terminal;
  readonly ledger: LedgerFile;
  #wallet: Promise<Wallet> | undefined;

  constructor(values: Values, { onStep }: RunOptions = {}) {
    this.values = values;
    this.terminal = new Terminal({ json: values.is('json'), noInput: values.is('no-input') });
    this.ledger = new LedgerFile(stateFolder(), Date.now, onStep);
  }

  get gateway(): string {
    const url = this.values.text('gateway') ?? gatewayUrl();
    if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
    const name = this.values.text('gateway') === undefined ? 'ASSET_GATEWAY_URL' : '--gateway';
    throw new Misunderstood(`${name} must be an origin such as http://localhost:8402`);
  }

  get wallet(): Promise<Wallet> {
    this.#wallet ??= walletFor(this.values);
    return this.#wallet;
  }

  get rpc(): string | undefined {
    return this.values.text('rpc') ?? rpcUrl();
  }

  /** Dollars that may be spent: by option, by environment, by default. */
  get caps() {
    const of = (option: string, variable: string | undefined, name: string, usual: string): number => {
      const given = this.values.text(option);
      return given === undefined ? dollarsIn(variable ?? usual, name) : dollarsIn(given, `--${option}`);
    };
    return {
      perCallUsd: of('max-call', maxUsdPerCall(), 'ASSET_GATEWAY_MAX_USD_PER_CALL', CAPS.call),
      perDayUsd: of('max-day', maxUsdPerDay(), 'ASSET_GATEWAY_MAX_USD_PER_DAY', CAPS.day),
    };
  }

  /** A client that pays as it was told: not at all, within the limits, or after asking. A bundle of credit has a limit of its own. */
  async client(perBundleUsd = BUNDLE_USD): Promise<GatewayClient> {
    const { values, terminal, ledger, rpc, gateway } = this;
    const caps = { ...this.caps, perBundleUsd };
    if (values.is('pay') && values.is('credit')) throw new Misunderstood('--credit pays as well; leave --pay out');
    const wallet = await this.wallet;
    const isTold = values.is('pay') || values.is('credit');
    const pay = payerFor({ gateway, wallet, terminal, ledger, rpc, caps, isTold });
    const mayUseCredit = values.is('pay') && wallet.source !== 'fresh';
    return createClient({
      baseUrl: gateway,
      signer: wallet.signer,
      timeoutMs: isTold || !terminal.canAsk ? PAYING_MS : ASKING_MS,
      ...(!mayUseCredit && { credit: values.is('credit') }),
      ...((isTold || terminal.canAsk) && { pay }),
    });
  }

  /** Asks, and tells on the side what it came to. */
  async ask({ path, ...asked }: Asked): Promise<Response> {
    const client = await this.client();
    const response = await this.terminal.whileWaiting('asking …', () => client.ask(path, asked));
    this.tell(response, await this.wallet);
    return response;
  }

  /** What is told of an answer beside the answer. */
  tell(response: Response, wallet?: Wallet): void {
    const [transaction, credit] = [transactionIn(response), creditIn(response)];
    const lines = this.terminal.isFormatted ? [] : [`${response.status} ${response.url}`];
    if (wallet && (transaction || lines.length > 0)) lines.push(`signed by ${wallet.signer.address}`);
    if (transaction) lines.push(`transaction ${transaction}`);
    if (credit) {
      const { chargedMicros, balanceMicros } = credit;
      const charged = chargedMicros === undefined ? '' : `charged $${dollars(chargedMicros)}, `;
      lines.push(`credit: ${charged}$${dollars(balanceMicros)} left`);
    }
    for (const line of lines) this.terminal.aside(line);
  }

  /** Whether this run has made a payment whose outcome is not known. */
  get hasOpenPayment(): boolean {
    return this.ledger.payments.hasOwn;
  }
}

/** What fetch said, where nothing answered. */
export const causeOf = (error: unknown): unknown =>
  error instanceof GatewayError && ['unreachable', 'payment_not_made'].includes(error.code) ? error.cause : error;
