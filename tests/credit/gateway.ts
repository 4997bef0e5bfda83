import { setTimeout as sleep } from 'node:timers/promises';
import { type CreditBalanceResult, type Signer, signIn } from '@asset-gateway/client';
import { newKeypair } from '@asset-gateway/client/node';
import type { Environment } from '@asset-gateway/gateway';
import { HEADERS } from '@asset-gateway/protocol';
import type { PaymentPayload, PaymentRequired } from '@x402/core/types';
import bs58 from 'bs58';
import { expect } from 'vitest';
import type { Example } from '../http/targets.ts';
import { type SellingGateway, type SellingGatewayOptions, startSellingGateway } from '../kit/test-gateway.ts';
import { askSigned, challengeFor } from '../kit/wallet.ts';
import { bodyOf, callOf, headerOf, ROOMY, requiredFor, send } from '../payments/calls.ts';
import { until } from '../payments/fault-buyer.ts';
import { askUntilDecided, type GatewaySeries } from '../payments/fault-process.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';

export const CREDIT = { ...ROOMY, CREDIT: 'on' };

/** Starts a gateway that sells credit. */
export const startCreditGateway = (
  options: SellingGatewayOptions = {},
  variables: Environment = {},
): Promise<SellingGateway> => startSellingGateway({ ...CREDIT, ...variables }, options);

/** A call that buys credit and nothing else. */
export const buying = (cluster: 'mainnet' | 'devnet'): Example => ({
  target: `/v1/x402/credit/${cluster}`,
  init: { method: 'POST', headers: {} },
});

/** A call for a new address each time, so that no call gets another one's answer. */
export const anyCall = (): Example =>
  callOf('rpc.mainnet.helius.getBalance', { body: { params: [bs58.encode(newKeypair().subarray(32))] } });

/** A requirement with one of the amounts alone, as a client chooses it. */
export function choose(required: PaymentRequired, amount: number): PaymentRequired {
  const accepts = required.accepts.filter((each) => each.amount === String(amount));
  if (accepts.length !== 1) throw new Error(`no requirement of ${amount}`);
  return { ...required, accepts };
}

/** A payment of this amount for this request, not sent yet. */
export async function paymentOf(
  gateway: SellingGateway,
  call: Example,
  wallet: Wallet,
  amount: number,
): Promise<PaymentPayload> {
  return wallet.pay(choose(await requiredFor(gateway, call), amount));
}

/** Buys so much credit. */
export async function buyCredit(
  gateway: SellingGateway,
  wallet: Wallet,
  amount = 50_000,
  cluster: 'mainnet' | 'devnet' = 'mainnet',
): Promise<Response> {
  const payment = await paymentOf(gateway, buying(cluster), wallet, amount);
  return send(gateway, buying(cluster), { [HEADERS.payment]: headerOf(payment) });
}

/** A wallet that has bought credit. */
export async function openCreditedWallet(gateway: SellingGateway): Promise<Wallet> {
  const wallet = await openWallet(gateway.solana);
  expect((await buyCredit(gateway, wallet)).status).toBe(200);
  return wallet;
}

/** The balance on one cluster. */
type Balance = CreditBalanceResult['balances'][number];

/** Asks for the account of a wallet, again a little later if it was asked too often. */
export async function statementOf(gateway: { readonly url: string }, wallet: Wallet): Promise<CreditBalanceResult> {
  const response = await askSigned(`${gateway.url}/v1/x402/credit`, {}, wallet.signIn);
  if (response.status === 429) {
    await sleep(250);
    return statementOf(gateway, wallet);
  }
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return (await bodyOf(response)).result as CreditBalanceResult;
}

/** The balance of a wallet on one cluster. */
export async function balanceOf(
  gateway: { readonly url: string },
  wallet: Wallet,
  cluster: 'mainnet' | 'devnet' = 'mainnet',
): Promise<Balance> {
  const { balances } = await statementOf(gateway, wallet);
  const found = balances.find((each) => each.cluster === cluster);
  if (!found) throw new Error(`no balance on ${cluster}`);
  return found;
}

/** A header that spends credit on this call once. */
export async function spendingHeader(
  gateway: { readonly url: string },
  { target, init }: Example,
  signer: Signer,
): Promise<string> {
  const url = gateway.url + target;
  const challenge = await challengeFor(url, { ...init, headers: { ...init.headers, Prefer: 'credit' } });
  return signIn(challenge, signer, new URL(url));
}

/** Asks by signature, out of credit. */
export async function spend(gateway: SellingGateway, call: Example, signer: Signer): Promise<Response> {
  return send(gateway, call, { [HEADERS.signIn]: await spendingHeader(gateway, call, signer) });
}

type Headers = Readonly<Record<string, string>>;

/** Signs for a path, with a challenge of the gateway. */
export async function signatureFor(url: string, target: string, wallet: Wallet): Promise<Headers> {
  const call = { target, init: { method: 'GET', headers: {} } };
  return { [HEADERS.signIn]: await spendingHeader({ url }, call, wallet.signIn) };
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

/** The account of a wallet on mainnet, at a gateway that may just have ended or whose database may be late. */
export async function accountOf(url: string, wallet: Wallet): Promise<Balance> {
  const found: Balance[] = [];
  const ask = () => balanceOf({ url }, wallet).catch(() => undefined);
  await until(async () => found.push(...[await ask()].filter((each) => each !== undefined)) > 0);
  return found[0] as Balance;
}

/** A wallet that has bought the largest bundle of credit. */
export async function openRichWallet(series: Pick<GatewaySeries, 'solana' | 'current'>): Promise<Wallet> {
  const wallet = await openWallet(series.solana);
  const { url } = await series.current();
  const init = { method: 'POST' };
  const path = `${url}/v1/x402/credit/mainnet`;
  const bought = await askUntilDecided(path, await paymentFor(path, wallet, 'bundle', init), undefined, init);
  expect(bought.status).toBe(200);
  return wallet;
}
