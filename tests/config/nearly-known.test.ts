import { type Environment, readConfig } from '@asset-gateway/gateway';
import { describe, expect, it } from 'vitest';
import { VARIABLES } from '../../packages/gateway/src/config/variables.ts';
import { DOCUMENTED } from '../deploy/monitoring.ts';
import { startTestGateway } from '../kit/test-gateway.ts';

const noticesOf = (environment: Environment) => readConfig({ TOKENS_API_KEY: 'k', ...environment }).notices;
const sentence = (name: string, known: string) => `${name} is set but unknown; did you mean ${known}?`;

const MEANT: readonly (readonly [string, string])[] = [
  ['GATEWAY_URL', 'GATEWAY_BASE_URL'],
  ['GATEWAY_SECRET_FILE', 'GATEWAY_SECRET'],
  ['TOKENS_APIKEY', 'TOKENS_API_KEY'],
  ['TOKEN_API_KEY', 'TOKENS_API_KEY'],
  ['tokens_api_key', 'TOKENS_API_KEY'],
  ['HELIUS_RPC_URL', 'HELIUS_MAINNET_RPC_URL'],
  ['ALCHEMY_MAINET_RPC_URL', 'ALCHEMY_MAINNET_RPC_URL'],
  ['FACILITATOR_AUTH', 'FACILITATOR_AUTHORIZATION'],
  ['FEE_PAYER_KEYPAIR_FILE', 'FEE_PAYER_KEYPAIR'],
  ['PAY_TO_ADDRESS', 'PAY_TO_WALLET'],
  ['PRICE_SURCHARGE', 'PRICE_SURCHARGE_USD_MICROS'],
  ['REDIS_URI', 'REDIS_URL'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['GATEWAY_PORT', 'PORT'],
  ['RPC_ENDPOINT', 'ALCHEMY_MAINNET_RPC_URL'],
  ['RPC_URL', 'HELIUS_MAINNET_RPC_URL'],
];

/** Variables that shells, images, supervisors and package managers set. */
const USUAL =
  `PATH HOME HOSTNAME HOST PWD OLDPWD SHLVL SHELL USER LOGNAME LANG LC_ALL TERM TERM_PROGRAM TMPDIR TZ EDITOR
PAGER MAIL DISPLAY COLUMNS LINES _ HOSTTYPE MACHTYPE OSTYPE SSH_CLIENT SSH_CONNECTION SSH_TTY XDG_DATA_DIRS XDG_DATA_HOME
XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS NODE_ENV NODE_VERSION NODE_OPTIONS YARN_VERSION INIT_CWD npm_config_registry
npm_lifecycle_event npm_package_name npm_execpath npm_node_execpath CI DEBUG NO_COLOR FORCE_COLOR http_proxy HTTPS_PROXY
NO_PROXY SSL_CERT_FILE INVOCATION_ID JOURNAL_STREAM STATE_DIRECTORY RUNTIME_DIRECTORY LOGS_DIRECTORY SYSTEMD_EXEC_PID
MEMORY_PRESSURE_WATCH CREDENTIALS_DIRECTORY NOTIFY_SOCKET container POD_NAME POD_IP NODE_NAME SERVICE_ACCOUNT
KUBERNETES_SERVICE_HOST KUBERNETES_PORT OTEL_SERVICE_NAME OTEL_METRICS_EXPORTER OTEL_EXPORTER_OTLP_METRICS_ENDPOINT
AWS_REGION GOOGLE_CLOUD_PROJECT DYNO WEB_CONCURRENCY POSTGRES_DB REDIS_HOST REDIS_PORT REDIS_PASSWORD REDIS_USER
REDIS_USERNAME REDIS_DB REDIS_TLS_URL REDIS_VERSION REDIS_DOWNLOAD_URL REDIS_DOWNLOAD_SHA REDISCLOUD_URL
NGINX_VERSION POSTGRES_PASSWORD LOG_DIR LOG_FILE BASE_URL API_KEY SECRET SECRET_KEY GATEWAY_INTERFACE SERVER_NAME
DEVICE_NAME SORT POST PORTS port host ANCHOR_WALLET ANCHOR_PROVIDER_URL ETH_RPC_URL PYTHONPATH JAVA_HOME`.split(/\s+/);

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
  it.each(MEANT)('%s is named once, with the suggestion %s', (name, known) => {
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
    for (const name of USUAL) expect(noticesOf({ [name]: '127.0.0.1' })).toEqual([]);
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
  const WITHOUT_TLS = expect.stringMatching(/^GATEWAY_BASE_URL is http: /);

  it.each(['http://gateway.example', 'http://192.0.2.1:8402', 'http://[2001:db8::1]'])('%s is named', (url) => {
    expect(noticesOf({ GATEWAY_BASE_URL: url })).toEqual([WITHOUT_TLS]);
  });

  it.each(['https://gateway.example', 'http://localhost:8402', 'http://127.0.0.2', 'http://[::1]:8402'])(
    '%s is not',
    (url) => expect(noticesOf({ GATEWAY_BASE_URL: url })).toEqual([]),
  );
});
