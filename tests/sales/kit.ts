import { NETWORKS } from '@asset-gateway/protocol';
import { x402Client } from '@x402/core/client';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import bs58 from 'bs58';
import { openArchive } from '../../packages/gateway/src/compose/sales.ts';
import { type Environment, readConfig } from '../../packages/gateway/src/config/config.ts';
import { readTransaction } from '../../packages/gateway/src/payments/read/transaction.ts';
import { sales } from '../../packages/gateway/src/sales/command.ts';
import { append, type Database, type JournalEntry } from '../../packages/gateway/src/stores/sql/database.ts';
import type { SolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { jsonInit } from '../http/targets.ts';
import { signatureOver } from '../payments/drafts.ts';
import type { Buyer } from '../payments/fault-buyer.ts';

let serial = 0;

/** An entry of a settlement with its own payment and transaction. */
export function entryOf(change: Partial<JournalEntry> = {}): JournalEntry {
  const number = String(++serial).padStart(8, '0');
  return {
    kind: 'settlement',
    key: `${NETWORKS.mainnet}:entry-${number}`,
    cluster: 'mainnet',
    wallet: 'FKT3g5Vj8JqAAsMT2oxeiSAzhS6T2vgLPT5mL9wsMuEX',
    micros: 480,
    feeLamports: 10_001,
    transaction: `transaction-${number}`,
    route: 'rpc.mainnet.helius.getBalance',
    requestId: `r-${number}`,
    ...change,
  };
}

const WALLET = `insert into wallets (cluster, address) select $1, $2 where {in time}
  on conflict (cluster, address) do update set address = excluded.address returning id`;

/** Appends an entry, as a step does that has changed its wallet. */
export async function appendEntry(database: Database, entry: JournalEntry, atMs = database.now()): Promise<void> {
  const condition = { sql: WALLET, values: [entry.cluster, entry.wallet] };
  await database.write({ condition, changes: [append(entry, atMs)] });
}

/** Broadcasts a transaction past the gateway, signed as its fee payer does; over when it has moved something. */
export async function broadcast({ mainnet, variables }: SolanaSandbox, transaction: string): Promise<void> {
  const wire = Buffer.from(transaction, 'base64');
  const keypair = bs58.decode(variables.FEE_PAYER_KEYPAIR ?? '');
  wire.set(signatureOver(readTransaction(wire)?.message ?? new Uint8Array(), keypair), 1);
  const params = [wire.toString('base64'), { encoding: 'base64', skipPreflight: true }];
  const before = mainnet.transfers.length;
  await fetch(mainnet.url, jsonInit({ jsonrpc: '2.0', id: 1, method: 'sendTransaction', params }));
  while (mainnet.transfers.length === before) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Sends the payee USDC past the gateway, for nothing. Its fee is paid by the gateway's fee payer. */
export async function sendGift(solana: SolanaSandbox, { signer }: Buyer, micros: number, memo = 'a gift') {
  const { mainnet, payTo, variables } = solana;
  const keypair = bs58.decode(variables.FEE_PAYER_KEYPAIR ?? '');
  const client = new x402Client().register('solana:*', new ExactSvmScheme(signer, { rpcUrl: mainnet.url }));
  const extra = { feePayer: bs58.encode(keypair.subarray(32)), memo };
  const what = { scheme: 'exact', network: NETWORKS.mainnet, amount: String(micros), asset: mainnet.usdcMint } as const;
  const { payload } = await client.createPaymentPayload({
    x402Version: 2,
    resource: { url: 'http://localhost/' },
    accepts: [{ ...what, payTo, maxTimeoutSeconds: 60, extra }],
  });
  await broadcast(solana, String(payload.transaction));
}

/** Runs the command in this process with a gateway's variables: to start another process would take longer. */
export async function runSales(variables: Environment, ...words: string[]) {
  const written = { stdout: '', stderr: '' };
  const into = (name: keyof typeof written) => ({
    write(text: string) {
      written[name] += text;
    },
  });
  const output = { stdout: into('stdout'), stderr: into('stderr') };
  const code = await sales(words, output, async (toRepair) => openArchive(readConfig(variables), toRepair));
  return { code, ...written };
}
