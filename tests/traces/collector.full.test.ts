import { readConfig } from '@asset-gateway/gateway';
import { describe, expect, it } from 'vitest';
import { node, runCommand } from '../kit/command.ts';
import { makeFolder } from '../kit/folder.ts';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { scrape } from '../operations/scrape.ts';
import { startReceiver } from './receiver.ts';

const KEY = { TOKENS_API_KEY: 'key' };
const DROPPED = 'asset_gateway_trace_spans_dropped_total';

async function start(mood: Parameters<typeof startReceiver>[0], variables = {}) {
  const receiver = await startReceiver(mood);
  const endpoint = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/custom/traces`, METRICS_PORT: '0' };
  return { receiver, gateway: await startTestGateway({ ...endpoint, ...variables }) };
}

const notices = ({ logLines }: TestGateway): string[] =>
  logLines
    .map((line) => String((JSON.parse(line) as { msg: unknown }).msg))
    .filter((text) => text.startsWith('traces:'));

async function ask({ url }: TestGateway, count = 1): Promise<void> {
  for (let asked = 0; asked < count; asked++) {
    const response = await fetch(`${url}/healthz`);
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  }
}

const dropped = async ({ gateway }: TestGateway) => (await scrape(gateway)).sum(DROPPED);

const LOADER = `
  import { createRequire } from 'node:module';
  import { readConfig, startGateway } from '@asset-gateway/gateway';
  const gateway = await startGateway(readConfig(process.env), { logTo: { write: () => undefined } });
  await (await fetch(gateway.url + '/healthz')).text();
  await gateway.stop();
  const paths = Object.keys(createRequire(process.cwd() + '/').cache);
  process.stdout.write(String(paths.some((path) => path.includes('/sdk-trace/'))));
`;

describe('the packages of OpenTelemetry', () => {
  // Another file may have loaded them in this process.
  async function isLoaded(variables: NodeJS.ProcessEnv): Promise<string> {
    const env = { PATH: process.env.PATH, PORT: '0', DATA_DIR: makeFolder(), ...KEY, ...variables };
    return (await runCommand(node('--input-type=module', '--eval', LOADER), { env })).stdout;
  }

  it('are loaded only with an endpoint', async () => {
    expect(await isLoaded({})).toBe('false');
    const receiver = await startReceiver();
    expect(await isLoaded({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url })).toBe('true');
  });
});

describe('a collector that', () => {
  it('answers 400 costs no request anything: spans are dropped and counted, and two lines say from when until when', async () => {
    const { receiver, gateway } = await start(400);
    await ask(gateway, 3);
    await expect.poll(() => dropped(gateway)).toBe(3);
    await ask(gateway, 2);
    await expect.poll(() => dropped(gateway)).toBe(5);
    receiver.mood = 'accept';
    await ask(gateway);
    await expect.poll(() => notices(gateway).length).toBe(2);
    expect(notices(gateway)).toEqual([
      'traces: the collector does not take spans (status 400); they are dropped until it does',
      'traces: the collector takes spans again; 5 were dropped',
    ]);
    const headers = { 'content-type': 'application/x-protobuf' };
    expect(receiver.requests[0]).toMatchObject({ path: '/custom/traces', headers });
    expect(receiver.raw()).toContain('GET /healthz');
  });

  it('says nothing costs no request anything, the queue stays bounded, and the gateway stops', async () => {
    const { gateway } = await start('silent', { OTEL_EXPORTER_OTLP_TIMEOUT: '60000' });
    const threads = Array.from({ length: 8 }, () => ask(gateway, 270));
    await Promise.all(threads);
    expect(await dropped(gateway)).toBe(2_160 - 2_048);
  });

  it('is missing is reported once', async () => {
    const { receiver, gateway } = await start('accept', {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '500',
    });
    await ask(gateway);
    await expect.poll(() => notices(gateway)).toEqual([expect.stringContaining('(ECONNREFUSED)')]);
    expect(receiver.requests).toEqual([]);
  });

  it('wants JSON gets JSON', async () => {
    const { receiver, gateway } = await start('accept', {
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-team=one',
    });
    await ask(gateway);
    await expect.poll(() => receiver.requests.length).toBe(1);
    expect(receiver.requests[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'x-team': 'one' });
    expect(receiver.raw()).toContain('"resourceSpans"');
  });
});

describe('the variables of OpenTelemetry', () => {
  const ENDPOINT = { ...KEY, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/base' };

  it('choose which traces are recorded', async () => {
    const { receiver, gateway } = await start('accept', {
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0',
    });
    await ask(gateway);
    expect(gateway.logLines.at(-1)).not.toContain('traceId');
    expect(receiver.requests).toEqual([]);
  });

  it('turn the export off', () => {
    expect(readConfig(KEY).traces).toBeUndefined();
    expect(readConfig({ ...ENDPOINT, OTEL_SDK_DISABLED: 'true' }).traces).toBeUndefined();
    expect(readConfig(ENDPOINT).traces).toMatchObject({
      url: 'http://collector:4318/base/v1/traces',
      attributes: { 'service.name': 'asset-gateway' },
    });
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'use http/protobuf, which collectors take on port 4318'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, 'must be a URL such as http://collector:4318'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'authorization' }, 'must be pairs such as key=value'],
    [{ OTEL_TRACES_SAMPLER: 'jaeger_remote' }, 'OTEL_TRACES_SAMPLER must be one of'],
    [{ OTEL_TRACES_SAMPLER_ARG: '2' }, 'must be a number from 0 to 1'],
    [{ OTEL_EXPORTER_OTLP_TIMEOUT: '0' }, 'must be a whole number of milliseconds'],
  ])('%o is refused with a sentence', (variables, sentence) => {
    expect(() => readConfig({ ...ENDPOINT, ...variables })).toThrow(sentence);
  });
});
