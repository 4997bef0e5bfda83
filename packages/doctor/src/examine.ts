import { ASSUMED_SOL_PRICE_USD, dollars, microsOfUsd, oneLine, usualFeeMicros } from '@asset-gateway/protocol';
import { checks } from './checks/index.ts';
import type { CatalogEntry } from './entry.ts';
import { type Exploration, explore, MAX_ROUTES } from './explore.ts';
import { type Fault, type Finding, faultsAt } from './finding.ts';
import { ASKING_SECONDS, HttpClient, PAUSES_SECONDS, TIME_OVER } from './http-client.ts';
import { Overrun, runWithin } from './schema.ts';

/** Returns a note on the lowest price, if a gateway that settles itself can lose money with it. */
function priceNotes(entries: readonly CatalogEntry[]): string[] {
  const sold = entries.filter(
    ({ accessMode, paymentNetwork }) => accessMode === 'exact' && paymentNetwork?.startsWith('solana:'),
  );
  const [cheapest] = sold.toSorted((one, other) => Number(one.priceUsd) - Number(other.priceUsd));
  const fee = usualFeeMicros();
  if (!cheapest || microsOfUsd(cheapest.priceUsd) >= fee) return [];
  return [
    `a sale can lose money: the lowest price is $${cheapest.priceUsd} (${cheapest.surface}), and a usual settlement costs its fee ` +
      `payer $${dollars(fee)} at $${ASSUMED_SOL_PRICE_USD} a SOL`,
  ];
}

/** Returns notes on limits that left something unchecked. */
function limitNotes({ answers, leftOut }: Exploration): string[] {
  const unasked = answers.filter(({ failure }) => failure === TIME_OVER).length;
  const limited = answers.filter(({ status }) => status === 429).length;
  return [
    ...(leftOut > 0 ? [`${leftOut} routes of the catalog were not examined: the limit is ${MAX_ROUTES}`] : []),
    ...(unasked > 0 ? [`${unasked} requests were not sent or not answered within ${ASKING_SECONDS} seconds`] : []),
    ...(limited > 0 ? [`${limited} answers stayed 429: pauses are limited to ${PAUSES_SECONDS} seconds in total`] : []),
  ];
}

/** Returns notes about a gateway, as clauses without a full stop. */
const notesOn = (exploration: Exploration): string[] => [
  ...priceNotes(exploration.entries),
  ...limitNotes(exploration),
];

const MAX_TEXT = 1_000;
/** The time limit of the checks. Those of our own gateway take a tenth of a second. */
export const CHECK_SECONDS = 5;

/** Makes foreign text safe to print. */
export function shown(text: string): string {
  const line = oneLine(text, MAX_TEXT);
  return text.length > MAX_TEXT ? `${line}…` : line;
}

function faultsOf(run: (exploration: Exploration) => readonly Fault[], exploration: Exploration): readonly Fault[] {
  try {
    return runWithin(CHECK_SECONDS * 1000, () => run(exploration));
  } catch (error) {
    if (!(error instanceof Overrun)) throw error;
    const problem = `its answers could not be checked within ${CHECK_SECONDS} seconds`;
    const fix = 'Shorten its documents and simplify their schemas';
    return faultsAt({ method: 'GET', url: `${exploration.origin}/` }, { problem, fix });
  }
}

/** The result of examining a gateway. */
export interface Diagnosis {
  readonly origin: string;
  /** The number of examined routes. */
  readonly routes: number;
  /** The number of sent requests. */
  readonly requests: number;
  readonly findings: readonly Finding[];
  /** Remarks that are not faults. */
  readonly notes: readonly string[];
}

/** Checks the gathered answers without further requests. Each text of the result is one line of limited length. */
export function diagnose(exploration: Exploration): Diagnosis {
  const { origin, entries, answers } = exploration;
  const findings: readonly Finding[] = Object.entries(checks).flatMap(([check, run]) =>
    faultsOf(run, exploration).map(({ where, problem, fix }) => ({
      check,
      where: shown(where),
      problem: shown(problem),
      fix: shown(fix),
    })),
  );
  const notes: readonly string[] = notesOn(exploration).map(shown);
  return { origin, routes: entries.length, requests: answers.length, findings, notes };
}

/** Examines the gateway at an origin. Sends no request after the signal. Rejects with `Unreadable` if there is no gateway. */
export async function examine(origin: string, signal?: AbortSignal): Promise<Diagnosis> {
  const client = new HttpClient(origin, signal);
  try {
    return diagnose(await explore(origin, client.ask));
  } finally {
    await client.close();
  }
}
