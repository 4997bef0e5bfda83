import { everyRoute, type Route } from '@asset-gateway/protocol';
import { BlockedFile } from '../blocked/file.ts';
import { kindOf, shareOf } from '../budget/store.ts';
import type { Config } from '../config/config.ts';
import { Nonces } from '../gates/siwx/nonce.ts';
import { createGateway } from '../gateway.ts';
import { openExact } from '../payments/open.ts';
import type { Payments } from '../payments/payments.ts';
import { createMatch } from '../stages/match.ts';
import type { Sharing } from '../stages/spend.ts';
import { Sales } from '../stages/trail.ts';
import type { SpanNames } from '../traces/tracing.ts';
import { Channels, openCaches } from './channels.ts';
import { openConsole } from './console.ts';
import { openCredit } from './credit.ts';
import { type Dependencies, layFoundation } from './dependencies.ts';
import { bindEndpoints } from './endpoints.ts';
import { readiness, readingsOf } from './readings.ts';
import { watchCovered } from './sales.ts';
import { ownAnswers, saleNotices, serviceOf } from './service.ts';

/** The steps of a purchase that the database records. */
const PAYMENT_SPANS: SpanNames<Payments> = {
  reserve: 'reserve',
  settling: 'begin settlement',
  resolve: 'record',
};

/** Shares slots among clients. A wallet counts as one that has not paid if its payments cannot be looked up. */
const createSharing = ({ money, onSlot }: Dependencies): Sharing => ({
  async shareOf({ client, wallet = '' }) {
    const hasPaid = (await money?.payments.isKnownPayer(wallet).catch(() => false)) ?? false;
    return shareOf(client, wallet, hasPaid);
  },
  onSlot: (charged) => onSlot?.(kindOf(charged)),
});

/** Puts the gateway together; the only place that knows every part. */
export async function compose(config: Config, dependencies: Dependencies) {
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
  const parts = { service, channels, own, unlisted, signIn, exact, credit, blocked, sharing, caches };
  const isDisabled = ({ id }: Route) => config.disabled.has(id);
  const gateway = createGateway({
    trail: { log, randomId, sales: new Sales() },
    match: createMatch(bindEndpoints({ ...foundation, ...parts }), everyRoute.filter(isDisabled)),
    onFailure,
  });
  for (const line of saleNotices(service.routes, exact, config)) notice(line);
  const readings = readingsOf(foundation, parts);
  const covered = credit && paid && money ? [watchCovered(paid, money, pace)] : [];
  const opened = [console, ...caches.values(), blocked, ...covered, exact, channels];
  return {
    gateway,
    readings,
    async close() {
      for (const each of opened) await each?.close();
    },
  };
}
