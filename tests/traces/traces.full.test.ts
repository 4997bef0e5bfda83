import { HEADERS } from '@asset-gateway/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { CANARY_KEY, CANARY_SECRET, startTestGateway } from '../kit/test-gateway.ts';
import { newSigner, signedHeader } from '../kit/wallet.ts';
import { callOf, headerOf, paymentFor, sendPaid, transactionOf } from '../payments/calls.ts';
import { openWallet } from '../payments/wallets.ts';
import { TOKENS } from '../upstream/caller.ts';
import { type ReceivedSpan, startReceiver, treeOf } from './receiver.ts';

const COLLECTOR_KEY = 'CANARY_collector_key_0123456789';
const SEARCH = `${TOKENS}/assets/search?q=solana`;
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

const receiver = await startReceiver();
const variables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${COLLECTOR_KEY}`,
  OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.name=unused',
  OTEL_SERVICE_NAME: 'gateway-under-test',
  METRICS_PORT: '0',
};
const gateway = await startTestGateway({ ...variables, RESPONSE_CACHE: 'on' }, { paid: true });
beforeEach(() => void receiver.requests.splice(0));

/** The spans of the trace that a log line names, once the collector has its request. */
async function spansOf(traceId: string): Promise<ReceivedSpan[]> {
  const found = () => receiver.spans().filter((span) => span.traceId === traceId);
  await expect.poll(() => found().some(({ kind }) => kind === 2)).toBe(true);
  return found();
}

const lastLine = (): Record<string, unknown> => JSON.parse(gateway.logLines.at(-1) ?? '{}') as Record<string, unknown>;

/** Signs in and searches; answers with what must be in no span, and with the trace. */
async function search(headers: Readonly<Record<string, string>> = {}, url = gateway.url + SEARCH) {
  const signer = newSigner();
  const header = await signedHeader(url, {}, signer);
  const response = await fetch(url, { headers: { ...headers, 'SIGN-IN-WITH-X': header } });
  await response.arrayBuffer();
  expect(response.status).toBe(200);
  const { signature, nonce } = JSON.parse(Buffer.from(header, 'base64').toString()) as Record<string, string>;
  return { traceId: String(lastLine().traceId), secrets: [header, signature, nonce, signer.address].map(String) };
}

describe('a trace', () => {
  it('of a signed request has the sign-in, the slot and the upstream call, and the next one is a cache hit', async () => {
    const { traceId, secrets } = await search();
    const spans = await spansOf(traceId);
    expect(treeOf(spans, traceId)).toEqual({
      [`GET ${TOKENS}/assets/search`]: { 'sign-in': {}, 'take slot': {}, 'upstream call': {} },
    });
    const [request] = spans.filter(({ kind }) => kind === 2);
    expect(request).toMatchObject({
      status: 0,
      attributes: {
        'http.request.method': 'GET',
        'http.response.status_code': 200,
        'http.route': `${TOKENS}/assets/search`,
        'url.path': `${TOKENS}/assets/search`,
        'client.address': '127.0.0.1',
        'asset_gateway.route': 'tokens.search',
        'asset_gateway.cache': 'miss',
      },
    });
    expect(spans.find(({ name }) => name === 'upstream call')).toMatchObject({
      kind: 3,
      attributes: { 'asset_gateway.provider': 'tokens', 'http.request.method': 'GET' },
    });
    const second = await search();
    const [cached] = (await spansOf(second.traceId)).filter(({ kind }) => kind === 2);
    expect(cached?.attributes['asset_gateway.cache']).toBe('hit');
    expect((await spansOf(second.traceId)).map(({ name }) => name)).not.toContain('upstream call');
    for (const secret of [...secrets, ...second.secrets, CANARY_KEY, CANARY_SECRET, COLLECTOR_KEY, 'q=solana'])
      expect(receiver.raw()).not.toContain(secret);
    expect(receiver.resource()).toMatchObject({
      'service.name': 'gateway-under-test',
      'deployment.environment.name': 'test',
    });
    expect(receiver.requests[0]).toMatchObject({
      path: '/v1/traces',
      headers: { authorization: `Bearer ${COLLECTOR_KEY}` },
    });
  });

  it('of a purchase has its steps inside each other, and no part of the payment', async () => {
    const call = callOf('rpc.mainnet.helius.getBalance');
    const wallet = await openWallet(gateway.solana);
    const payment = await paymentFor(gateway, call, wallet);
    const response = await sendPaid(gateway, call, payment);
    expect(response.status).toBe(200);
    const settled = response.headers.get(HEADERS.paymentResponse) ?? 'nothing';
    const sent = [headerOf(payment), transactionOf(payment), settled];
    const { traceId, transaction } = lastLine();
    const spans = await spansOf(String(traceId));
    const [tree] = Object.values(treeOf(spans, String(traceId)) as Record<string, Record<string, unknown>>);
    expect(tree).toMatchObject({
      ...{
        payment: { 'read payments': {} },
        reserve: {},
        verify: { simulate: {} },
        'take slot': {},
        'upstream call': {},
      },
      'begin settlement': { 'write wallets': {} },
      settle: { send: {}, confirm: {} },
      record: {},
    });
    for (const secret of [String(transaction), wallet.address, ...sent]) expect(receiver.raw()).not.toContain(secret);
  });

  it("continues the client's trace, and takes nothing from a hostile traceparent", async () => {
    const { traceId } = await search({ traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'evil=CANARY_state' });
    expect(traceId).toBe(TRACE);
    const spans = await spansOf(TRACE);
    expect(spans.find(({ kind }) => kind === 2)?.parentId).toBe(PARENT);
    const hostile = [
      'a'.repeat(10_000),
      `00-${'0'.repeat(32)}-${PARENT}-01`,
      `ff-${TRACE}-${PARENT}-01`,
      `00-${TRACE}-${PARENT}-01-${'b'.repeat(9_000)}`,
      `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`,
    ];
    for (const traceparent of hostile) {
      const other = await search({ traceparent });
      expect(other.traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(other.traceId).not.toBe(TRACE);
      expect((await spansOf(other.traceId)).find(({ kind }) => kind === 2)?.parentId).toBe('');
    }
    expect(receiver.raw()).not.toContain('CANARY_state');
  });

  it('of a client that asks for no record is not exported, and its log line names none', async () => {
    expect((await search({ traceparent: `00-${TRACE}-${PARENT}-00` })).traceId).toBe('undefined');
  });

  it('of a refusal has its code, and is no error of the gateway', async () => {
    expect((await fetch(gateway.url + SEARCH)).status).toBe(402);
    const spans = await spansOf(String(lastLine().traceId));
    expect(spans.find(({ kind }) => kind === 2)).toMatchObject({
      status: 0,
      attributes: { 'asset_gateway.error_code': 'sign_in_required', 'http.response.status_code': 402 },
    });
    expect(spans.find(({ name }) => name === 'sign-in')).toMatchObject({ status: 0 });
  });

  it('is an exemplar of the metrics if the scraper accepts OpenMetrics', async () => {
    const { traceId } = await search();
    const { metricsUrl = '' } = gateway.gateway;
    const open = await fetch(metricsUrl, { headers: { accept: 'application/openmetrics-text;version=1.0.0' } });
    expect(open.headers.get('content-type')).toMatch(/^application\/openmetrics-text/);
    const text = await open.text();
    expect(text).toContain(`# {trace_id="${traceId}"}`);
    expect(text).toMatch(/^# TYPE asset_gateway_requests counter\n(?:asset_gateway_requests_total\{.*\} \d+\n)+/m);
    expect(text.endsWith('\n# EOF\n')).toBe(true);
    const plain = await (await fetch(metricsUrl)).text();
    expect(plain).toMatch(/^# TYPE asset_gateway_requests_total counter$/m);
    expect(plain).not.toContain('trace_id');
  });

  it('reaches upstreams only with TRACE_UPSTREAMS=on', async () => {
    expect(gateway.upstream.arrivals.every(({ headers }) => headers.traceparent === undefined)).toBe(true);
    const open = await startTestGateway({ ...variables, METRICS_PORT: '', TRACE_UPSTREAMS: 'on' });
    await search({ traceparent: `00-${TRACE}-${PARENT}-01` }, open.url + SEARCH);
    const [arrival] = open.upstream.arrivals.filter(({ target }) => target.includes('search'));
    expect(arrival?.headers.traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
  });
});
