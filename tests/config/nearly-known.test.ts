import { type Environment, readConfig } from '@asset-gateway/gateway';
import { describe, expect, it } from 'vitest';
import { VARIABLES } from '../../packages/gateway/src/config/variables.ts';
import { DOCUMENTED } from '../deploy/monitoring.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import names from './names.json' with { type: 'json' };

const noticesOf = (environment: Environment) => readConfig({ TOKENS_API_KEY: 'k', ...environment }).notices;
const sentence = (name: string, known: string) => `${name} is set but unknown; did you mean ${known}?`;

/** Variables that Kubernetes and Docker set for a service with this name. */
function serviceLinks(service: string): Environment {
  const name = service.toUpperCase().replaceAll('-', '_');
  const address = 'tcp://10.0.0.11:6379';
  return {
    [`${name}_SERVICE_HOST`]: '10.0.0.11',
    [`${name}_SERVICE_PORT`]: '6379',
    [`${name}_SERVICE_PORT_HTTP_WEB`]: '6379',
    [`${name}_PORT`]: address,
    [`${name}_PORT_6379_TCP`]: address,
    [`${name}_PORT_6379_TCP_PROTO`]: 'tcp',
    [`${name}_PORT_6379_TCP_PORT`]: '6379',
    [`${name}_PORT_6379_TCP_ADDR`]: '10.0.0.11',
    [`${name}_NAME`]: `/gateway/${service}`,
    [`${name}_ENV_${name}_VERSION`]: '7.2',
  };
}

describe('a variable that is nearly known', () => {
  it.each(Object.entries(names.nearlyKnown))('%s is named once, with the suggestion %s', (name, known) => {
    expect(noticesOf({ [name]: 'CANARY' })).toEqual([sentence(name, known)]);
  });

  it('is named at the start, as one line for each, and keeps nothing from starting', async () => {
    const gateway = await startTestGateway({ GATEWAY_URL: 'CANARY', FEE_PAYER_KEY: 'CANARY' });
    const messages = gateway.logLines.map((line) => JSON.parse(line).msg);
    const expected = [sentence('GATEWAY_URL', 'GATEWAY_BASE_URL'), sentence('FEE_PAYER_KEY', 'FEE_PAYER_KEYPAIR')];
    expect(messages).toEqual(expect.arrayContaining(expected));
    expect(gateway.logLines.join('')).not.toContain('CANARY"');
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
    await gateway.stop();
  });

  it.each([
    ['TOKENS_API_KEYS', 'TOKENS_API_KEY'],
    ['HELIUS_API_KEYS', 'HELIUS_API_KEY'],
  ])('%s is named when the start is refused because %s is missing', (name, known) => {
    const faults = [expect.stringMatching(/^Nothing to serve: set TOKENS_API_KEY/), sentence(name, known)];
    expect(() => readConfig({ [name]: 'CANARY' })).toThrow(expect.objectContaining({ faults }));
  });

  it('is not named when it is empty', () => expect(noticesOf({ GATEWAY_URL: ' ' })).toEqual([]));

  it('is not named where its other spelling is the same variable', () => {
    expect(noticesOf({ Log_Level: 'info', LOG_LEVEL: 'info' })).toEqual([]);
  });
});

describe('variables of other programs cause no notice', () => {
  it('whether a shell, an image or a supervisor sets them', () => {
    for (const name of names.ofOthers) expect(noticesOf({ [name]: '127.0.0.1' })).toEqual([]);
  });

  it.each(['redis-master', 'rpc', 'wallet-api', 'asset-gateway', 'pay', 'prices', 'solana'])(
    'links to a service called %s',
    (service) => expect(noticesOf(serviceLinks(service))).toEqual([]),
  );
});

it('every variable that is known is documented, and every documented one is known', () => {
  expect([...VARIABLES].sort()).toEqual([...DOCUMENTED].sort());
});

describe('a public origin without TLS', () => {
  const WITHOUT_TLS = expect.stringMatching(/^GATEWAY_BASE_URL is http, /);

  it.each(['http://gateway.example', 'http://192.0.2.1:8402', 'http://[2001:db8::1]'])('%s is named', (url) => {
    expect(noticesOf({ GATEWAY_BASE_URL: url })).toEqual([WITHOUT_TLS]);
  });

  it.each(['https://gateway.example', 'http://localhost:8402', 'http://127.0.0.2', 'http://[::1]:8402'])(
    '%s is not',
    (url) => expect(noticesOf({ GATEWAY_BASE_URL: url })).toEqual([]),
  );
});
