import { BlockedFile } from '../blocked/file.ts';
import type { Sharing } from '../budget/slot-taker.ts';
import { groupKindOf, shareOf } from '../budget/store.ts';
import type { CachingUpstream } from '../cache/caching.ts';
import type { CloseLater } from '../closing.ts';
import type { Service } from '../describe/service.ts';
import { type ExactSetup, openExact } from '../payments/open.ts';
import type { Payments } from '../payments/payments.ts';
import type { SpanNames } from '../traces/tracing.ts';
import type { OwnAnswer, OwnRoute } from '../upstreams/upstream.ts';
import { type Channel, Channels, openCaches } from './channels.ts';
import { openConsole } from './console.ts';
import { type CreditSetup, openCredit } from './credit.ts';
import type { Foundation } from './dependencies.ts';
import { ownAnswers, serviceOf } from './service.ts';

/** The steps of a purchase that the database records. */
const PAYMENT_SPANS: SpanNames<Payments> = {
  look: 'payment',
  reserve: 'reserve',
  beginSettlement: 'begin settlement',
  resolve: 'record',
};

/** Returns how slots are shared among clients. If a wallet's payments cannot be looked up, it counts as a wallet that has not paid. */
const createSharing = ({ money, onSlot }: Foundation): Sharing => ({
  async shareOf({ client, wallet = '' }) {
    const hasPaid = (await money?.payments.isKnownPayer(wallet).catch(() => false)) ?? false;
    return shareOf(client, wallet, hasPaid);
  },
  onSlot: (charged) => onSlot?.(groupKindOf(charged)),
});

/** The parts of one gateway. One that the configuration turns off is undefined. */
export interface Parts {
  readonly service: Service;
  readonly channels: Channels;
  /** The answers about the gateway itself, by the method of their routes. */
  readonly own: Readonly<Record<string, OwnAnswer>>;
  /** Public routes that the service does not list. */
  readonly unlisted: readonly OwnRoute[];
  readonly exact: ExactSetup | undefined;
  readonly credit: CreditSetup | undefined;
  /** The blocked clients, which every gate refuses. */
  readonly blocked: BlockedFile | undefined;
  /** Shares the asset-data budget. */
  readonly sharing: Sharing | undefined;
  /** The cache of each channel; empty if the cache is off. */
  readonly caches: ReadonlyMap<Channel, CachingUpstream>;
}

/** Opens the parts of a gateway that its configuration turns on. */
export async function openParts(foundation: Foundation, closeLater: CloseLater): Promise<Parts> {
  const { config, money, notice, tracing, ownRoutes = [] } = foundation;
  const { paid } = config;
  const channels = closeLater(new Channels(foundation));
  const payments = money && tracing.spanned(money.payments, PAYMENT_SPANS);
  const exact = paid && payments ? closeLater(await openExact(paid, payments, foundation)) : undefined;
  const service = serviceOf(foundation, channels, exact);
  const blocked = config.blocked && closeLater(new BlockedFile(config.blocked, notice));
  const credit = config.credit && exact && money ? openCredit(config.credit, money, exact, foundation) : undefined;
  const console = closeLater(openConsole(service, foundation));
  const sharing = config.fairShares ? createSharing(foundation) : undefined;
  const caches = openCaches(foundation, channels, sharing);
  for (const cache of caches.values()) closeLater(cache);
  return {
    service,
    channels,
    own: await ownAnswers(service, foundation),
    unlisted: [...console.rows, ...ownRoutes],
    exact,
    credit,
    blocked,
    sharing,
    caches,
  };
}
