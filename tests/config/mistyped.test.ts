import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keypairFromFile, newKeypair } from '@asset-gateway/client/node';
import { readConfig } from '@asset-gateway/gateway';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../kit/folder.ts';
import { faultsOf, SOLD, WITH_FACILITATOR } from './faults.ts';

const KEY = { TOKENS_API_KEY: 'key' };
const SECRET = 'CANARY0123456789abcdef0123456789abcdef';
const GOOD = { ...KEY, ...WITH_FACILITATOR };

/** Variables with a secret, each with a good value. */
const SECRETS: Readonly<Record<string, string>> = {
  GATEWAY_SECRET: SECRET,
  TOKENS_API_KEY: SECRET,
  HELIUS_API_KEY: SECRET,
  METRICS_TOKEN: SECRET,
  FACILITATOR_AUTHORIZATION: `Bearer ${SECRET}`,
  OTEL_EXPORTER_OTLP_HEADERS: `authorization=${SECRET}`,
  HELIUS_MAINNET_RPC_URL: `https://rpc.example/?api-key=${SECRET}`,
  REDIS_URL: `redis://:${SECRET}@redis.example`,
  DATABASE_URL: `postgres://user:${SECRET}@db.example/gateway`,
  HTTPS_PROXY: `http://user:${SECRET}@proxy.example:3128`,
};

describe.each(Object.entries(SECRETS))('%s', (name, good) => {
  const faultsWith = (value: string) =>
    faultsOf({ ...GOOD, DATABASE_URL: SECRETS.DATABASE_URL, GATEWAY_SECRET: SECRET, [name]: value });

  const CONTROL = 'holds a line end or another control character; write it in one line.';
  it('is read as it is written', () => expect(faultsWith(good)).toEqual([]));

  it.each([
    ['quotes', `"${good}"`, 'is in quotes; write it without them.'],
    ['single quotes', `'${good}'`, 'is in quotes; write it without them.'],
    ['a line end', good.replace('CANARY', 'CANARY\n'), CONTROL],
    ['a carriage return', good.replace('CANARY', 'CAN\rARY'), CONTROL],
    ['changeme', good.replace(SECRET, 'changeme-'.repeat(4)), 'is a placeholder; write the real value.'],
    ['a name to replace', good.replace(SECRET, 'YOUR_API_KEY_0123456789'), 'is a placeholder; write the real value.'],
  ])('with %s is one sentence, without the value', (_, value, sentence) => {
    const faults = faultsWith(value);
    expect(faults).toEqual([`${name} ${sentence}`]);
    expect(faults.join()).not.toContain('CANARY');
  });

  it('with a line end after it is read without it', () => expect(faultsWith(`${good}\r\n`)).toEqual([]));
});

it('quotes around any variable are named', () => {
  expect(faultsOf({ ...GOOD, PORT: '"8402"', LOG_LEVEL: "'info'" })).toEqual([
    'LOG_LEVEL is in quotes; write it without them.',
    'PORT is in quotes; write it without them.',
  ]);
});

it.each(['HELIUS_API_KEY', 'FACILITATOR_AUTHORIZATION'])('%s that no header can carry is a fault', (name) => {
  expect(faultsOf({ ...GOOD, [name]: 'ключ-ключ' })).toEqual([`${name} must be printable ASCII.`]);
});

describe('a byte order mark', () => {
  const folder = makeFolder();
  const key = newKeypair();
  const fileWith = (name: string, text: string): string => {
    writeFileSync(join(folder, name), `\uFEFF${text}`);
    return join(folder, name);
  };
  const keypair = fileWith('id.json', JSON.stringify([...key]));

  it('in a keypair file is left out, by the gateway and by the client', () => {
    const { paid } = readConfig({ ...SOLD, FEE_PAYER_KEYPAIR: keypair });
    expect(paid?.facilitator).toEqual({ kind: 'in-process', keypair: Uint8Array.from(key) });
    expect(keypairFromFile(keypair)).toEqual(Uint8Array.from(key));
  });

  it('in APIS_FILE and in the document that it names is left out', () => {
    const document = {
      openapi: '3.1.0',
      info: { title: 'Weather', version: '1' },
      paths: { '/now': { get: { operationId: 'now', responses: { 200: {} } } } },
    };
    fileWith('weather.json', JSON.stringify(document));
    const file = {
      apis: {
        weather: {
          title: 'Weather',
          openapi: 'weather.json',
          url: 'https://weather.example',
          operations: { now: {} },
          requestsPerMinute: 5,
        },
      },
    };
    const { apis } = readConfig({ ...KEY, APIS_FILE: fileWith('apis.json', JSON.stringify(file)) });
    expect(apis.map(({ rows }) => rows.length)).toEqual([1]);
  });
});

describe('METRICS_PORT', () => {
  it('that Kubernetes sets for a service named "metrics" is ignored, like its other variables', () => {
    const links = {
      METRICS_PORT: 'tcp://10.0.0.11:9090',
      METRICS_SERVICE_HOST: '10.0.0.11',
      METRICS_PORT_9090_TCP: 'tcp://10.0.0.11:9090',
    };
    const config = readConfig({ ...KEY, ...links, PORT: 'tcp://10.0.0.12:80' });
    expect([config.metrics, config.port, config.notices]).toEqual([undefined, 8402, []]);
  });
});
