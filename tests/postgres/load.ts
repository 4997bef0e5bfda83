import { newSigner } from '@asset-gateway/client/node';
import { HEADERS } from '@asset-gateway/protocol';
import { expect } from 'vitest';
import { startTokensApi } from '../../packages/sandbox/src/tokens/api.ts';
import { sleep } from '../budget/history.ts';
import { openRichWallet, paymentFor, signatureFor } from '../credit/gateway.ts';
import { freePort } from '../http/ports.ts';
import { expectBooksInOrder } from '../kit/books.ts';
import { ownTime } from '../kit/event-loop.ts';
import { askPostgres } from '../kit/postgres.ts';
import { isFull } from '../kit/rounds.ts';
import { CANARY_KEY } from '../kit/test-gateway.ts';
import { signedHeader } from '../kit/wallet.ts';
import { newPath, type Reply, until } from '../payments/fault-buyer.ts';
import { askOnce as ask, openGatewaySeries } from '../payments/fault-process.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import { newPath as newFreePath } from '../redis/asking.ts';

type Kind = 'purchase' | 'debit';

/** A paid request, and its answer; undefined if the connection broke. Times are on this process's clock. */
interface Asked {
  readonly kind: Kind;
  readonly wallet: Wallet;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sentMs: number;
  readonly answeredMs: number;
  readonly reply: Reply | undefined;
  /** The answer to the same request, sent again. */
  later?: Reply | undefined;
}

/** Wallets that buy and spend at a gateway whose money is in PostgreSQL, and one more that only signs in. */
export interface Load {
  /** Until `finish`, each wallet sends one request after the other. */
  start(): void;
  finish(): Promise<void>;
  /** Each paid request that was sent and answered since this time was refused, within a second; each free one was served. Waits for some. */
  expectRefused(fromMs: number): Promise<void>;
  /** Resolves when both a purchase and a debit that were sent after this time are answered; expects that within two seconds. */
  expectServedAfter(backMs: number): Promise<void>;
  /** Repeats each request that has no outcome until it is answered, and compares the books with clients and chain. */
  expectOneChargeEach(): Promise<void>;
  close(): Promise<void>;
}

const WALLETS = isFull ? 10 : 4;
/** The delay of a busy machine is measured with a request that needs no database. */
const [REFUSED_MS, SERVED_MS, CONTROL_MS] = [1_000, 2_000, isFull ? 50 : 100];
/** Between requests of a wallet; after a refusal as well; and until one that has no outcome is sent again. */
const [PAUSE_MS, REFUSED_PAUSE_MS, AGAIN_MS] = [isFull ? 100 : 250, 200, 500];
/** Longer than the lease of a settlement and the next look at it. */
const LAPSED_MS = 30_000;
/** Longer than the lease of a payment and of a hold. */
const DECIDED_MS = 45_000;

const report = (text: string) => void process.stdout.write(`${text}\n`);

const statusOf = (reply: Reply | undefined): string =>
  reply ? `${reply.status} ${reply.code} ${reply.headers.get('retry-after') ?? ''}`.trim() : 'no answer';

const chargedIn = (reply: Reply | undefined): number =>
  Number(/charged=(\d+)/.exec(reply?.headers.get('credit') ?? '')?.[1] ?? 0);

