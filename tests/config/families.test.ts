import { readConfig } from '@asset-gateway/gateway';
import { describe, expect, it } from 'vitest';
import { writeDocument } from '../apis/apis.ts';
import { faultsOf, WITH_FACILITATOR } from './faults.ts';

const KEY = { TOKENS_API_KEY: 'k', ...WITH_FACILITATOR };
const withFile = (file: unknown) => ({ ...KEY, APIS_FILE: writeDocument(file) });

describe('limits in APIS_FILE', () => {
  it('replace the defaults of their families only', () => {
    const file = { tokens: { requestsPerMinute: 7 }, rpc: { requestsPerSecond: 8 }, wallet: { requestsPerSecond: 9 } };
    const { tokens, paid } = readConfig(withFile(file));
    expect([tokens?.limitPerMinute, paid?.limitsPerSecond]).toEqual([7, { rpc: 8, das: 10, wallet: 9 }]);
  });

  it.each([
    ['tokens', 'requestsPerMinute', 'TOKENS_RATE_LIMIT_PER_MINUTE'],
    ['rpc', 'requestsPerSecond', 'RPC_RATE_LIMIT_PER_SECOND'],
    ['das', 'requestsPerSecond', 'DAS_RATE_LIMIT_PER_SECOND'],
    ['wallet', 'requestsPerSecond', 'WALLET_RATE_LIMIT_PER_SECOND'],
  ])('of %s are a fault beside its variable', (family, member, variable) => {
    const environment = withFile({ [family]: { [member]: 5 } });
    expect(faultsOf({ ...environment, [variable]: '5' })).toEqual([
      `APIS_FILE: the limit of ${family} is set here and in ${variable}; unset ${variable}.`,
    ]);
    expect(faultsOf({ ...environment, [variable]: ' ' })).toEqual([]);
  });

  it.each([0, 1.5, 1_000_001, '5', null])('%j is not a limit', (limit) => {
    expect(faultsOf(withFile({ rpc: { requestsPerSecond: limit } }))).toEqual([
      expect.stringMatching(/^APIS_FILE: rpc\.requestsPerSecond .+\.$/),
    ]);
  });
});

it.each([
  [{ tokens: { requestsPerSecond: 5 } }, 'tokens has no "requestsPerSecond"; the nearest is requestsPerMinute'],
  [{ rpc: { enable: false } }, 'rpc has no "enable"; the nearest is enabled'],
  [{ rcp: {} }, 'the file has no "rcp"; the nearest is rpc'],
  [{ das: { enabled: 'no' } }, 'das.enabled must be boolean'],
  [{ tokens: { operations: { serch: {} } } }, 'tokens.operations has no "serch"; the nearest is search'],
])('%j is a fault with its place', (file, sentence) => {
  expect(faultsOf(withFile(file))).toEqual([`APIS_FILE: ${sentence}.`]);
});

it('disabled asset data alone leave nothing to serve', () => {
  const APIS_FILE = writeDocument({ tokens: { enabled: false } });
  expect(faultsOf({ TOKENS_API_KEY: 'k', APIS_FILE })).toEqual([
    'Nothing to serve: APIS_FILE disables tokens, and nothing else is configured.',
  ]);
});

describe('a removed variable', () => {
  it.each([
    ['PRICES_FILE', '{"rpc": {"price": "0.0015", "operations": {"getBalance": {"price": "0.002"}}}}'],
    ['CACHE_FILE', '{"tokens": {"operations": {"search": {"cache": {"freshSeconds": 60, "maxStaleSeconds": 300}}}}}'],
  ])('%s is a fault with an example that the new file accepts', (name, example) => {
    const [fault, ...others] = faultsOf({ ...KEY, [name]: 'old.json' });
    expect([fault, others]).toEqual([expect.stringContaining(example), []]);
    expect(fault).toMatch(new RegExp(`^${name} was removed: .+\\.$`));
    expect(faultsOf(withFile(JSON.parse(example)))).toEqual([]);
    expect(faultsOf({ ...KEY, [name]: '' })).toEqual([]);
  });
});
