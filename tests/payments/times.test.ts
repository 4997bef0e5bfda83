import { readConfig } from '@asset-gateway/gateway';
import { SHARED_TIMES } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { requirementOf } from '../../packages/gateway/src/payments/read/requirement.ts';
import { drainMs, holdMsFor, TIMES } from '../../packages/gateway/src/times.ts';
import { documentPath, writeDocument } from '../apis/document-files.ts';
import { faultsOf, WITH_FACILITATOR } from '../config/faults.ts';

const { HELIUS_API_KEY: _, ...payee } = WITH_FACILITATOR;
const operations = { getHistory: { access: 'exact', price: '0.002' } };
const weather = { url: 'http://127.0.0.1:1', title: 'Weather', openapi: documentPath('weather.yaml'), operations };
const SELLERS = [
  ['of our routes', WITH_FACILITATOR],
  ['of an own API', { ...payee, APIS_FILE: writeDocument({ apis: { weather } }) }],
] as const;

const { longestUpstreamMs, usualUpstreamMs, chainMs, settleMs, inFlightMs, blockhashMs } = TIMES;
const purchaseMs = (upstreamMs: number) => chainMs + upstreamMs + settleMs;

/** Each number is below the next one. */
function ascends(...numbers: number[]) {
  for (const [at, each] of numbers.slice(1).entries()) expect(each).toBeGreaterThan(numbers[at] ?? 0);
}

describe('X21 a time-out that cannot be sold', () => {
  it.each(SELLERS)('is refused at the start %s, with the variable and the largest time-out', (_name, seller) => {
    for (const timeout of [longestUpstreamMs + 1, 60_000, 110_000])
      expect(faultsOf({ ...seller, PAID_UPSTREAM_TIMEOUT_MS: String(timeout) })).toEqual([
        `PAID_UPSTREAM_TIMEOUT_MS must be a whole number from 1 to ${longestUpstreamMs}.`,
      ]);
    const { paid } = readConfig({ ...seller, PAID_UPSTREAM_TIMEOUT_MS: String(longestUpstreamMs) });
    expect(paid?.upstreamTimeoutMs).toBe(longestUpstreamMs);
  });

  it.each(SELLERS)('is not one of free calls %s', (_name, seller) => {
    const { paid, upstreamTimeoutMs } = readConfig({ ...seller, UPSTREAM_TIMEOUT_MS: '110000' });
    expect([upstreamTimeoutMs, paid?.upstreamTimeoutMs]).toEqual([110_000, usualUpstreamMs]);
  });
});

describe('X21 the times of a paid call', () => {
  it('let the longest purchase end within its reservation, and that before its blockhash', () =>
    ascends(usualUpstreamMs, longestUpstreamMs, purchaseMs(longestUpstreamMs), inFlightMs, blockhashMs));

  it.each([usualUpstreamMs, longestUpstreamMs])(
    'let a payment that has waited for another call be sent before its blockhash expires, and a stopping node wait for it: %d ms',
    (upstreamMs) => {
      const sentMs = TIMES.waitMs + chainMs + upstreamMs + chainMs;
      ascends(sentMs, blockhashMs);
      ascends(sentMs, drainMs(1, upstreamMs));
    },
  );

  it('let a settlement be sent and confirmed before its answer stops waiting', () => {
    expect(chainMs + TIMES.confirmMs).toBeLessThanOrEqual(settleMs);
    ascends(TIMES.apartMs, TIMES.confirmMs);
  });

  it('require payments within the life of a blockhash', () => {
    const offer = { network: '', asset: '', payTo: '', destination: '', amount: '1', feePayer: '' };
    expect(requirementOf(offer, undefined).maxTimeoutSeconds * 1_000).toBe(blockhashMs);
  });

  it.each([1, usualUpstreamMs, longestUpstreamMs])(
    'hold a price, and drain, longer than a call of %d ms at the upstream takes',
    (upstreamMs) => {
      // A slot and a capture each take less than one answer of the chain.
      ascends(upstreamMs + 2 * chainMs, holdMsFor(upstreamMs));
      ascends(purchaseMs(upstreamMs), drainMs(1, upstreamMs));
      ascends(upstreamMs, drainMs(upstreamMs));
      expect(holdMsFor(upstreamMs)).toBeGreaterThanOrEqual(TIMES.leastHoldMs);
    },
  );

  it('renew a lease twice before it ends, and end it before the reservation', () =>
    ascends(2 * TIMES.renewMs, TIMES.leaseMs, inFlightMs));

  it('remember used credentials for longer than any clock accepts their challenge, and answers and records for longer still', () =>
    ascends(
      TIMES.challengeMs + TIMES.aheadMs,
      TIMES.rememberedMs,
      TIMES.answerMs,
      TIMES.deliveredMs,
      TIMES.feeMs,
      TIMES.recordMs,
      TIMES.payerMs,
    ));

  it('search for an unknown outcome until the payment cannot land, and remember questions for longer', () =>
    ascends(2 * blockhashMs, TIMES.searchMs, TIMES.askedMs));

  it('are the same for gateways and clients', () => expect(TIMES).toMatchObject(SHARED_TIMES));
});
