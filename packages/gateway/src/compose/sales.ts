import { existsSync } from 'node:fs';
import { type Cluster, NETWORKS, USDC } from '@asset-gateway/protocol';
import { type Config, ConfigError } from '../config/config.ts';
import type { FacilitatorConfig, PaidConfig } from '../config/paid.ts';
import { lateGrants } from '../credit/grants.ts';
import { Chain } from '../payments/facilitator/chain.ts';
import { tokenAccountOf } from '../payments/payees.ts';
import type { PayeeChain } from '../sales/audit.ts';
import type { Archive } from '../sales/command.ts';
import { EmbeddedBooks } from '../sales/embedded-books.ts';
import { RedisBooks } from '../sales/redis-books.ts';
import { databaseIn, readDatabase } from '../stores/database.ts';
import { RedisConnection } from '../stores/redis/connection.ts';
import { openState } from './state.ts';

type Opened = Pick<Archive, 'books' | 'documents' | 'close'>;

async function openRedisBooks(url: string): Promise<Opened> {
  const connection = await RedisConnection.load(url);
  await connection.connect(() => undefined);
  if (!connection.isConnected) {
    connection.close();
    throw new ConfigError(['REDIS_URL: Redis does not answer.']);
  }
  return { books: new RedisBooks(connection), documents: undefined, close: async () => connection.close() };
}

/** The folder of a gateway that may be running: nothing is locked, and nothing is written. */
async function openFolderBooks(folder: string): Promise<Opened> {
  if (!existsSync(databaseIn(folder))) throw new ConfigError([`DATA_DIR: no gateway has served from ${folder} yet.`]);
  const root = readDatabase(folder);
  return { books: new EmbeddedBooks(root), documents: undefined, close: () => root.close() };
}

async function feePayerOf(facilitator: FacilitatorConfig): Promise<string | undefined> {
  if (facilitator.kind === 'remote') return undefined;
  const { createKeyPairSignerFromBytes } = await import('@solana/kit');
  return (await createKeyPairSignerFromBytes(facilitator.keypair)).address;
}

/** Where the payee is paid, over connections of their own. */
export async function payeesOf({ payTo, facilitator, solanaRpcUrls }: PaidConfig): Promise<PayeeChain[]> {
  const feePayer = await feePayerOf(facilitator);
  const urls = Object.entries(solanaRpcUrls) as [Cluster, string][];
  return Promise.all(
    urls.map(async ([cluster, url]) => {
      const mint = USDC[cluster];
      const account = await tokenAccountOf(payTo, mint);
      return { payee: { network: NETWORKS[cluster], account, mint, feePayer }, chain: new Chain(url) };
    }),
  );
}

const NO_CHAIN = 'SOLANA_MAINNET_RPC_URL or SOLANA_DEVNET_RPC_URL is required: there is no chain to compare with.';

/** Everything, as a gateway opens it: in a folder it is the only one then. */
async function openToRepair(config: Config): Promise<Opened> {
  const state = await openState(config);
  await state.connect(() => undefined);
  return state;
}

const openToRead = ({ redisUrl, dataDir }: Config): Promise<Opened> =>
  redisUrl === undefined ? openFolderBooks(dataDir) : openRedisBooks(redisUrl);

/** What of a repaired settlement is credit. */
function grantsOf(credit: Config['credit'], documents: Opened['documents']): Archive['grantOf'] {
  if (!credit || !documents) return undefined;
  return lateGrants([credit.bundleMicros, ...credit.bundlesMicros], () => documents.now());
}

/** Opens what the command `sales` looks into. */
export async function openArchive(config: Config, toRepair: boolean): Promise<Archive> {
  const { paid, journalKeepMs: keepMs } = config;
  const { books, documents, close } = await (toRepair ? openToRepair(config) : openToRead(config));
  let payees: Promise<PayeeChain[]> = Promise.resolve([]);
  return {
    books,
    documents,
    grantOf: grantsOf(config.credit, documents),
    solPriceUsd: paid?.solPriceUsd,
    keepMs,
    async payees() {
      if (!paid || Object.keys(paid.solanaRpcUrls).length === 0) throw new ConfigError([NO_CHAIN]);
      if ((await payees).length === 0) payees = payeesOf(paid);
      return payees;
    },
    async close() {
      for (const { chain } of await payees) await chain.close();
      await close();
    },
  };
}
