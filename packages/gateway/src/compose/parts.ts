import { BlockedFile } from '../blocked/file.ts';
import type { Sharing } from '../budget/slot-taker.ts';
import { kindOf, shareOf } from '../budget/store.ts';
import type { Hold } from '../closing.ts';
import { Nonces } from '../gates/siwx/nonce.ts';
import { openExact } from '../payments/open.ts';
import type { Payments } from '../payments/payments.ts';
import type { SpanNames } from '../traces/tracing.ts';
import { Channels, openCaches } from './channels.ts';
import { openConsole } from './console.ts';
import { openCredit } from './credit.ts';
import type { Foundation } from './dependencies.ts';
import { ownAnswers, serviceOf } from './service.ts';

/** The steps of a purchase that the database records. */
const PAYMENT_SPANS: SpanNames<Payments> = {
  look: 'payment',
  reserve: 'reserve',
  settling: 'begin settlement',
  resolve: 'record',
};

/** Shares slots among clients. A wallet counts as one that has not paid if its payments cannot be looked up. */
const createSharing = ({ money, onSlot }: Foundation): Sharing => ({
  async shareOf({ client, wallet = '' }) {
    const hasPaid = (await money?.payments.isKnownPayer(wallet).catch(() => false)) ?? false;
    return shareOf(client, wallet, hasPaid);
  },
  onSlot: (charged) => onSlot?.(kindOf(charged)),
});

/** Opens the parts of a gateway that its configuration turns on. */
export async function openParts(foundation: Foundation, hold: Hold) {
  const { config, store, money, secrets, notice, crypto, originOf, tracing, ownRoutes = [] } = foundation;
  const { paid } = config;
  const channels = hold(new Channels(foundation));
  const payments = money && tracing.spanned(money.payments, PAYMENT_SPANS);
  const exact = paid && payments ? hold(await openExact({ ...foundation, paid, payments })) : undefined;
  const service = serviceOf(foundation, channels, exact);
  const blocked = config.blocked && hold(new BlockedFile(config.blocked, notice));
  const credit =
    config.credit && paid && exact && money
      ? openCredit({ ...foundation, credit: config.credit, money, exact })
      : undefined;
  const console = hold(openConsole(service, foundation));
  const sharing = config.fairShares ? createSharing(foundation) : undefined;
  const caches = openCaches(foundation, channels, sharing);
  for (const cache of caches.values()) hold(cache);
  return {
    service,
    channels,
    own: await ownAnswers(service, foundation),
    console,
    /** Public routes that the service does not list. */
    unlisted: [...console.rows, ...ownRoutes],
    signIn: { crypto, nonces: new Nonces(crypto, secrets), store, originOf, singleUse: config.singleUse },
    exact,
    credit,
    /** Clients that pass no gate; undefined if blocking is off. */
    blocked,
    /** Shares the asset-data budget; undefined if shares are off. */
    sharing,
    caches,
  };
}

/** The parts of one gateway. */
export type Parts = Awaited<ReturnType<typeof openParts>>;
