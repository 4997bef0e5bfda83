import { HEADERS, type Route, routes } from '@asset-gateway/protocol';
import { type DiscoveryExtension, validateDiscoveryExtension } from '@x402/extensions/bazaar';
import { describe, expect, it } from 'vitest';
import type { Call } from '../../packages/gateway/src/call.ts';
import { createDescribe, type Discovery } from '../../packages/gateway/src/describe/discovery.ts';
import { challenge } from '../../packages/gateway/src/gates/challenge.ts';

const MAX_HEADER_LENGTH = 4096;
/** More than this beside it, and a challenge would not fit without any discovery. */
const MAX_BESIDE = 2500;

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

/** The challenges of a row that has an example of its answer, with ever more beside the discovery. */
function shrinking(id: string): Left[] {
  const row = gated.find((route) => route.id === id);
  if (!row) throw new Error(`no row ${id}`);
  const route = withExample(row);
  const describeRoute = createDescribe({ name: 'asset-gateway', routes: [route], priceUsd: () => '0.00' });
  const call = { route, parameters: route.example.path ?? {} } as unknown as Call;
  return Array.from({ length: MAX_BESIDE }, (_, bytes) => {
    const extensions = { other: 'x'.repeat(bytes) };
    const demand = { code: 'payment_required', url: 'https://gateway.example/', accepts: [], extensions } as const;
    return leftIn(challenge(call, demand, describeRoute).headers[HEADERS.paymentRequired] ?? '');
  });
}

/** The first challenge of each kind, in their order. */
const changes = (all: readonly Left[]): Left[] => all.filter(({ parts }, index) => parts !== all[index - 1]?.parts);

describe('what does not fit into a challenge', () => {
  it.each(['tokens.search', 'tokens.assetDetail', 'wallet.mainnet.helius.history', 'rpc.mainnet.helius.getBalance'])(
    'is not dropped in the order of the contract, or too early, on %s',
    (id) => {
      const all = shrinking(id);
      expect(changes(all).map(({ parts }) => parts)).toEqual([
        'example, prose, extension',
        'prose, extension',
        'extension',
        'nothing',
      ]);
      for (const { header } of all) expect(header.length).toBeLessThanOrEqual(MAX_HEADER_LENGTH);
      for (const [index, { parts }] of all.entries()) {
        const next = all[index + 1];
        if (next && next.parts !== parts) expect(all[index]?.header).toHaveLength(MAX_HEADER_LENGTH);
      }
    },
  );

  it.each([...ofEachKind])('leaves behind what is not valid, on %s', (_, row) => {
    const route = withExample(row);
    const describeRoute = createDescribe({ name: 'asset-gateway', routes: [route], priceUsd: () => '0.00' });
    const { discoveries } = describeRoute(route, { assetId: 'gold' });
    expect(discoveries).toHaveLength(4);
    for (const { discovery, bytes } of discoveries) {
      expect(validateDiscoveryExtension(discovery as unknown as DiscoveryExtension)).toEqual({ valid: true });
      expect(JSON.stringify(discovery)).toHaveLength(bytes);
    }
  });
});
