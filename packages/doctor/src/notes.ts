import { breakEvenSolPrice, USUAL_FEE_TEXT } from '@asset-gateway/protocol';
import type { Entry } from './entry.ts';
import { MAX_ROUTES } from './explore.ts';
import { ASKING_SECONDS, PAUSES_SECONDS, TIME_OVER } from './http-client.ts';
import type { World } from './world.ts';

const MICROS = 1_000_000;
const SOLANA = 'solana:';

const isSoldOnSolana = ({ accessMode, paymentNetwork = '' }: Entry): boolean =>
  accessMode === 'exact' && paymentNetwork.startsWith(SOLANA);

/** The lowest price of a surface, and the SOL price above which such a sale loses money. */
function priceNote(surface: string, entries: readonly Entry[]): string {
  const prices = entries.map(({ priceUsd }) => priceUsd).sort((one, other) => Number(one) - Number(other));
  const [cheapest = ''] = prices;
  const fee = `a usual settlement costs the fee payer ${USUAL_FEE_TEXT} lamports`;
  const limit = breakEvenSolPrice(Math.round(Number(cheapest) * MICROS));
  return `${surface}: priced from $${cheapest} a call; ${fee}, so such a sale loses money while SOL is above $${limit}`;
}

/** The limits that left something unchecked. */
function limitNotes({ answers, leftOut }: World): string[] {
  const unasked = answers.filter(({ failure }) => failure === TIME_OVER).length;
  const limited = answers.filter(({ status }) => status === 429).length;
  return [
    ...(leftOut > 0 ? [`${leftOut} routes of the catalog were not examined: the limit is ${MAX_ROUTES}`] : []),
    ...(unasked > 0 ? [`${unasked} requests were not sent or not answered within ${ASKING_SECONDS} seconds`] : []),
    ...(limited > 0 ? [`${limited} answers stayed 429: pauses are limited to ${PAUSES_SECONDS} seconds in total`] : []),
  ];
}

/** Notes about a gateway, as clauses without a full stop. */
export function notesOn(world: World): string[] {
  const sold = world.entries.filter(isSoldOnSolana);
  const surfaces = [...new Set(sold.map(({ surface }) => surface))];
  const prices = surfaces.map((surface) =>
    priceNote(
      surface,
      sold.filter((entry) => entry.surface === surface),
    ),
  );
  return [...prices, ...limitNotes(world)];
}
