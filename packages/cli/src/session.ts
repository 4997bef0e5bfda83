import {
  createClient,
  creditIn,
  type GatewayClient,
  GatewayError,
  type Payer,
  transactionIn,
} from '@asset-gateway/client';
import { dollars, harmless } from '@asset-gateway/protocol';
import { cacheFolder, gatewayUrl, maxUsdPerCall, maxUsdPerDay, rpcUrl, stateFolder } from './config.ts';
import type { Wallet } from './keys/files.ts';
import { walletFor } from './keys/wallets.ts';
import { Misunderstood } from './misunderstood.ts';
import { catalogOf } from './money/catalog.ts';
import { LedgerFile, type PurchaseStep } from './money/ledger-file.ts';
import { type Outcome, payerFor, watched } from './money/paying.ts';
import { dollarsIn, millisecondsIn, type Values } from './options.ts';
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

/** Whether a text is a URL that fetch takes: it refuses one with a user name or a password. */
function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** The Solana RPC that was named. Its URL may hold a key, so no message shows it. */
function rpcIn(values: Values): string | undefined {
  const [option, variable] = [values.text('rpc'), rpcUrl()];
  const url = option ?? variable;
  if (url === undefined || isHttpUrl(url)) return url;
  const name = option === undefined ? 'ASSET_GATEWAY_RPC_URL' : '--rpc';
  throw new Misunderstood(`${name} takes the http or https URL of a Solana RPC, without a user name and password`);
}

/** What one run of the command works with: the gateway, the wallet, the ledger and the terminal. */
export class Session {
  readonly values: Values;
  readonly terminal: Terminal;
  readonly ledger: LedgerFile;
  /** The Solana RPC for payments, if one was named. */
  readonly rpc: string | undefined;
  /** What became of the payment that this run made, if it made one. */
  outcome: Outcome | undefined;
  #wallet: Promise<Wallet> | undefined;

  constructor(values: Values, { onStep }: RunOptions = {}) {
    this.values = values;
    this.terminal = new Terminal({ json: values.is('json'), noInput: values.is('no-input') });
    this.ledger = new LedgerFile(stateFolder(), Date.now, onStep);
    this.rpc = rpcIn(values);
  }

  get gateway(): string {
    const url = this.values.text('gateway') ?? gatewayUrl();
    if (isHttpUrl(url)) return url;
    const name = this.values.text('gateway') === undefined ? 'ASSET_GATEWAY_URL' : '--gateway';
    throw new Misunderstood(`${name} must be an origin such as http://localhost:8402`);
  }

  get wallet(): Promise<Wallet> {
    this.#wallet ??= walletFor(this.values);
    return this.#wallet;
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

  /** How long a call may take, in milliseconds; undefined if the user has not said. */
  get timeoutMs(): number | undefined {
    const seconds = this.values.text('timeout');
    return seconds === undefined ? undefined : millisecondsIn(seconds, '--timeout');
  }

  /** Whether to pay without asking. */
  get isTold(): boolean {
    return this.values.is('pay') || this.values.is('credit');
  }

  /** A client that pays as it was told: not at all, within the limits, or after asking. A bundle of credit has a limit of its own. */
  async client(perBundleUsd = BUNDLE_USD): Promise<GatewayClient> {
    const { values, terminal, ledger, rpc, gateway } = this;
    const caps = { ...this.caps, perBundleUsd };
    if (values.is('pay') && values.is('credit')) throw new Misunderstood('--credit pays as well; leave --pay out');
    const wallet = await this.wallet;
    const { isTold } = this;
    const payer = payerFor({ gateway, wallet, terminal, ledger, rpc, caps, isTold });
    const report = (outcome: Outcome): void => {
      this.outcome = outcome;
    };
    const pay: Payer = { pay: async (...asked) => watched(await payer.pay(...asked), report) };
    const mayUseCredit = values.is('pay') && wallet.source !== 'fresh';
    return createClient({
      baseUrl: gateway,
      signer: wallet.signer,
      timeoutMs: this.timeoutMs ?? (isTold || !terminal.canAsk ? PAYING_MS : ASKING_MS),
      ...(!mayUseCredit && { credit: values.is('credit') }),
      ...((isTold || terminal.canAsk) && { pay }),
      catalog: async (signal) => ({ routes: await catalogOf(gateway, cacheFolder(), signal) }),
      onLedgerFailure: (error) => terminal.note(`the outcome of the payment was not recorded: ${String(error)}`),
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

  /** The failure of a command that may have paid: an open payment comes first, and an answer that was paid for is shown. */
  async failure(error: unknown): Promise<unknown> {
    const { message, response, code } = error as Partial<GatewayError>;
    if (this.outcome === 'open') {
      const what = code === 'payment_unknown' ? message : `${message}; the outcome of the payment is not known`;
      const next = 'run the same command again, or resume: both send the same payment';
      return new GatewayError('payment_unknown', { message: `${what}; ${next}` });
    }
    if (this.outcome === 'paid' && response?.ok) {
      const text = await response.clone().text();
      this.terminal.write(this.terminal.isFormatted ? harmless(text) : text);
    }
    return error;
  }
}
