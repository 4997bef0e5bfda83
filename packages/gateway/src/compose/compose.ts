import { BlockedFile } from '../blocked/file.ts';
import { type GroupKind, kindOf, shareOf } from '../budget/shares.ts';
import type { Store } from '../budget/store.ts';
import type { OpenShared } from '../cache/shared-entries.ts';
import type { Config } from '../config/config.ts';
import { fixedOrigin, localOrigins } from '../gates/challenge.ts';
import { type Crypto, keysFor, loadSodium, nodeCrypto } from '../gates/crypto.ts';
import { Nonces } from '../gates/siwx/nonce.ts';
import { createGateway, type Gateway } from '../gateway.ts';
import type { Readings } from '../metrics/readings.ts';
import { type ExactSetup, openExact } from '../payments/open.ts';
import type { Payments } from '../payments/payments.ts';
import { ReceiptIssuer } from '../receipts/issuer.ts';
import type { WatchPace } from '../sales/covered-watch.ts';
import { createMatch } from '../stages/match.ts';
import type { Sharing } from '../stages/spend.ts';
import { type LogLine, RequestTrail, Sales } from '../stages/trail.ts';
import type { BreakerOptions } from '../upstreams/breaker.ts';
import type { OwnRoute } from '../upstreams/upstream.ts';
import { openCaches } from './caches.ts';
import { type ChannelParts, Channels, type RefusedKeys } from './channels.ts';
import { openConsole } from './console.ts';
import { openCredit } from './credit.ts';
import { bindEndpoints } from './endpoints.ts';
import type { Money } from './money.ts';
import { saleNotices } from './prices.ts';
import { readiness, readingsOf } from './readings.ts';
import { watchCovered } from './sales.ts';
import { ownAnswers, serviceOf } from './service.ts';

/** What receipts are signed with where no key pair is given, and by which clock. */
interface ReceiptParts {
  readonly crypto: Crypto;
  /** The first signs, all are published. */
  readonly secrets: readonly string[];
  readonly store: Pick<Store, 'wallNow'>;
}

const SEED_BYTES = 32;

/** Who signs receipts; nothing where none are signed. Nodes with the same secrets, or key pairs, sign with the same key. */
function openReceipts(
  { receipts }: Pick<Config, 'receipts'>,
  { crypto, secrets, store }: ReceiptParts,
): ReceiptIssuer | undefined {
  if (!receipts) return undefined;
  const given = receipts.keypairs.map((keypair) => keypair.subarray(0, SEED_BYTES));
  const seeds = given.length > 0 ? given : keysFor('asset-gateway receipts', crypto, secrets);
  return new ReceiptIssuer(seeds, () => store.wallNow());
}

/** What shares are told by. */
interface SharingParts {
  /** Nothing where nobody can have paid. */
  readonly payments: Pick<Payments, 'isKnownPayer'> | undefined;
  /** Told of each slot that was taken, by the kind of group it is charged to. */
  readonly onSlot: (kind: GroupKind) => void;
}

/**
 * Shares out slots among callers. A wallet whose payments cannot be looked up counts as one that has not paid; the store that
 * does not answer that refuses the slot as well.
 */
const createSharing = ({ payments, onSlot }: SharingParts): Sharing => ({
  async shareOf({ client, wallet = '' }) {
    const hasPaid = (await payments?.isKnownPayer(wallet).catch(() => false)) ?? false;
    return shareOf(client, wallet, hasPaid);
  },
  onSlot: (charged) => onSlot(kindOf(charged)),
});

