import { mkdirSync } from 'node:fs';
import { challengeIn, signIn } from '../../packages/client/dist/index.js';
import { paymentFor } from '../../packages/client/dist/pay.js';
import { SqliteDatabase, sqliteIn } from '../../packages/gateway/dist/stores/sql/sqlite.js';

/** A request with further header lines. */
export const withLines = (request, lines) => ({ ...request, lines: [...(request.lines ?? []), ...lines] });

/** The header line of a fresh sign-in for a request, or for any request to `origin`. */
export async function signInLines({ url, ask }, signer, request, origin) {
  const challenge = challengeIn(JSON.parse((await ask(request)).body));
  const uri = origin ?? challenge.info.uri;
  const header = await signIn({ ...challenge, info: { ...challenge.info, uri } }, signer, new URL(request.target, url));
  return [`SIGN-IN-WITH-X: ${header}`];
}

/** The header line of a payment for a request; undefined if its 402 asks for none. */
export async function paymentLines({ ask }, { wallet, chain }, request) {
  const required = JSON.parse((await ask(request)).body);
  if (!required.accepts) return undefined;
  const { 'PAYMENT-SIGNATURE': header } = await paymentFor(required, { wallet, rpcUrl: chain.url });
  return [`PAYMENT-SIGNATURE: ${header}`];
}

/** Gives wallets credit in the database of a gateway that has not started yet. */
export async function giveCredit(folder, signers) {
  mkdirSync(folder, { recursive: true });
  const database = new SqliteDatabase(sqliteIn(folder), { now: Date.now });
  const sql = `insert into wallets (cluster, address, granted_micro_usdc) select 'mainnet', $1, 5000000 where {in time} returning id`;
  for (const { address } of signers) await database.write({ condition: { sql, values: [address] } });
  await database.close();
}
