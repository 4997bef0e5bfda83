import { signIn } from '@asset-gateway/client';
import { HEADERS } from '@asset-gateway/protocol';
import { expect } from 'vitest';
import { freePort } from '../http/ports.ts';
import { roundsOnEach } from '../kit/rounds.ts';
import { challengeFor } from '../kit/wallet.ts';
import { newPath, type Reply, readReply, until } from '../payments/fault-buyer.ts';
import { openStreet, type Street } from '../payments/fault-process.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import type { Balance, Statement } from './gateway.ts';

/** Gateways with credit in processes of their own, on one folder or one Redis, and on one port: what was signed stays good. */
export const openCreditStreet = async (variables: object = {}): Promise<Street> =>
  openStreet({ CREDIT: 'on', PORT: String(await freePort()), ...variables });

type Headers = Readonly<Record<string, string>>;

/** Asks once; nothing where the gateway went away. */
export const ask = async (url: string, headers: Headers, init: RequestInit = {}): Promise<Reply | undefined> => {
  const sent = fetch(url, { ...init, headers }).then(readReply);
  return sent.catch(() => undefined);
};

/** The same until there is an outcome, or another answer than this status is not to come soon. */
export async function askUntilDecided(
  url: string,
  headers: Headers,
  limitMs = 15_000,
  init: RequestInit = {},
): Promise<Reply> {
  let reply: Reply | undefined;
  const isOpen = () => reply === undefined || [409, 429, 503].includes(reply.status);
  await until(async () => {
    reply = await ask(url, headers, init);
    return !isOpen();
  }, limitMs).catch(() => undefined);
  if (!reply) throw new Error('nobody answers');
  return reply;
}

/** Signs for a path: with the challenge of whoever stands. */
export async function signatureFor(url: string, path: string, { signIn: signer }: Wallet): Promise<Headers> {
  const challenge = await challengeFor(url + path, { headers: { Prefer: 'credit' } });
  return { [HEADERS.signIn]: await signIn(challenge, signer, new URL(url + path)) };
}

/** Pays for a path with the first requirement of its challenge or, `bundle`, with the last. */
export async function paymentFor(
  url: string,
  wallet: Wallet,
  which: 'call' | 'bundle',
  init: RequestInit = {},
): Promise<Headers> {
  const required = (await (await fetch(url, init)).json()) as Parameters<Wallet['pay']>[0];
  const accepts = which === 'call' ? required.accepts.slice(0, 1) : required.accepts.slice(-1);
  return { [HEADERS.payment]: btoa(JSON.stringify(await wallet.pay({ ...required, accepts }))) };
}

/** What the account of a wallet says on mainnet. */
export async function accountOf(url: string, wallet: Wallet): Promise<Balance> {
  const path = '/v1/x402/credit';
  let found: Balance | undefined;
  // A connection that was kept may be that of a gateway which is gone, and a busy Redis may answer late.
  await until(async () => {
    const reply = await ask(url + path, await signatureFor(url, path, wallet)).catch(() => undefined);
    if (reply?.status !== 200) return false;
    const { result } = JSON.parse(reply.text) as { result: Statement };
    found = result.balances.find(({ cluster }) => cluster === 'mainnet');
    return true;
  });
  if (!found) throw new Error('no balance');
  return found;
}

/** A wallet that has bought credit. */
export async function openRichWallet(street: Street): Promise<Wallet> {
  const wallet = await openWallet(street.solana);
  const { url } = await street.standing();
  const init = { method: 'POST' };
  const path = `${url}/v1/x402/credit/mainnet`;
  const bought = await askUntilDecided(path, await paymentFor(path, wallet, 'bundle', init), undefined, init);
  expect(bought.status).toBe(200);
  return wallet;
}

/** How often each step is killed on each store. */
export const KILLS = roundsOnEach(20);

/** One call by what pays for it, at a gateway that kills itself after a step. */
export interface Killed {
  readonly path: string;
  readonly headers: Headers;
  readonly first: Reply | undefined;
  /** Upstream calls and transfers before the kill. */
  readonly before: { readonly calls: number; readonly transfers: number };
}

/** Asks a gateway that kills itself after this step. */
export async function killedAfter(
  step: string,
  street: Street,
  pay: (url: string, path: string) => Promise<Headers>,
): Promise<Killed> {
  const { mainnet, provider } = street.solana;
  const before = { calls: provider.arrivals.length, transfers: mainnet.transfers.length };
  const doomed = await street.standing();
  const path = newPath();
  const headers = await pay(doomed.url, path);
  await street.doom(doomed, step);
  const first = await ask(doomed.url + path, headers);
  await street.fallen(doomed);
  return { path, headers, first, before };
}
