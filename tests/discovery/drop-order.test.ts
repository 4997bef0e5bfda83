import { HEADERS, type Route, routes } from '@asset-gateway/protocol';
import { type DiscoveryExtension, validateDiscoveryExtension } from '@x402/extensions/bazaar';
import { describe, expect, it } from 'vitest';
import type { Call } from '../../packages/gateway/src/call.ts';
import { createDescribe, type Discovery } from '../../packages/gateway/src/describe/discovery.ts';
import { challenge } from '../../packages/gateway/src/gates/challenge.ts';
import { isFull } from '../kit/rounds.ts';

const MAX_HEADER_LENGTH = 4096;
/** More than this beside it, and a challenge would not fit without any discovery. */
const MAX_BESIDE = 2500;
/** From one size that is tried to the next. */
const STEP = 97;
/** What is left of the discovery, from all of it to nothing. */
const STAGES = ['example, prose, extension', 'prose, extension', 'extension', 'nothing'];

/** What a challenge holds of the discovery. */
interface Left {
  readonly header: string;
  readonly parts: string;
  readonly discovery: Discovery | undefined;
}

function leftIn(header: string): Left {
  const { extensions } = JSON.parse(Buffer.from(header, 'base64').toString());
  const discovery: Discovery | undefined = extensions.bazaar;
  const prose = JSON.stringify(discovery?.schema ?? {}).includes('"description"');
  const parts = [discovery?.info.output && 'example', prose && 'prose', discovery && 'extension'];
  return { header, discovery, parts: parts.filter(Boolean).join(', ') || 'nothing' };
}

const gated = routes.filter(({ access }) => access !== 'public');
/** One row of each surface and method: rows of other clusters and providers say the same. */
const ofEachKind = new Map(gated.map((route) => [`${route.surface}.${route.method}`, route]));
const withExample = (row: Route): Route => ({ ...row, result: { ...row.result, example: { note: 'x'.repeat(200) } } });

/** What is left in the challenge of a row that has an example of its answer, with so many bytes beside the discovery. */
function leftBeside(id: string): (bytes: number) => Left {
  const row = gated.find((route) => route.id === id);
  if (!row) throw new Error(`no row ${id}`);
  const route = withExample(row);
  const describeRoute = createDescribe(route, { name: 'asset-gateway', priceUsd: () => '0.00' });
  const call = { route, parameters: route.example.path ?? {} } as unknown as Call;
  return (bytes) => {
    const extensions = { other: 'x'.repeat(bytes) };
    const demand = { code: 'payment_required', url: 'https://gateway.example/', accepts: [], extensions } as const;
    return leftIn(challenge(call, demand, describeRoute).headers[HEADERS.paymentRequired] ?? '');
  };
}

/** The most bytes beside the discovery up to which as much is left as with so many, found by halving. */
function lastAlike(beside: (bytes: number) => Left, bytes: number): number {
  const { parts } = beside(bytes);
  let [alike, other] = [bytes, MAX_BESIDE];
  while (other - alike > 1) {
    const middle = Math.floor((alike + other) / 2);
    if (beside(middle).parts === parts) alike = middle;
    else other = middle;
  }
  return alike;
}

describe('a challenge without room for all of its discovery', () => {
  it.each(['tokens.search', 'tokens.assetDetail', 'wallet.mainnet.helius.history', 'rpc.mainnet.helius.getBalance'])(
    'loses the example, then the prose, then the rest, none of them before the header is full, on %s',
    (id) => {
      const beside = leftBeside(id);
      const sizes: number[] = [];
      for (const parts of STAGES.slice(0, -1)) {
        const first = (sizes.at(-1) ?? -1) + 1;
        const last = lastAlike(beside, first);
        expect([first, last].map((bytes) => beside(bytes).parts)).toEqual([parts, parts]);
        expect(beside(last).header).toHaveLength(MAX_HEADER_LENGTH);
        sizes.push(last);
      }
      const rest = lastAlike(beside, (sizes.at(-1) ?? -1) + 1);
      expect([rest, beside(rest).parts]).toEqual([MAX_BESIDE - 1, 'nothing']);
      // Between those sizes nothing comes back, and nothing is too long.
      for (let bytes = 0; bytes < MAX_BESIDE; bytes += STEP) {
        const { header, parts } = beside(bytes);
        const stage = sizes.filter((last) => last < bytes).length;
        expect([bytes, parts]).toEqual([bytes, STAGES[stage]]);
        expect(header.length).toBeLessThanOrEqual(MAX_HEADER_LENGTH);
      }
    },
  );

  it.each([...ofEachKind])('is valid to the official validator at each of its lengths, on %s', (_, row) => {
    const route = withExample(row);
    const describeRoute = createDescribe(route, { name: 'asset-gateway', priceUsd: () => '0.00' });
    const { discoveries } = describeRoute({ assetId: 'gold' });
    expect(discoveries).toHaveLength(4);
    // In short rounds one of the lengths, the next one for the next row: the validator compiles each schema for long.
    const turn = [...ofEachKind.values()].indexOf(row) % discoveries.length;
    for (const { discovery, bytes } of isFull ? discoveries : discoveries.slice(turn, turn + 1)) {
      expect(validateDiscoveryExtension(discovery as unknown as DiscoveryExtension)).toEqual({ valid: true });
      expect(JSON.stringify(discovery)).toHaveLength(bytes);
    }
  });
});
