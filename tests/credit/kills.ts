import { signIn } from '@asset-gateway/client';
import { HEADERS } from '@asset-gateway/protocol';
import { expect } from 'vitest';
import { challengeFor } from '../kit/wallet.ts';
import { until } from '../payments/fault-buyer.ts';
import { askOnce, askUntilDecided, type GatewaySeries } from '../payments/fault-process.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import type { Balance, Statement } from './gateway.ts';

type Headers = Readonly<Record<string, string>>;

/** Signs for a path, with a challenge of the gateway. */
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

/** The account of a wallet on mainnet. */
export async function accountOf(url: string, wallet: Wallet): Promise<Balance> {
  const path = '/v1/x402/credit';
  let found: Balance | undefined;
  // A kept connection may be that of a gateway that has ended, and a busy database may answer late.
  await until(async () => {
    const reply = await askOnce(url + path, await signatureFor(url, path, wallet)).catch(() => undefined);
    if (reply?.status !== 200) return false;
    const { result } = JSON.parse(reply.text) as { result: Statement };
    found = result.balances.find(({ cluster }) => cluster === 'mainnet');
    return true;
  });
  if (!found) throw new Error('no balance');
  return found;
}

/** A wallet that has bought credit. */
export async function openRichWallet(series: GatewaySeries): Promise<Wallet> {
  const wallet = await openWallet(series.solana);
  const { url } = await series.current();
  const init = { method: 'POST' };
  const path = `${url}/v1/x402/credit/mainnet`;
  const bought = await askUntilDecided(path, await paymentFor(path, wallet, 'bundle', init), undefined, init);
  expect(bought.status).toBe(200);
  return wallet;
}
