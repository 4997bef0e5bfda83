import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { METHODS } from 'node:http';
import { consoleRoutes, faucetRoute, type Route, routes } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { everyThird, isFull } from '../kit/rounds.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { signedHeader } from '../kit/wallet.ts';
import { expectInTable, expectRefusal, faultsOf, statusAndCode } from './error-table.ts';
import { encodedLetter, SPELLINGS, type Spelling, UNREADABLE } from './spellings.ts';
import { gated, pathOf, rowOf, targetOf } from './targets.ts';
import { askAll, askFor, askOne, openClient, requestTo, seen, type WireAnswer, type WireRequest } from './wire.ts';

const TOKENS = '/v1/x402/tokens';

const gateway = await startTestGateway({ SERVICE_NAME: 'my "gateway"' }, { paid: true });

const KNOWN_VERBS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
/** CONNECT never reaches the application: its connection is closed unanswered. */
const OTHER_VERBS = METHODS.filter((verb) => verb !== 'CONNECT' && !KNOWN_VERBS.includes(verb));
const KINDS = ['system.catalog', 'tokens.assetDetail', 'tokens.marketSnapshots', 'rpc.mainnet.helius.getBalance'];
/** One row of each kind; tests/answers has some spellings of every row. */
const ROWS = [...(isFull ? routes : KINDS.map(rowOf)), ...consoleRoutes, faucetRoute];
const AT_ONCE = 200;

interface Asked {
  readonly name: string;
  readonly request: WireRequest;
}

/** A row asked for by a verb in every spelling. */
const everySpelling = (verb: string, route: Route, spellings: Readonly<Record<string, Spelling>>): Asked[] =>
  Object.entries(spellings).map(([name, spell]) => ({
    name: `${verb} ${route.id}, ${name}`,
    request: requestTo(gateway.port, verb, spell(pathOf(route))),
  }));

/** A 5xx, a 200 without a sign-in, or anything outside the contract. */
function wrong({ name, request: { method } }: Asked, answer: WireAnswer | undefined, mayPass: boolean): string[] {
  const status = answer?.status ?? 0;
  const served = status === 200 && !mayPass ? ['served without a sign-in'] : [];
  const broke = status >= 500 ? ['a 5xx'] : [];
  // Files of the console are revalidated instead.
  const isFile = answer?.headers['cache-control'] === 'no-cache' && answer.headers.etag !== undefined;
  const faults = faultsOf(answer, method).filter((fault) => !(isFile && fault.endsWith('no Cache-Control')));
  return [...faults, ...served, ...broke].map((fault) => `${name}: ${fault}`);
}

async function wrongAnswers(asked: readonly Asked[], mayPass: boolean): Promise<string[]> {
  const requests = asked.map(({ request }) => request);
  const answers = await askAll(gateway.port, requests);
  return asked.flatMap((one, index) => wrong(one, answers[index], mayPass));
}

describe('every spelling of a path, without a sign-in', () => {
  it.each([...KNOWN_VERBS, ...OTHER_VERBS])('%s: no upstream call, and an answer of the contract', async (verb) => {
    const other = OTHER_VERBS.indexOf(verb);
    for (const route of isFull || other < 0 ? ROWS : [ROWS[other % ROWS.length] as Route]) {
      const faults = await wrongAnswers(everySpelling(verb, route, SPELLINGS), route.access === 'public');
      expect(faults.slice(0, 5)).toEqual([]);
    }
    expect(gateway.upstream.arrivals).toEqual([]);
  });

  it.each(['GET', 'HEAD', 'POST', 'OPTIONS', 'TRACE'])('%s of an unreadable target is a 400', async (verb) => {
    const asked = ROWS.flatMap((route) => everySpelling(verb, route, UNREADABLE));
    const answers: (WireAnswer | undefined)[] = [];
    // One address may hold only so many connections at once.
    for (let from = 0; from < asked.length; from += AT_ONCE) {
      const some = asked.slice(from, from + AT_ONCE).map(({ request }) => askOne(gateway.port, request));
      answers.push(...(await Promise.all(some)));
    }
    expect(asked.flatMap((one, index) => wrong(one, answers[index], false)).slice(0, 5)).toEqual([]);
    expect(new Set(answers.map((answer) => answer?.status))).toEqual(new Set([400]));
    expect(gateway.upstream.arrivals).toEqual([]);
  });

  it('encoded letters of a literal segment make no difference', async () => {
    const asked = gated.map((route) => requestTo(gateway.port, route.httpMethod, encodedLetter(pathOf(route))));
    const answers = await askAll(gateway.port, asked);
    expect(answers.map(statusAndCode)).toEqual(gated.map(() => '402 sign_in_required'));
    const described = answers.map((answer) => JSON.parse(answer?.body ?? '{}').resource.description);
    expect(described).toEqual(gated.map(({ description }) => description));
    expect(gateway.upstream.arrivals).toEqual([]);
  });
});

