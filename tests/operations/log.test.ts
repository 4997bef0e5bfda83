import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createLog, inFormat, type Log, prettyLine } from '../../packages/gateway/src/log.ts';
import type { LogLine } from '../../packages/gateway/src/stages/trail.ts';
import { syntaxOf, ts } from '../architecture/rules.ts';
import { startChains, startSellingGateway } from '../kit/test-gateway.ts';
import { ask, newBuyer, newPath, ROOMY } from '../payments/fault-buyer.ts';

/** Some RPC providers put a key into the URL. */
const RPC_KEY = 'CANARY_0123456789_rpc_key';

const solana = await startChains();
const urls = { SOLANA_MAINNET_RPC_URL: `${solana.mainnet.url}/${RPC_KEY}` };
const gateway = await startSellingGateway({ ...ROOMY, ...urls }, { solana: solana });

interface Line {
  readonly path?: string;
  readonly wallet?: string;
  readonly status?: number;
  readonly error?: string;
  readonly reason?: string;
}

/** The lines of the requests to this path, the oldest first. */
const linesOf = (path: string): Line[] =>
  gateway.logLines.map((line) => JSON.parse(line) as Line).filter((line) => line.path === path);

it('the line of a purchase and of its repeat names the payer', async () => {
  const buyer = await newBuyer(solana.mainnet);
  const path = newPath();
  const payment = await buyer.pay(gateway.url + path);
  for (let time = 0; time < 2; time++) expect((await ask(gateway.url + path, payment)).status).toBe(200);
  const wallet = buyer.address;
  expect(linesOf(path)).toMatchObject([{ status: 402 }, { status: 200, wallet }, { status: 200, wallet }]);
  expect(linesOf(path)[0]?.wallet).toBeUndefined();
});

it('the line of a refusal has its reason, without secrets', async () => {
  const path = newPath();
  const payment = await (await newBuyer(solana.mainnet)).pay(gateway.url + path);
  const code = `no such key: ${RPC_KEY}` as unknown as number;
  solana.mainnet.faults.refuse = { getLatestBlockhash: { code, message: 'Unauthorized' } };
  // The gateway reads the chain again after a second.
  await sleep(1_100);
  const reply = await ask(gateway.url + path, payment);
  solana.mainnet.faults.reset();
  expect([reply.status, reply.code]).toEqual([503, 'facilitator_unavailable']);
  const { status, error, reason } = linesOf(path).at(-1) ?? {};
  expect([status, error]).toEqual([503, 'facilitator_unavailable']);
  expect(reason).toContain('no such key: [secret]');
  expect(gateway.logLines.join('')).not.toContain(RPC_KEY);
  expect(reply.text).not.toContain(RPC_KEY);
});

const LINE: LogLine = {
  requestId: 'id',
  client: '127.0.0.1',
  method: 'GET',
  path: '/v1/x402/tokens/assets/solana',
  route: 'tokens.assetDetail',
  status: 200,
  ms: 12.3,
};

const CLOCK = /^\d\d:\d\d:\d\d {2}/;

/** What a log of this level and format writes. */
function written(level: string, format: 'json' | 'pretty' | undefined, use: (log: Log) => void, isTTY = false) {
  const lines: string[] = [];
  use(createLog(level, [], inFormat(format, { isTTY, write: (line) => void lines.push(line) })));
  return lines;
}

describe('a line for a person', () => {
  it.each<[Partial<LogLine>, string]>([
    [{}, '200 GET /v1/x402/tokens/assets/solana  12.3 ms\n'],
    [
      { upstreamMs: 8, wallet: '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY', budgetLeft: 29 },
      '200 GET /v1/x402/tokens/assets/solana  12.3 ms, upstream 8 ms  wallet 86xC…  29 left\n',
    ],
    [{ error: 'sign_in_required' }, '  sign_in_required  12.3 ms'],
    [{ error: 'upstream_unreachable', reason: 'Error X' }, '  upstream_unreachable (Error X)  12.3 ms'],
    [{ paidMicros: 36, asset: 'mint', transaction: 'one' }, '  paid $0.000036  12.3 ms'],
    [{ paidMicros: 5, asset: 'mint', transaction: 'one' }, '  paid $0.000005  '],
    [{ creditMicros: 5, creditBy: 'signature', balanceMicros: 95 }, '  paid $0.000005 from credit  12.3 ms'],
    [{ transaction: 'one', replayed: true }, '  paid before  12.3 ms'],
    [{ path: '/\u001b[2J\u009b1A\r\u202e' }, '200 GET /\ufffd[2J\ufffd1A\ufffd\ufffd  12.3 ms\n'],
  ])('of %j contains %j after its time', (changes, expected) => {
    const line = { level: 30, time: '2026-01-02T03:04:05.678Z', ...LINE, ...changes, msg: 'request' };
    const text = prettyLine(JSON.stringify(line));
    expect(text).toMatch(CLOCK);
    expect(text.replace(CLOCK, '')).toContain(expected);
  });

  it('of a notice is its sentence, and of a failure its stack', () => {
    const [notice, failure] = written('info', 'pretty', (log) => {
      log.notice('listening on http://localhost:8402');
      log.failure(new Error('broken'));
    });
    expect(notice?.replace(CLOCK, '')).toBe('listening on http://localhost:8402\n');
    expect(failure?.replace(CLOCK, '')).toMatch(/^failure: Error: broken\n +at /);
  });
});

describe('the format', () => {
  it.each([
    [undefined, true, 'pretty'],
    [undefined, false, 'json'],
    ['json', true, 'json'],
    ['pretty', false, 'pretty'],
  ] as const)('%s at a terminal (%s) is %s; default of LOG_FORMAT', (format, isTTY, expected) => {
    const [line] = written('info', format, (log) => log.notice('listening'), isTTY);
    expect(line?.startsWith('{') ? 'json' : 'pretty').toBe(expected);
  });

  it('has no line below the level, and a notice is a warning', () => {
    const lines = written('warn', undefined, (log) => {
      log.started('listening', {});
      log.notice('Redis does not answer');
      log.failure(new Error('broken'));
    });
    expect(lines).toEqual([expect.stringContaining('Redis does not answer'), expect.stringContaining('broken')]);
  });

  it('passes errors of the stream to its listener', () => {
    const listeners: string[] = [];
    const stream = { write: () => undefined, on: (event: string) => void listeners.push(event) };
    inFormat('pretty', stream).on?.('error', () => undefined);
    expect(listeners).toEqual(['error']);
  });
});

it('docs/configuration.md lists the fields of a line', () => {
  const path = 'packages/gateway/src/stages/trail.ts';
  const fields = syntaxOf({ path, text: readFileSync(path, 'utf8') }).statements.flatMap((node) =>
    ts.isInterfaceDeclaration(node) && ['LogLine', 'LoggedMoney'].includes(node.name.text)
      ? node.members.flatMap(({ name }) => (name && ts.isIdentifier(name) ? [name.text] : []))
      : [],
  );
  const [, section = ''] = readFileSync('docs/configuration.md', 'utf8').split(/## The log line|## Readiness/);
  const [, listed = ''] = /`(requestId [^`]+)`/.exec(section) ?? [];
  const described = Array.from(
    section.matchAll(/^- ((?:`\w+`(?:, )?)+):/gm),
    ([, names = '']) => names.match(/\w+/g) ?? [],
  );
  expect(fields.length).toBeGreaterThan(20);
  expect([...new Set([...listed.split(/\s+/), ...described.flat()])].sort()).toEqual(fields.sort());
});
