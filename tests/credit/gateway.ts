import { challengeIn, type Signer, signIn } from '@asset-gateway/client';
import { newKeypair } from '@asset-gateway/client/node';
import type { Environment } from '@asset-gateway/gateway';
import { HEADERS } from '@asset-gateway/protocol';
import type { PaymentPayload, PaymentRequired } from '@x402/core/types';
import bs58 from 'bs58';
import type { Example } from '../http/targets.ts';
import { type SellingGateway, type SellingGatewayOptions, startSellingGateway } from '../kit/selling-gateway.ts';
import { askSigned } from '../kit/wallet.ts';
import { bodyOf, callOf, headerOf, ROOMY, requiredFor, send } from '../payments/calls.ts';
import type { Wallet } from '../payments/wallets.ts';

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

/** The balance on one cluster. */
export interface Balance {
  readonly cluster: string;
  readonly balanceMicros: number;
  readonly heldMicros: number;
  readonly grantedMicros: number;
  readonly spentMicros: number;
}

/** The account of a wallet. */
export interface Statement {
  readonly wallet: string;
  readonly balances: readonly Balance[];
  readonly movements: readonly { readonly kind: string; readonly micros: number; readonly cluster: string }[];
}

/** Asks for the account of a wallet. */
export async function statementOf(gateway: SellingGateway, wallet: Wallet): Promise<Statement> {
  const response = await askSigned(`${gateway.url}/v1/x402/credit`, {}, wallet.signIn);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return (await bodyOf(response)).result as Statement;
}

/** The balance of a wallet on one cluster. */
export async function balanceOf(
  gateway: SellingGateway,
  wallet: Wallet,
  cluster: 'mainnet' | 'devnet' = 'mainnet',
): Promise<Balance> {
  const { balances } = await statementOf(gateway, wallet);
  const found = balances.find((each) => each.cluster === cluster);
  if (!found) throw new Error(`no balance on ${cluster}`);
  return found;
}

/** A header that spends credit on this call once. */
export async function spendingHeader(gateway: SellingGateway, call: Example, signer: Signer): Promise<string> {
  const response = await send(gateway, call, { Prefer: 'credit' });
  const challenge = challengeIn(await response.json());
  if (!challenge) throw new Error(`no challenge but ${response.status}`);
  return signIn(challenge, signer, new URL(`${gateway.url}${call.target}`));
}

/** Asks by signature, out of credit. */
export async function spend(gateway: SellingGateway, call: Example, signer: Signer): Promise<Response> {
  return send(gateway, call, { [HEADERS.signIn]: await spendingHeader(gateway, call, signer) });
}