/** Starts a gateway in its own process with this DATABASE_URL. `booksUrl`: where the books are read. */
export async function openLoad(databaseUrl: string, booksUrl: () => string = () => databaseUrl): Promise<Load> {
  const upstream = await startTokensApi({ key: CANARY_KEY });
  const series = await openGatewaySeries({
    CREDIT: 'on',
    PORT: String(await freePort()),
    DATABASE_URL: databaseUrl,
    TOKENS_API_BASE_URL: upstream.url,
    TOKENS_API_KEY: CANARY_KEY,
    TOKENS_RATE_LIMIT_PER_MINUTE: '100000',
  });
  const { url } = await series.current();
  const { mainnet } = series.solana;
  const isSpender = (index: number) => index % 2 === 1;
  const wallets: Wallet[] = [];
  for (let index = 0; index < WALLETS; index++)
    wallets.push(isSpender(index) ? await openRichWallet(series) : await openWallet(series.solana));
  const asked: Asked[] = [];
  const free: { readonly status: string; readonly atMs: number }[] = [];
  const controls: { readonly sentMs: number; readonly answeredMs: number }[] = [];
  const signer = newSigner();
  let isStopped = true;
  let loops: Promise<unknown> = Promise.resolve();

  /** Each wallet either buys or spends, by signature and by payment in turn. */
  async function askOnce(wallet: Wallet, round: number): Promise<void> {
    const kind = isSpender(wallets.indexOf(wallet)) ? 'debit' : 'purchase';
    const isSigned = kind === 'debit' && round % 2 === 0;
    const path = newPath();
    const headers = isSigned ? await signatureFor(url, path, wallet) : await paymentFor(url + path, wallet, 'call');
    const sentMs = performance.now();
    const reply = await ask(url + path, headers);
    asked.push({ kind, wallet, path, headers, sentMs, answeredMs: performance.now(), reply });
    if (reply?.status !== 200) await sleep(REFUSED_PAUSE_MS);
  }

  /** Sends each request of a wallet that has no outcome again until it is answered, and answers how many they were. */
  async function askAgain(wallet: Wallet): Promise<number> {
    const open = asked.filter((each) => each.wallet === wallet && (each.later ?? each.reply)?.status !== 200);
    for (const each of open) {
      for (const endMs = performance.now() + DECIDED_MS; performance.now() < endMs; await sleep(AGAIN_MS)) {
        each.later = await ask(url + each.path, each.headers);
        if (each.later && ![409, 503].includes(each.later.status)) break;
      }
      expect({ [each.kind]: statusOf(each.later) }).toEqual({ [each.kind]: '200' });
    }
    return open.length;
  }

  async function askForFree(): Promise<void> {
    const path = url + newFreePath();
    const header = await signedHeader(path, {}, signer);
    const reply = await ask(path, { [HEADERS.signIn]: header });
    free.push({ status: statusOf(reply), atMs: performance.now() });
  }

  async function control(): Promise<void> {
    const sentMs = performance.now();
    await ask(`${url}/healthz`, {});
    controls.push({ sentMs, answeredMs: performance.now() });
    await sleep(CONTROL_MS);
  }

  const repeat = async (task: (round: number) => Promise<void>): Promise<void> => {
    for (let round = 0; !isStopped; round++) {
      await task(round);
      await sleep(PAUSE_MS);
    }
  };

  /** How much longer than it should a request can have taken only because the machine was busy. */
  const busyMs = (fromMs: number, toMs: number): number => {
    const during = controls.filter(({ sentMs, answeredMs }) => sentMs < toMs && answeredMs > fromMs);
    return Math.max(0, ...during.map(({ sentMs, answeredMs }) => answeredMs - sentMs));
  };
  const ownMs = (fromMs: number, toMs: number): number => ownTime(fromMs, toMs) - busyMs(fromMs, toMs);

  return {
    start() {
      isStopped = false;
      const spending = wallets.map((wallet) => repeat((round) => askOnce(wallet, round)));
      loops = Promise.all([...spending, repeat(askForFree), repeat(control)]);
    },
    async finish() {
      isStopped = true;
      await loops;
    },
    async expectRefused(fromMs) {
      const since = () => asked.filter(({ sentMs }) => sentMs > fromMs);
      for (const kind of ['purchase', 'debit'] as const) {
        await until(() => since().some((each) => each.kind === kind), SERVED_MS * 5);
        const statuses = since()
          .filter((each) => each.kind === kind)
          .map(({ reply }) => statusOf(reply));
        expect({ [kind]: new Set(statuses) }).toEqual({ [kind]: new Set(['503 state_unavailable 2']) });
      }
      const waits = since().map(({ sentMs, answeredMs }) => ownMs(sentMs, answeredMs));
      report(`no refusal took longer than ${Math.ceil(Math.max(...waits))} ms`);
      expect(Math.max(...waits)).toBeLessThan(REFUSED_MS);
      const served = free.filter(({ atMs }) => atMs > fromMs).map(({ status }) => status);
      expect(new Set(served)).toEqual(new Set(['200']));
    },
    async expectServedAfter(backMs) {
      const firstOf = (wanted: Kind) =>
        asked.find(({ kind, sentMs, reply }) => kind === wanted && sentMs > backMs && reply?.status === 200);
      for (const kind of ['purchase', 'debit'] as const) {
        while (!firstOf(kind) && performance.now() - backMs < DECIDED_MS) await sleep(20);
        const waitMs = ownMs(backMs, firstOf(kind)?.answeredMs ?? performance.now());
        report(`a ${kind} was answered ${Math.ceil(waitMs)} ms after the server was back`);
        expect({ [kind]: waitMs < SERVED_MS || waitMs }).toEqual({ [kind]: true });
      }
    },
    async expectOneChargeEach() {
      const open = await Promise.all(wallets.map(askAgain));
      // A settlement that could not be recorded is answered, and recorded when its lease has lapsed.
      await until(async () => (await askPostgres(booksUrl(), 'select key from open_payments')).length === 0, LAPSED_MS);
      await expectBooksInOrder({ url: booksUrl() }, mainnet.transfers);
      const purchases = asked.filter(({ kind }) => kind === 'purchase').length;
      expect(mainnet.transfers).toHaveLength(purchases + WALLETS / 2);
      const spent = await askPostgres(booksUrl(), 'select wallet, spent_micro_usdc as spent from credit_balances');
      for (const { wallet, spent: micros } of spent) {
        const own = asked.filter((each) => each.wallet.address === wallet);
        const charged = own.reduce((sum, { reply, later }) => sum + chargedIn(later ?? reply), 0);
        expect({ wallet, spent: Number(micros) }).toEqual({ wallet, spent: charged });
      }
      expect(spent).toHaveLength(WALLETS / 2);
      const again = open.reduce((sum, each) => sum + each);
      report(
        `${asked.length} paid requests, ${again} sent again, ${mainnet.transfers.length} transfers, ${free.length} free requests`,
      );
      expect(new Set(free.map(({ status }) => status))).toEqual(new Set(['200']));
    },
    async close() {
      isStopped = true;
      await loops;
      await series.close();
      await upstream.close();
    },
  };
}
