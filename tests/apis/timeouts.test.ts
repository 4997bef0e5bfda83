import { readConfig } from '@asset-gateway/gateway';
import { expect, it } from 'vitest';
import { providerEntriesOf } from '../../packages/gateway/src/compose/providers.ts';
import { longestMs } from '../../packages/gateway/src/config/apis.ts';
import { documentPath, KEY, writeDocument } from './document-files.ts';

const paid = { access: 'exact', price: '0.002' };

/** The configuration with these APIs of one document: their time-outs and operations. */
function configOf(apis: Readonly<Record<string, readonly [timeoutSeconds: number | undefined, operations: object]>>) {
  const entries = Object.entries(apis).map(([name, [timeoutSeconds, operations]]) => {
    const openapi = documentPath('weather.yaml');
    return [name, { title: name, openapi, url: 'https://a.example', timeoutSeconds, operations }];
  });
  const APIS_FILE = writeDocument({ apis: Object.fromEntries(entries) });
  const PAY_TO_WALLET = '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY';
  const facilitator = { FACILITATOR_URL: 'https://facilitator.example', SOLANA_MAINNET_RPC_URL: 'https://rpc.example' };
  return readConfig({ APIS_FILE, PAY_TO_WALLET, TEST_API_KEY: KEY, ...facilitator });
}

it('an API has its own time-out, which leases and the last seconds of a node allow for', () => {
  const config = configOf({
    free: [300, { getForecast: {} }],
    sold: [28, { getHistory: paid }],
    usual: [undefined, { getForecast: {}, getHistory: paid }],
  });
  const deadlines = providerEntriesOf(config).flatMap(({ channels }) =>
    channels.map(({ name, keys }) => [name.surface, keys[0]?.options.deadlinesMs]),
  );
  expect(Object.fromEntries(deadlines)).toMatchObject({
    free: { free: 300_000 },
    sold: { paid: 28_000 },
    usual: { free: 10_000, paid: 15_000 },
  });
  expect(longestMs(config)).toEqual({ free: 300_000, paid: 28_000 });
});

it('a paid operation may not wait longer than its payment lasts', () => {
  const fault =
    'apis.sold: operations.getHistory: a paid operation waits at most 28 s, because its payment settles while its blockhash is valid; ' +
    'lower timeoutSeconds';
  expect(() => configOf({ sold: [29, { getHistory: paid }] })).toThrow(fault);
});
