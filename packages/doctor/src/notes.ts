import { breakEvenSolPrice, USUAL_FEE_TEXT } from '@asset-gateway/protocol';
import type { Entry } from './entry.ts';
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

/** What is worth knowing of a gateway and is no fault: clauses without a full stop. */
export function notesOn({ entries }: Pick<World, 'entries'>): string[] {
  const sold = entries.filter(isSoldOnSolana);
  const surfaces = [...new Set(sold.map(({ surface }) => surface))];
  return surfaces.map((surface) =>
    priceNote(
      surface,
      sold.filter((entry) => entry.surface === surface),
    ),
  );
}
