import { breakEvenSolPrice, USUAL_FEE_TEXT } from '@asset-gateway/protocol';
import type { Entry } from './entry.ts';
import { MAX_ROUTES } from './explore.ts';
import { ASKING_SECONDS, PAUSES_SECONDS, TIME_OVER } from './http-client.ts';
import type { World } from './world.ts';

const MICROS = 1_000_000;
const SOLANA = 'solana:';

const isSoldOnSolana = ({ accessMode, paymentNetwork = '' }: Entry): boolean =>
  accessMode === 'exact' && paymentNetwork.startsWith(SOLANA);

/** What a surface sells its cheapest answer for, and the SOL price up to which that pays for settling it. */
function priceNote(surface: string, entries: readonly Entry[]): string {
  const prices = entries.map(({ priceUsd }) => priceUsd).sort((one, other) => Number(one) - Number(other));
  const [cheapest = ''] = prices;
  const fee = `a usual settlement costs whoever pays its fee ${USUAL_FEE_TEXT} lamports`;
  const limit = breakEvenSolPrice(Math.round(Number(cheapest) * MICROS));
  return `${surface}: from $${cheapest} an answer; ${fee}, a loss above $${limit} a SOL`;
}

/** Which limits of the doctor kept it from looking at everything. */
function limitNotes({ answers, leftOut }: World): string[] {
  const unasked = answers.filter(({ failure }) => failure === TIME_OVER).length;
  const limited = answers.filter(({ status }) => status === 429).length;
  return [
    ...(leftOut > 0 ? [`the catalog lists ${leftOut} more routes than the ${MAX_ROUTES} that were looked at`] : []),
    ...(unasked > 0 ? [`${unasked} requests were not made or not answered within ${ASKING_SECONDS} seconds`] : []),
    ...(limited > 0 ? [`${limited} answers stayed 429: pauses are ${PAUSES_SECONDS} seconds in all at most`] : []),
  ];
}

/** What is worth knowing of a gateway and is no fault: clauses without a full stop. */
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