/** What a gateway is composed from besides its configuration. */
export interface Dependencies {
  readonly store: Store;
  /** Undefined if there is no database of money. */
  readonly money?: Money | undefined;
  /** Opens what nodes share of answers that are kept; nothing where there is one node. */
  readonly openShared?: OpenShared | undefined;
  /** The first signs, all verify. */
  readonly secrets: readonly string[];
  readonly log: (line: LogLine) => void;
  readonly notice?: (message: string) => void;
  readonly onFailure?: (error: unknown) => void;
  /** The span that the asset-data budget counts in, in milliseconds; a minute unless told. */
  readonly windowMs?: number;
  /** When an upstream that fails is left alone; the usual unless told. */
  readonly breaker?: Partial<BreakerOptions>;
  /** For how long a key that an upstream refuses is set aside; the usual unless told. */
  readonly refusedKeys?: RefusedKeys;
  /** How often payments that credit has covered are looked for; the usual unless told. */
  readonly watchPace?: Partial<WatchPace>;
  /** What is served to everybody beside the table and is in no description of it; nothing unless told. */
  readonly ownRoutes?: readonly OwnRoute[];
  /** Told of each call whose key an upstream has refused: by its place in the list, counted from 1. */
  readonly onKeyRefused?: ChannelParts['onKeyRefused'];
  /** Told at each step of a purchase. */
  readonly onStep?: (step: string) => void;
  /** Told how each settlement has ended. */
  readonly onSettlement?: (outcome: string) => void;
  /** Told of each slot of a shared-out budget, by the kind of group that it is charged to. */
  readonly onSlot?: (kind: GroupKind) => void;
  /** Whether this node takes leave: it is then no longer ready. */
  readonly isStopping?: () => boolean;
}

/** A gateway and the connections that it holds. */
interface Composed {
  readonly gateway: Gateway;
  readonly readings: Readings;
  close(): Promise<void>;
}

const ignore = () => undefined;

/** Puts the gateway together; the only place that knows every part. */
export async function compose(config: Config, dependencies: Dependencies): Promise<Composed> {
  const { store, money, secrets, log } = dependencies;
  const { notice = ignore, onFailure = ignore, onSlot = ignore, isStopping = () => false } = dependencies;
  const crypto = loadSodium() ?? nodeCrypto;
  const randomId = () => crypto.random(16).toString('hex');
  const originOf = config.baseUrl === undefined ? localOrigins(config.host) : fixedOrigin(config.baseUrl);
  const channels = new Channels({ ...dependencies, config, notice, onFailure });
  const receipts = openReceipts(config, { crypto, secrets, store });
  const parts = { ...dependencies, config, crypto, originOf, receipts, randomId, notice, onFailure };
  const exact =
    config.paid && money ? await openExact({ ...parts, paid: config.paid, payments: money.payments }) : undefined;
  const service = serviceOf(config, { channels, exact, receipts });
  const blocked = config.blocked && new BlockedFile(config.blocked, notice);
  const signIn = { crypto, nonces: new Nonces(crypto, secrets), store, originOf, singleUse: config.singleUse };
  const credit =
    config.credit && config.paid && exact && money
      ? openCredit({ ...parts, config: config.credit, paid: config.paid, money, exact, signIn })
      : undefined;
  const own = { ...ownAnswers(service, originOf, receipts), readiness: () => readiness(store, isStopping()) };
  const console = openConsole(config, service, notice);
  const beside = [...console.rows, ...(dependencies.ownRoutes ?? [])];
  const sharing = config.fairShares ? createSharing({ payments: money?.payments, onSlot }) : undefined;
  const sales = new Sales();
  const caches = openCaches(config, channels, { ...dependencies, sharing, randomId });
  const gateway = createGateway({
    open: (inbound) => new RequestTrail(inbound, { log, randomId, sales }),
    match: createMatch(
      bindEndpoints({ ...parts, service, channels, own, beside, signIn, exact, credit, blocked, sharing, caches }),
    ),
    onFailure,
  });
  for (const line of saleNotices(service.routes, exact, config)) notice(line);
  const readings = readingsOf({ ...parts, channels, caches, exact, blocked, isStopping });
  const { watchPace: pace } = dependencies;
  const covered = credit && config.paid && money ? [watchCovered({ paid: config.paid, money, pace })] : [];
  const watching = [console, ...caches.values(), ...(blocked ? [blocked] : []), ...covered];
  return { gateway, readings, close: () => closeAll(watching, exact, channels) };
}

async function closeAll(
  watching: readonly { close(): void | Promise<void> }[],
  exact: ExactSetup | undefined,
  channels: Channels,
): Promise<void> {
  for (const each of watching) await each.close();
  await exact?.close();
  await channels.close();
}
