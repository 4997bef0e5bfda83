import { expect, it } from 'vitest';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { JSON_BODY, refusedForFree, SNAPSHOTS, TOKENS } from '../upstream/caller.ts';
import { MARKER } from './values.ts';

const gateway = await stopAfterTests(startTestGateway());

const EVERYTHING_WRONG = [
  `include=profile,${MARKER}`,
  `mint=${MARKER}%0a`,
  `variantsMode=${MARKER}`,
  `ohlcvInterval=${MARKER}`,
  'ohlcvFrom=-7391',
  `ohlcvTo=${MARKER}`,
  'marketsOffset=73910',
  'marketsLimit=73910',
  `unknown=${MARKER}`,
].join('&');

it('names every violation of a request at once, with its rule and what is allowed', async () => {
  const ask = { target: `${TOKENS}/assets/solana?${EVERYTHING_WRONG}` };
  await refusedForFree(gateway, [ask], ({ json: { issues = [] } }) => {
    const rules = Object.fromEntries(issues.map(({ name, rule }) => [name, rule]));
    expect(rules).toEqual({
      'include[1]': 'enum',
      mint: 'pattern',
      variantsMode: 'enum',
      ohlcvInterval: 'enum',
      ohlcvFrom: 'minimum',
      ohlcvTo: 'type',
      marketsOffset: 'maximum',
      marketsLimit: 'maximum',
      unknown: 'additionalProperties',
    });
    for (const issue of issues) {
      expect(Object.keys(issue)).toEqual(['in', 'name', 'rule', 'message']);
      expect(issue.in).toBe('query');
    }
  });
});

it('names the path, the query and the rules over several parameters in one answer', async () => {
  const target = `${TOKENS}/assets/a%20b/ohlcv?from=9&to=8&interval=2h`;
  await refusedForFree(gateway, [{ target }], ({ status, json: { issues = [] } }) => {
    expect(status).toBe(400);
    expect(issues.map((issue) => [issue.in, issue.name, issue.rule])).toEqual([
      ['path', 'assetId', 'pattern'],
      ['query', 'interval', 'enum'],
      ['query', 'from,to', 'notBefore'],
    ]);
  });
});

it('lists at most 20 violations', async () => {
  const unknown = Array.from({ length: 60 }, (_, index) => `unknown${index}=${MARKER}`).join('&');
  const mints = JSON.stringify({ mints: Array.from({ length: 100 }, () => 7391) });
  const asks = [
    { target: `${TOKENS}/assets/solana?${unknown}` },
    { target: `${TOKENS}/health?${unknown}` },
    { method: 'POST', target: SNAPSHOTS, headers: JSON_BODY, body: mints },
  ];
  await refusedForFree(gateway, asks, ({ json }) => {
    expect(json.error).toBe('invalid_request');
    expect(json.issues).toHaveLength(20);
  });
});

const unknownNames = (count: number): string[] => Array.from({ length: count }, (_, index) => `u${index}`);

it.each([1, 7, 8, 9, 20, 100, 1000])(
  '%i unknown parameters are refused, alone and beside other violations',
  async (count) => {
    const unknown = unknownNames(count)
      .map((name) => `${name}=1`)
      .join('&');
    const members = unknownNames(count)
      .map((name) => `"${name}":1`)
      .join();
    const bodies = [`{"mints":["a"],${members}}`, `{${members},"mints":[7]}`, `{${members},"mints":[]}`];
    const asks = [
      { target: `${TOKENS}/assets/solana?${unknown}` },
      { target: `${TOKENS}/assets/solana?marketsLimit=51&include=evil&mint=%0a&${unknown}` },
      { target: `${TOKENS}/assets/solana?${unknown}&marketsLimit=51&include=evil&mint=%0a` },
      ...bodies.map((body) => ({ method: 'POST', target: SNAPSHOTS, headers: JSON_BODY, body })),
    ];
    await refusedForFree(gateway, asks, ({ status, json }) => {
      expect(status).toBe(400);
      expect(json.error).toBe('invalid_request');
      expect(json.issues?.length).toBeGreaterThan(0);
      expect(json.issues?.length).toBeLessThanOrEqual(20);
    });
  },
);

it('quotes no value, neither in the answer nor in the log', async () => {
  const from = gateway.logLines.length;
  const headers = JSON_BODY;
  const asks = [
    { target: `${TOKENS}/assets/solana?${EVERYTHING_WRONG}` },
    { target: `${TOKENS}/assets/search?q=a&limit=${MARKER}&category=${MARKER.repeat(20)}` },
    { target: `${TOKENS}/assets/search?q=a&${encodeURIComponent(`<${MARKER}>`)}=1` },
    { target: `${TOKENS}/assets/search?q=a&${MARKER.repeat(20)}=1` },
    { method: 'POST', target: SNAPSHOTS, headers, body: JSON.stringify({ mints: [`${MARKER},`, 7391, [MARKER]] }) },
    { method: 'POST', target: SNAPSHOTS, headers, body: JSON.stringify({ mints: { [`${MARKER} x`]: MARKER } }) },
    { method: 'POST', target: SNAPSHOTS, headers, body: JSON.stringify({ [`<${MARKER}>`]: 1 }) },
    { method: 'POST', target: SNAPSHOTS, headers, body: JSON.stringify(MARKER) },
  ];
  await refusedForFree(gateway, asks, ({ status, text, json }, { target }) => {
    expect(status, target).toBe(400);
    expect(text, target).not.toContain(MARKER);
    expect(text.replace(json.requestId ?? '', ''), target).not.toContain('7391');
  });
  const lines = gateway.logLines.slice(from);
  expect(lines.length).toBeGreaterThan(asks.length);
  expect(lines.join()).not.toContain(MARKER);
});

it.each(['null', '[]', '7', 'true', '"text"', '[{"mints":["a"]}]'])(
  'asks for an object where the body is %s',
  async (body) => {
    const ask = { method: 'POST', target: SNAPSHOTS, headers: JSON_BODY, body };
    await refusedForFree(gateway, [ask], ({ status, json }) => {
      expect(status).toBe(400);
      expect(json.issues).toContainEqual({
        in: 'body',
        name: 'body',
        rule: 'type',
        message: 'Must be of type object.',
      });
    });
  },
);