const ask = (verb: string, target: string, ...lines: string[]): Promise<WireAnswer | undefined> =>
  askFor(gateway.port, verb, target, ...lines);

const UNKNOWN = [
  ...['/console', '/console/', '/index.html', '/operate.html', '/v1', '/v1/', '/v1/catalog/', '/healthz/'],
  ...['/HEALTHZ', '/V1/catalog', '/v1/whoami', TOKENS, `${TOKENS}/`, `${TOKENS}/whoami`, `${TOKENS}/assets`],
  ...[`${TOKENS}/assets/`, `${TOKENS}/assets/solana/`, `${TOKENS}/assets/solana/nothing`, `${TOKENS}%2fhealth`],
  '/v1/x402/solana/testnet/helius/rpc/getBalance',
  '/v1/x402/solana/mainnet/helius/rpc/sendTransaction',
  '/v1/x402/solana/devnet/alchemy/das/getAsset',
  '/v1/x402/solana/mainnet/alchemy/rpc/getTransactionsForAddress',
];

/** Absolute forms, doubled slashes, dot segments, broken escapes, bytes that are not UTF-8, and characters of no path. */
const NOT_ACCEPTABLE = [
  ...['http://127.0.0.1/healthz', `http://evil.example${TOKENS}/health`, 'HTTP://127.0.0.1/healthz'],
  ...['//evil.example/healthz', `${TOKENS}//health`],
  ...['/v1/./catalog', `${TOKENS}/../../catalog`, `${TOKENS}/assets/../../../../healthz`],
  ...['/v1/x/%2e%2e/catalog', '/v1/x/.%2e/catalog'],
  ...['/v1/catalog%', `${TOKENS}/assets/%zz`, `${TOKENS}/assets/%ff`, `${TOKENS}/assets/a%c0%afb`],
  ...['/v1/catalog?provider=%', '/v1/catalog?provider=%ff'],
  ...['/healthz#x', '*', '/v1\\catalog', '/v1/catalog['],
];

