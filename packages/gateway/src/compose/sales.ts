import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, NETWORKS, USDC } from '@asset-gateway/protocol';
import { closeAll } from '../closing.ts';
import { type Config, ConfigError } from '../config/config.ts';
import type { PaidConfig } from '../config/paid.ts';
import { nodeCrypto } from '../crypto.ts';
import { Chain } from '../payments/facilitator/chain.ts';
import { addressOf } from '../payments/facilitator/local.ts';
import { tokenAccountOf } from '../payments/open.ts';
import { Memos } from '../payments/read/requirement.ts';
import { useProxies } from '../proxies.ts';
import type { ProveCredit } from '../sales/audit.ts';
import { Books } from '../sales/books.ts';
import type { Archive } from '../sales/command.ts';
import { CoveredWatch } from '../sales/covered-watch.ts';
import type { Payee } from '../sales/payee-history.ts';
import { monotonicMs } from '../stores/clock.ts';
import type { Money } from './money.ts';
import { COMMAND_CONNECT_MS, openPostgres, openState, openToRead, signingSecretsOf } from './state.ts';

/** Returns the payee's account on each cluster, with its own connection. */
async function payeesOf({ payTo, facilitator, solanaRpcUrls }: PaidConfig): Promise<Payee[]> {
  const feePayer = facilitator.kind === 'remote' ? undefined : addressOf(facilitator.keypair);
  const urls = Object.entries(solanaRpcUrls) as [Cluster, string][];
  return Promise.all(
    urls.map(async ([cluster, url]) => {
      const mint = USDC[cluster];
      const account = await tokenAccountOf(payTo, mint);
      return { cluster, payTo, account, mint, feePayer, chain: new Chain(url) };
    }),
  );
}

/** Opens the payee's chains when they are first needed. */
function openOnce(paid: PaidConfig) {
  let opened: Promise<Payee[]> | undefined;
  return {
    payees() {
      opened ??= payeesOf(paid);
      return opened;
    },
    async close() {
      await closeAll(((await opened) ?? []).map(({ chain }) => chain));
    },
  };
}

const NO_SECRET = "GATEWAY_SECRET is required: it proves which memos are this gateway's own.";
const NO_CHAIN =
  'SOLANA_MAINNET_RPC_URL or SOLANA_DEVNET_RPC_URL is required: without one, there is no chain to compare with.';

/** Opens the database for writing. With SQLite no gateway may run; with PostgreSQL gateways may run. */
async function openToRepair(config: Config) {
  if (config.databaseUrl !== undefined) {
    const { database, connect, close } = await openPostgres(config.databaseUrl, false);
    await connect(() => undefined);
    const sinceMs = monotonicMs();
    while (!database.isReady() && monotonicMs() - sinceMs < COMMAND_CONNECT_MS) await sleep(100);
    if (database.isReady()) return { database, close };
    await close();
    throw new ConfigError(['DATABASE_URL: PostgreSQL does not answer.']);
  }
  const { money, connect, close } = await openState(config);
  await connect(() => undefined);
  if (!money) throw new ConfigError(['Nothing is sold: there is no journal to repair.']);
  return { database: money.database, close };
}

/** Proves credit by the memos that this deployment has signed with its secrets. */
async function proverOf(config: Config, toRepair: boolean): Promise<ProveCredit> {
  const secrets = await signingSecretsOf(config);
  if (toRepair && secrets.length === 0) throw new ConfigError([NO_SECRET]);
  const memos = new Memos(nodeCrypto, secrets);
  return ({ memo, micros, payee: { cluster, payTo, mint: asset } }) =>
    memo === undefined
      ? undefined
      : memos.provenCredit(memo, { network: NETWORKS[cluster], asset, payTo, amount: String(micros) });
}

/** Opens the data of the command `sales`. */
export async function openArchive(config: Config, toRepair: boolean): Promise<Archive> {
  useProxies(config.proxies);
  const { paid } = config;
  const writable = toRepair ? await openToRepair(config) : undefined;
  const { database, close } = writable ?? (await openToRead(config));
  const chains = paid && Object.keys(paid.solanaRpcUrls).length > 0 ? openOnce(paid) : undefined;
  return {
    books: new Books(database),
    database: writable?.database,
    prover: () => proverOf(config, toRepair),
    solPriceUsd: paid?.solPriceUsd,
    async payees() {
      if (!chains) throw new ConfigError([NO_CHAIN]);
      return chains.payees();
    },
    async close() {
      await closeAll([{ close }, ...(chains ? [chains] : [])]);
    },
  };
}

/** Watches the chains for covered payments. */
export function watchCovered(paid: PaidConfig, { database, payments }: Money, everyMs?: number) {
  const chains = openOnce(paid);
  const { background } = payments;
  const watch = new CoveredWatch({ database, payees: chains.payees, everyMs, background });
  return {
    async close() {
      const ended = watch.close();
      // Waits for the running search.
      await closeAll([{ close: () => ended }, chains]);
    },
  };
}
