import { HEADERS } from '@asset-gateway/protocol';
import type { SolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { sleep } from '../budget/history.ts';
import { openRichWallet, paymentFor } from '../credit/gateway.ts';
import type { GatewayProcess } from '../kit/process.ts';
import { newPath, type Reply } from '../payments/fault-buyer.ts';
import { askOnce } from '../payments/fault-process.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import { signAt } from '../redis/nodes.ts';

/** How a wallet pays for its calls: in the last two ways out of credit. */
type Way = 'call' | 'bundle' | 'covered call' | 'signature';

interface Payer {
  readonly way: Way;
  readonly wallet: Wallet;
}

/** A request, and all answers to its copies. */
interface Asked extends Payer {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly replies: Reply[];
}

const [PAUSE_MS, AGAIN_MS] = [400, 500];
/** Longer than any freeze, so that copies that a frozen node has received are answered. */
const PATIENCE_MS = 15_000;
/** How many requests of a wallet may be without an outcome, less than the gateway allows: more would only be told to wait. */
const MOST_OPEN = 3;
/** Longer than any lease and what follows it. */
const ATTEMPTS = 300;
/** Enough for bundles all the time. */
const FUNDS = 1_000_000_000n;

/** An outcome is an answer, or a refusal that does not say when to try again. */
const isOutcome = ({ status, headers }: Reply): boolean =>
  status === 200 || (status < 500 && !headers.has('retry-after'));

/** Two wallets for each way to pay, and four for single calls, which ask all nodes, each time one, two or all of them at once. A node that starts again has another address. */
export class StormWallets {
  /** Requests that were sent. */
  readonly asked: Asked[] = [];
  copies = 0;
  readonly #nodes: readonly GatewayProcess[];
  readonly #payers: readonly Payer[];
  readonly #deciding: Promise<void>[] = [];
  #loops: Promise<unknown> = Promise.resolve();
  #isOver = false;

  private constructor(nodes: readonly GatewayProcess[], payers: readonly Payer[]) {
    this.#nodes = nodes;
    this.#payers = payers;
  }

  static async open(nodes: readonly GatewayProcess[], solana: SolanaSandbox) {
    const series = { solana, current: async () => nodes[0] as GatewayProcess };
    const payers: Payer[] = [];
    for (const way of ['call', 'call', 'bundle', 'covered call', 'signature'] as const)
      for (let count = 0; count < 2; count++) {
        const isRich = way === 'covered call' || way === 'signature';
        payers.push({ way, wallet: await (isRich ? openRichWallet(series) : openWallet(solana, FUNDS)) });
      }
    return new StormWallets(nodes, payers);
  }

  start(): void {
    this.#loops = Promise.all(this.#payers.map((payer, index) => this.#keepAsking(payer, index)));
  }

  /** Ends the load. Each request that has no outcome is sent again until it has one; rejects if it gets none. */
  async finish(): Promise<void> {
    this.#isOver = true;
    await this.#loops;
    await Promise.all(this.#deciding);
  }

  /** The answer to each request that was answered. Throws if two answers to one request differ. */
  served(): { readonly wallet: Wallet; readonly reply: Reply }[] {
    return this.asked.flatMap(({ way, wallet, replies }) => {
      const answers = replies.filter(({ status }) => status === 200);
      const [reply] = answers;
      if (new Set(answers.map(({ text }) => text)).size > 1) throw new Error(`a ${way} has different answers`);
      if (answers.filter(({ isReplayed }) => !isReplayed).length > 1) throw new Error(`a ${way} was answered twice`);
      return reply ? [{ wallet, reply }] : [];
    });
  }

  /** How often each outcome was given in all copies. */
  outcomes(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { way, replies } of this.asked)
      for (const { outcome } of replies) counts[`${way}: ${outcome}`] = (counts[`${way}: ${outcome}`] ?? 0) + 1;
    return counts;
  }

  async #keepAsking(payer: Payer, first: number): Promise<void> {
    let open = 0;
    for (let turn = first; !this.#isOver; turn++) {
      await sleep(PAUSE_MS);
      if (open >= MOST_OPEN) continue;
      const path = newPath();
      // Before it is sent, nothing can have happened.
      const headers = await this.#headersFor(payer, path, turn).catch(() => undefined);
      if (headers) {
        const request = { ...payer, path, headers, replies: [] };
        this.asked.push(request);
        open++;
        const deciding = this.#decide(request, turn).finally(() => open--);
        deciding.catch(() => undefined);
        this.#deciding.push(deciding);
      }
    }
  }

  async #headersFor({ way, wallet }: Payer, path: string, turn: number): Promise<Asked['headers']> {
    const node = this.#nodeAt(turn);
    if (way !== 'signature') return paymentFor(node.url + path, wallet, way === 'bundle' ? 'bundle' : 'call');
    return { [HEADERS.signIn]: await signAt(node, path, wallet.signIn, { headers: { Prefer: 'credit' } }) };
  }

  async #decide(request: Asked, turn: number): Promise<void> {
    const atOnce = 1 + (Math.floor(turn / this.#nodes.length) % this.#nodes.length);
    await Promise.all(Array.from({ length: atOnce }, (_, index) => this.#send(request, turn + index)));
    for (let attempt = 0; !request.replies.some(isOutcome); attempt++) {
      if (attempt === ATTEMPTS)
        throw new Error(`a ${request.way} has no outcome: ${request.replies.at(-1)?.outcome ?? 'no answer'}`);
      await sleep(AGAIN_MS);
      await this.#send(request, turn + attempt);
    }
  }

  async #send({ path, headers, replies }: Asked, turn: number): Promise<void> {
    this.copies++;
    const reply = await askOnce(this.#nodeAt(turn).url + path, headers, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (reply) replies.push(reply);
  }

  #nodeAt = (turn: number): GatewayProcess => this.#nodes[turn % this.#nodes.length] as GatewayProcess;
}
