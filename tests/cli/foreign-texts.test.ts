import { indentJson, typeText } from '@asset-gateway/protocol';
import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { fetchJson } from '../../packages/cli/src/fetch-json.ts';
import { candleChart, sparkline } from '../../packages/cli/src/show/chart.ts';
import { risk } from '../../packages/cli/src/show/formatters.ts';
import { fitted, padded, table } from '../../packages/cli/src/show/table.ts';
import { drip, flood, startStrangeGateway } from '../kit/strange-gateway.ts';
import { openFixture, WALLET } from './fixture.ts';

const PAYING = `balances ${WALLET} --pay`;
/** Characters that a terminal obeys or hides: an escape, C1, line ends, a direction, zero width, a tag. */
const HIDDEN = ['\u001b', '\u009b', '\n', '\r', '\u2028', '\u202e', '\u200b', '\u{e0041}'];
const FORGED = `a${HIDDEN.join('b')}forged line`;
const hiddenIn = (text: string): string[] => HIDDEN.filter((each) => each !== '\n' && text.includes(each));
const forgedIn = (text: string): string[] =>
  text.split(/\r\n|[\n\r\u2028]/).filter((line) => line.startsWith('forged'));

const fixture = await openFixture();
const strange = await startStrangeGateway();
const url = new URL(`${strange.url}/`);

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

describe('W24 a text from a gateway', () => {
  it('in a catalog is one line, and a route takes GET or POST', async () => {
    const row = { httpMethod: 'GET', path: '/v1/good', priceUsd: '0.0005', accessMode: 'exact', description: 'Good.' };
    const routes = [
      row,
      { ...row, path: `/v1/${FORGED}`, description: FORGED },
      ...[`GET${FORGED}`, '\u001b[2J', 'TRACE', 'get', '', 5, null].map((httpMethod) => ({ ...row, httpMethod })),
      ...[`0.1${FORGED}`, 'free', '-1', '1e9', null].map((priceUsd) => ({ ...row, priceUsd })),
      ...[null, 5, 'row', []],
    ];
    fixture.proxy.alter = ({ target }) =>
      target.startsWith('/v1/catalog') ? { body: JSON.stringify({ routes }) } : undefined;
    const { code, stdout } = await fixture.run(['routes']);
    const lines = stdout.trimEnd().split('\n');
    expect([code, lines.length, lines[0]]).toEqual([0, 2, 'GET\t/v1/good\t0.0005']);
    expect([hiddenIn(stdout), forgedIn(stdout)]).toEqual([[], []]);
  });

  it('that names a parameter is neither an option nor a command in an example', async () => {
    const names = [FORGED, 'city $(reboot)', "it's", 'x;reboot', '-x', 'q'];
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'string', examples: [FORGED] }]));
    const row = { httpMethod: 'GET', path: '/v1/x402/evil/:a b', priceUsd: '0', accessMode: 'siwx', description: '' };
    const inputSchema = { type: 'object', properties, required: names };
    const routes = [{ ...row, surface: 'evil', method: 'get', provider: 'evil', inputSchema }];
    fixture.proxy.alter = ({ target }) =>
      target.startsWith('/v1/catalog') ? { status: 200, body: JSON.stringify({ routes }) } : undefined;
    for (const typed of ['evil get --help', 'evil --help', 'evil get word', 'evil']) {
      const { stdout, stderr } = await fixture.run(typed);
      const shown = stdout + stderr;
      expect([typed, hiddenIn(shown), forgedIn(shown)]).toEqual([typed, [], []]);
      // What a shell would not read as text.
      expect([typed, shown.replace(/'(?:[^']|'\\'')*'/g, '').includes('reboot')]).toEqual([typed, false]);
    }
    expect((await fixture.run('evil get --help')).stdout).toContain('--q <value>');
  });

  it('in a cell of a table is one line; other values are empty', () => {
    const cells = [FORGED, 5, null, { toString: 'no' }, ['x']];
    const lines = table(cells, 80, [{ title: 'CELL', cell: (cell) => cell as string }]);
    expect(lines).toHaveLength(6);
    expect(lines.flatMap((line) => [...hiddenIn(line), ...forgedIn(line)])).toEqual([]);
  });

  it('in a refusal forges no line on stderr', async () => {
    fixture.answerPayments({ status: 402, body: { ok: false, error: 'payment_required', message: FORGED } });
    const { code, stderr } = await fixture.run(PAYING);
    expect([code, hiddenIn(stderr), forgedIn(stderr)]).toEqual([6, [], []]);
    expect(stderr).toContain('forged line');
  });

  const noTransactions = [FORGED, '1'.repeat(200), { toString: 'no' }, null].map((transaction) =>
    encoded({ transaction }),
  );
  it.each([...noTransactions, 'no base64!', encoded('text'), Buffer.from('{').toString('base64')])(
    'that is not a transaction is not shown as one and does not lose the answer: %j',
    async (header) => {
      fixture.answerPayments({ headers: { 'payment-response': header } });
      const { code, stdout, stderr } = await fixture.run(PAYING);
      expect([code, JSON.parse(stdout).ok, stderr.includes('transaction ')]).toEqual([0, true, false]);
      expect([hiddenIn(stderr), forgedIn(stderr)]).toEqual([[], []]);
    },
  );

  it.each([{ 'payment-response': encoded({}) }, { 'payment-response': 'x' }])(
    'that was paid for is printed even if it is HTML, with or without a receipt: %j',
    async (headers) => {
      fixture.answerPayments({ headers: { 'content-type': 'text/html', ...headers }, body: '<p>paid</p>' });
      const { run } = fixture.newUser();
      await run('wallet new');
      for (const typed of [PAYING, 'credit buy 0.05 --pay'])
        expect(await run(typed)).toMatchObject({ code: 0, stdout: '<p>paid</p>' });
    },
  );

  it.each([
    [503, 'text/html', '<p>busy</p>'],
    [503, 'application/json', '{"ok":true}'],
    [500, '', ''],
  ])('of status %i and type %j leaves the outcome of the payment open', async (status, type, body) => {
    fixture.answerPayments({ status, headers: { 'content-type': type }, body });
    const { run } = fixture.newUser();
    await run('wallet new');
    for (const typed of [PAYING, PAYING, 'credit buy 0.05 --pay', 'resume']) {
      const { code, stderr } = await run(typed);
      expect([typed, code]).toEqual([typed, 5]);
      expect(stderr).toMatch(/outcome (?:of the payment )?is not known/);
      if (typed !== 'resume') expect(stderr).toContain('run the same command again, or resume: both send the same');
    }
    expect(JSON.parse((await run('spending')).stdout)).toMatchObject({ open: { length: 2 } });
  });

  it.each([']', '}}}}', '{"a":]]', '"'.repeat(9)])('that is not JSON is printed too: %s', (text) => {
    expect(indentJson(text, Number.POSITIVE_INFINITY, String).text.replace(/\s/g, '')).toBe(text);
  });
});

