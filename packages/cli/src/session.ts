import {
  createClient,
  creditIn,
  type GatewayClient,
  GatewayError,
  type Payer,
  transactionIn,
} from '@asset-gateway/client';
import type { CallRequest } from '@asset-gateway/client/tools';
import { dollarText, harmless, SHARED_TIMES } from '@asset-gateway/protocol';
import { stateFolder } from './config.ts';
import { RESEND_HINT, UNUSED_HINT, UsageError } from './failure.ts';
import { type Wallet, walletFor } from './keys/wallets.ts';
import { catalogOf } from './money/catalog.ts';
import { type Outcome, payerFor, withOutcome } from './money/command-payer.ts';
import { LedgerFile, type PurchaseStep } from './money/ledger-file.ts';
import { dollarsIn, millisecondsIn, type Values } from './options.ts';
import { Terminal } from './show/terminal.ts';

const PAYING_MS = 30_000;

const BUNDLE_USD = 0.05;

/** Options of `run`. */
export interface RunOptions {
  /** Called at each step of a purchase. */
  readonly onStep?: (step: PurchaseStep) => void;
}

/** Whether fetch accepts this URL. It refuses a user name or a password. */
export function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** Returns an option's URL, if given. No message shows it, because it may hold a key. */
function urlIn(values: Values, option: string, rule: string): string | undefined {
  const { text, source } = values.given(option);
  if (text === undefined || isHttpUrl(text)) return text;
  throw new UsageError(`${source} ${rule}`);
}

/** The gateway, wallet, ledger and terminal of one command. */
export class Session {
  readonly values: Values;
  readonly terminal: Terminal;
  readonly ledger: LedgerFile;
  /** The Solana RPC for payments, if any. */
  readonly rpc: string | undefined;
  /** The outcome of this run's payment, if any. */
  outcome: Outcome | undefined;
  #wallet: Promise<Wallet> | undefined;

  constructor(values: Values, { onStep }: RunOptions = {}) {
    this.values = values;
    this.terminal = new Terminal({ json: values.is('json'), noInput: values.is('no-input') });
    this.ledger = new LedgerFile(stateFolder(), onStep);
    const rule = 'takes the http or https URL of a Solana RPC, without a user name and password';
    this.rpc = urlIn(values, 'rpc', rule);
  }

  get gateway(): string {
    return urlIn(this.values, 'gateway', 'must be an origin such as http://localhost:8402') ?? '';
  }

  get wallet(): Promise<Wallet> {
    return this.#walletOr(this.values.is('credit'));
  }

  /** Returns the user's wallet. A user without one gets a new one, which is stored. */
  get storedWallet(): Promise<Wallet> {
    return this.#walletOr(true);
  }

  #walletOr(isStored: boolean): Promise<Wallet> {
    const made = (file: string): void => this.terminal.note(`made a wallet; its key is in ${file}`);
    this.#wallet ??= walletFor(this.values, { isStored, made });
    return this.#wallet;
  }

  /** Returns the limits in dollars. */
  get caps() {
    const cap = (option: string): number => {
      const { text = '', source } = this.values.given(option);
      return dollarsIn(text, source);
    };
    return { perCallUsd: cap('max-call'), perDayUsd: cap('max-day') };
  }

  /** Returns the time limit of a call in milliseconds, if the user has set one. */
  get timeoutMs(): number | undefined {
    const seconds = this.values.text('timeout');
    return seconds === undefined ? undefined : millisecondsIn(seconds, '--timeout');
  }

  /** Reports that the ledger could not record an outcome. */
  readonly noteLedgerFailure = (error: unknown): void =>
    this.terminal.note(`the outcome of the payment was not recorded: ${String(error)}`);

  /** Whether to pay without a confirmation. */
  get isPreapproved(): boolean {
    return this.values.is('pay') || this.values.is('credit');
  }

  /**
   * Returns a client that does not pay, pays within the limits, or pays after a confirmation. A bundle has its own limit. With `isServer`,
   * no user is asked and the wallet's credit pays.
   */
  async client({ perBundleUsd = BUNDLE_USD, isServer = false } = {}): Promise<GatewayClient> {
    const { values, terminal, ledger, rpc, gateway } = this;
    const caps = { ...this.caps, perBundleUsd };
    if (values.is('pay') && values.is('credit')) throw new UsageError('--credit pays as well; leave --pay out');
    const wallet = await this.wallet;
    const { isPreapproved } = this;
    const payer = payerFor({ gateway, wallet, terminal, ledger, rpc, caps, isPreapproved });
    const pay: Payer = { pay: async (...request) => withOutcome(await payer.pay(...request), this) };
    const canAsk = terminal.canAsk && !isServer;
    const mayUseCredit = (values.is('pay') || (isServer && !values.is('credit'))) && wallet.source !== 'temporary';
    return createClient({
      baseUrl: gateway,
      signer: wallet.signer,
      // A person gets time to confirm.
      timeoutMs: this.timeoutMs ?? (isPreapproved || !canAsk ? PAYING_MS : SHARED_TIMES.answerMs),
      ...(!mayUseCredit && { credit: values.is('credit') }),
      ...((isPreapproved || canAsk) && { pay }),
      catalog: async (signal, provider) => ({ routes: await catalogOf(gateway, { provider, signal }) }),
      onLedgerFailure: this.noteLedgerFailure,
    });
  }

  /** Sends a request and reports its signature, payment and credit. */
  async ask({ path, ...request }: CallRequest): Promise<Response> {
    const client = await this.client();
    const response = await this.terminal.whileWaiting('asking …', () => client.ask(path, request));
    this.report(response, await this.wallet);
    return response;
  }

  /** Prints an answer's status, signature, payment and credit to stderr. */
  report(response: Response, wallet?: Wallet): void {
    const [transaction, credit] = [transactionIn(response), creditIn(response)];
    const lines = this.terminal.isFormatted ? [] : [`${response.status} ${response.url}`];
    if (wallet && (transaction || lines.length > 0)) lines.push(`signed by ${wallet.signer.address}`);
    if (transaction) lines.push(`transaction ${transaction}`);
    if (credit) {
      const { chargedMicros, balanceMicros } = credit;
      const charged = chargedMicros === undefined ? '' : `charged ${dollarText(chargedMicros)}, `;
      lines.push(`credit: ${charged}${dollarText(balanceMicros)} left`);
    }
    for (const line of lines) this.terminal.note(line, this.terminal.notes.dim);
  }

  /** Returns the error to show for a command that may have paid. If its answer was paid for, prints it. */
  async failure(error: unknown): Promise<unknown> {
    const { message, response, code, payment } = error as Partial<GatewayError>;
    if (error instanceof GatewayError && this.outcome === 'open' && payment?.state === 'unused') {
      return new GatewayError(error.code, { ...error, message: `${message}; ${UNUSED_HINT}` });
    }
    if (this.outcome === 'open') {
      const what = code === 'payment_unknown' ? message : `${message}; the outcome of the payment is not known`;
      return new GatewayError('payment_unknown', { message: `${what}; ${RESEND_HINT}` });
    }
    if (this.outcome === 'paid' && response?.ok) {
      const text = await response.clone().text();
      this.terminal.write(this.terminal.isFormatted ? harmless(text) : text);
    }
    return error;
  }
}