describe('the answer to a request line', () => {
  it.each(UNKNOWN)('404 for %s with every verb', async (target) => {
    for (const verb of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']) {
      const answer = await ask(verb, target);
      expect(answer?.status).toBe(404);
      if (verb !== 'HEAD') expectRefusal(answer, '404 not_found');
    }
  });

  it.each(NOT_ACCEPTABLE)('400 for %s', async (target) => {
    for (const verb of ['GET', 'POST', 'OPTIONS']) expectRefusal(await ask(verb, target), '400 bad_request');
    expect(gateway.upstream.arrivals).toEqual([]);
  });

  it('does not repeat the request in its refusals', async () => {
    const marker = createHash('sha256').update('marker').digest('hex');
    for (const target of [`/${marker}`, `/${marker}//`, `http://${marker}/`, `/v1/catalog?provider=${marker}`]) {
      const answer = await ask('GET', target, `X-Marker: ${marker}`, `Origin: http://${marker}`);
      expect(JSON.stringify(answer)).not.toContain(marker);
    }
  });

  it('H12 TRACE, CONNECT, Upgrade and OPTIONS * open nothing', async () => {
    const upgrade = ['Connection: Upgrade, close', 'Upgrade: websocket', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
    expectRefusal(await ask('GET', `${TOKENS}/health`, ...upgrade), '402 sign_in_required');
    expectRefusal(await ask('OPTIONS', '*'), '400 bad_request');
    expectRefusal(await ask('TRACE', '/healthz'), '405 method_not_allowed');
    for (const target of ['evil.example:443', '/healthz', `${TOKENS}/health`])
      expect([undefined, 400, 405]).toContain((await ask('CONNECT', target))?.status);
    for (const verb of ['get', 'FOO', 'GETT', 'G\0T', '', 'PRI'])
      expect(statusAndCode(await ask(verb, '/healthz'))).toBe('400 bad_request');
    expect(statusAndCode(await ask('PRI', '*'))).toBe('400 bad_request');
    expect(gateway.upstream.arrivals).toEqual([]);
  });

  it('H12 an expectation other than 100-continue is a 417', async () => {
    const answer = await ask('GET', `${TOKENS}/health`, 'Expect: x');
    expect(answer?.status).toBe(417);
    expectInTable(answer);
    expect(gateway.upstream.arrivals).toEqual([]);
  });

  it('H12 100 Continue asks for a body, but not for one that the head has refused', async () => {
    const row = rowOf('rpc.mainnet.helius.getBalance');
    const firstOf = async (length: number) => {
      const expecting = ['Content-Type: application/json', 'Expect: 100-continue', `Content-Length: ${length}`];
      const { socket, received } = openClient(gateway.port);
      socket.write(requestTo(gateway.port, 'POST', pathOf(row), ...expecting).bytes);
      await once(socket, 'data');
      socket.destroy();
      return received();
    };
    expect(await firstOf(65_536)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    for (const length of [65_537, 1_048_576]) expect(await firstOf(length)).toMatch(/^HTTP\/1\.1 413 /);
    expect(gateway.solana?.mainnet.transfers).toEqual([]);
  });
});

const fetched = async (method: string, target: string, header?: string): Promise<WireAnswer> =>
  seen(await fetch(gateway.url + target, { method, ...(header && { headers: { 'SIGN-IN-WITH-X': header } }) }));

/** Set by the client, which closes after a HEAD. */
const ABOUT_CONNECTION = ['connection', 'keep-alive'];
const namesOf = ({ headers }: WireAnswer): Set<string> =>
  new Set(Object.keys(headers).filter((name) => !ABOUT_CONNECTION.includes(name)));
const left = ({ headers }: WireAnswer): number => Number(/r=(\d+)/.exec(headers.ratelimit ?? '')?.[1]);

const behindSignIn = gated
  .filter(({ httpMethod }) => httpMethod === 'GET')
  .map((row) => [row.id, targetOf(row)] as const);

// The recorded answers have a HEAD without a sign-in on every row.
describe('H17 signed HEAD', () => {
  it.each(everyThird(behindSignIn, 0))('on %s takes one upstream call and one slot, like GET', async (_, target) => {
    const before = gateway.upstream.arrivals.length;
    const get = await fetched('GET', target, await signedHeader(gateway.url + target));
    const headHeader = await signedHeader(gateway.url + target);
    const head = await fetched('HEAD', target, headHeader);
    expect([get.status, head.status]).toEqual([200, 200]);
    expect(head.body).toBe('');
    expect(namesOf(head)).toEqual(namesOf(get));
    expect(left(head)).toBe(left(get) - 1);
    expect(faultsOf(head, 'HEAD')).toEqual([]);
    const [first, second] = gateway.upstream.arrivals.slice(before).map((each) => `${each.method} ${each.target}`);
    expect(second).toBe(first);
    expect((await fetched('GET', target, headHeader)).status).toBe(402);
    expect(gateway.upstream.arrivals.length).toBe(before + 2);
  });

  it('is refused like GET: invalid parameters, an invalid header', async () => {
    const target = targetOf(rowOf('tokens.search'));
    const before = gateway.upstream.arrivals.length;
    const broken = `${target}&limit=51`;
    const get = await fetched('GET', broken, await signedHeader(gateway.url + broken));
    const head = await fetched('HEAD', broken, await signedHeader(gateway.url + broken));
    expect([get.status, head.status]).toEqual([400, 400]);
    expect(namesOf(head)).toEqual(namesOf(get));
    expect((await fetched('HEAD', target, 'x')).status).toBe(402);
    expect(gateway.upstream.arrivals.length).toBe(before);
  });
});

describe('the public routes', () => {
  const get = async (target: string): Promise<WireAnswer> => fetched('GET', target);

  it('are liveness, readiness and the documents', async () => {
    const documents = ['/v1/catalog', '/openapi.json', '/.well-known/x402', '/llms.txt'];
    const publicPaths = routes.filter(({ access }) => access === 'public').map(({ path }) => path);
    expect(publicPaths).toEqual(['/healthz', '/readyz', ...documents]);
    expect((await get('/healthz')).body).toBe('{"ok":true,"service":"my \\"gateway\\"","status":"healthy"}');
  });

  const NO_PROVIDERS = ['gateway', '', 'TOKENS', 'tokens,alchemy', 'tokens%20', '__proto__', 'tokens&provider=alchemy'];
  it.each([...NO_PROVIDERS, 'x'.repeat(300)])('refuse the provider %j', async (provider) => {
    const answer = await get(`/v1/catalog?provider=${provider}`);
    expect(answer.status).toBe(400);
    expectInTable(answer);
    expect(JSON.parse(answer.body).issues).toHaveLength(1);
    if (provider.length > 8) expect(answer.body).not.toContain(`"${provider}"`);
  });

  const UNKNOWN_QUERIES = ['x=1', 'Provider=tokens', 'provider%5B%5D=tokens', '=', '%00=1', 'a&b', 'constructor=1'];
  it.each(UNKNOWN_QUERIES)('refuse the unknown parameter %s', async (query) =>
    expectRefusal(await get(`/v1/catalog?${query}`), '400 invalid_request'),
  );
});
