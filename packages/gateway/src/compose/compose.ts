import { everyRoute, type Route } from '@asset-gateway/protocol';
import { BlockedFile } from '../blocked/file.ts';
import { kindOf, shareOf } from '../budget/store.ts';
import type { Config } from '../config/config.ts';
import { type Crypto, keysFor, loadSodium, nodeCrypto } from '../gates/crypto.ts';
import { fixedOrigin, localOrigins } from '../gates/gate.ts';
import { Nonces } from '../gates/siwx/nonce.ts';
import { createGateway, type Gateway } from '../gateway.ts';
import type { Readings } from '../metrics/readings.ts';
import { type ExactSetup, openExact } from '../payments/open.ts';
import type { Payments } from '../payments/payments.ts';
import { ReceiptIssuer } from '../receipts/response.ts';
import { createMatch } from '../stages/match.ts';
import type { Sharing } from '../stages/spend.ts';
import { Sales } from '../stages/trail.ts';
import { type SpanNames, untraced } from '../traces/tracing.ts';
import { Channels, openCaches } from './channels.ts';
import { openConsole } from './console.ts';
import { openCredit } from './credit.ts';
import type { Dependencies, Foundation } from './dependencies.ts';
import { bindEndpoints } from './endpoints.ts';
import { readiness, readingsOf } from './readings.ts';
import { watchCovered } from './sales.ts';
import { ownAnswers, saleNotices, serviceOf } from './service.ts';

/** A gateway and the connections that it holds. */
interface Composed {
  readonly gateway: Gateway;
  readonly readings: Readings;
  close(): Promise<void>;
}

/** The steps of a purchase that the database records. */
const PAYMENT_SPANS: SpanNames<Payments> = {
  reserve: 'reserve',
  settling: 'begin settlement',
  resolve: 'record',
};

const SEED_BYTES = 32;

/** Signs receipts; undefined if they are off. Nodes with the same secrets or key pairs sign with the same key. */
function openReceipts(
  { receipts }: Config,
  crypto: Crypto,
  { secrets, store }: Dependencies,
): ReceiptIssuer | undefined {
  if (!receipts) return undefined;
  const given = receipts.keypairs.map((keypair) => keypair.subarray(0, SEED_BYTES));
  const seeds = given.length > 0 ? given : keysFor('asset-gateway receipts', crypto, secrets);
  return new ReceiptIssuer(seeds, () => store.wallNow());
}

/** Shares slots among clients. A wallet counts as one that has not paid if its payments cannot be looked up. */
const createSharing = ({ money, onSlot }: Dependencies): Sharing => ({
  async shareOf({ client, wallet = '' }) {
    const hasPaid = (await money?.payments.isKnownPayer(wallet).catch(() => false)) ?? false;
    return shareOf(client, wallet, hasPaid);
  },
  onSlot: (charged) => onSlot?.(kindOf(charged)),
});

function layFoundation(config: Config, dependencies: Dependencies): Foundation {
  const crypto = loadSodium() ?? nodeCrypto;
  return {
    notice: () => undefined,
    onFailure: () => undefined,
    isStopping: () => false,
    tracing: untraced,
    ...dependencies,
    config,
    crypto,
    originOf: config.baseUrl === undefined ? localOrigins(config.host) : fixedOrigin(config.baseUrl),
    receipts: openReceipts(config, crypto, dependencies),
    randomId: () => crypto.random(16).toString('hex'),
  };
}

/** Puts the gateway together; the only place that knows every part. */
export async function compose(config: Config, dependencies: Dependencies): Promise<Composed> {
  const foundation = layFoundation(config, dependencies);
  const { store, money, secrets, log, notice, onFailure, crypto, originOf, randomId, watchPace: pace } = foundation;
  const { paid } = config;
  const channels = new Channels(foundation);
  const payments = money && foundation.tracing.spanned(money.payments, PAYMENT_SPANS);
  const exact = paid && payments ? await openExact({ ...foundation, paid, payments }) : undefined;
  const service = serviceOf(foundation, channels, exact);
  const blocked = config.blocked && new BlockedFile(config.blocked, notice);
  const signIn = { crypto, nonces: new Nonces(crypto, secrets), store, originOf, singleUse: config.singleUse };
  const credit =
    config.credit && paid && exact && money
      ? openCredit({ ...foundation, credit: config.credit, paid, money, exact })
      : undefined;
  const own = { ...ownAnswers(service, foundation), readiness: () => readiness(foundation) };
  const console = openConsole(config, service, notice);
  const unlisted = [...console.rows, ...(foundation.ownRoutes ?? [])];
  const sharing = config.fairShares ? createSharing(foundation) : undefined;
  const caches = openCaches(foundation, channels, sharing);
  const serving = { service, channels, own, unlisted, signIn, exact, credit, blocked, sharing, caches };
  const isDisabled = ({ id }: Route) => config.disabled.has(id);
  const gateway = createGateway({
    trail: { log, randomId, sales: new Sales() },
    match: createMatch(bindEndpoints({ ...foundation, ...serving }), everyRoute.filter(isDisabled)),
    onFailure,
  });
  for (const line of saleNotices(service.routes, exact, config)) notice(line);
  const readings = readingsOf(foundation, { channels, caches, exact, blocked });
  const covered = credit && paid && money ? [watchCovered(paid, money, pace)] : [];
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