it('W14 W15 a fetch of JSON stops at its size limit', async () => {
  let sent = 0;
  strange.answer((_, response) => flood(response, 200, (bytes) => (sent = bytes)));
  const stderr = `asset-gateway-client: ${url.host} answers /v1/catalog with more than 33554432 bytes\n`;
  expect(await fixture.run(`routes --gateway ${url.href}`)).toEqual({ code: 1, stdout: '', stderr });
  await expect.poll(() => sent).toBeGreaterThan(0);
  expect(sent).toBeLessThan(128 * 1_048_576);
});

it('W14 W15 a fetch of JSON stops at its time limit, even while bytes arrive, and when its caller aborts', async () => {
  strange.answer((_, response) => drip(response));
  const limits = { timeoutMs: 300, maxBytes: 1_048_576 };
  await expect(fetchJson(url, {}, limits)).rejects.toMatchObject({ name: 'GatewayError', code: 'timeout' });
  const caller = new AbortController();
  const outcome = fetchJson(url, {}, { ...limits, timeoutMs: 60_000, signal: caller.signal });
  setTimeout(() => caller.abort(new Error('given up')), 50);
  await expect(outcome).rejects.toThrow('given up');
});

it('a text is cut and padded to a width', () => {
  expect(padded(fitted('黄金代币', 6), 6)).toBe('黄金… ');
  expect(padded(fitted('한국👨‍👩‍👧e\u0301', 6), 6)).toBe('한국… ');
  expect(padded('👨‍👩‍👧e\u0301', 4)).toBe('👨‍👩‍👧e\u0301 ');
  expect(padded('金', 4, 'right')).toBe('  金');
});

it('a chart can show a single price', () => {
  const candle = { open: 1, high: 1, low: 1, close: 1 };
  expect(candleChart([candle], { columns: 20, colours: pc.createColors(false) }).join('')).toContain('╻');
  expect(sparkline([1, 1, 1], 10)).toBe('▄▄▄');
  expect(sparkline([1, 2, 3], 2)).toBe('▁█');
});

it.each([
  ['safe', 'green'],
  ['warning', 'yellow'],
  ['risk', 'red'],
] as const)('a score of the tone %s is %s', (tone, colour) => {
  const colours = pc.createColors(true);
  const verdict = { score: 12, grade: 'C', label: 'Weak Metrics', tone } as Parameters<typeof risk>[0];
  expect(risk(verdict, { columns: 80, colours })).toEqual([`${colours[colour]('C  Weak Metrics')}  12 of 100`]);
});

it('W27 the type of a schema reads each part once, even if each level repeats its types', () => {
  let reads = 0;
  const counted = Object.defineProperty({}, 'type', {
    enumerable: true,
    get: () => {
      reads++;
      return 'string';
    },
  });
  const repeated = (levels: number): object =>
    levels === 0 ? counted : { type: ['array', 'array', 'array'], items: repeated(levels - 1) };
  expect(typeText(repeated(10), 'answer').replace(/[()]/g, '')).toBe(`string${'[]'.repeat(10)}`);
  expect(reads).toBeLessThan(5);
});
