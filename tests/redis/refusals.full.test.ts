import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { createSecureContext, createServer } from 'node:tls';
import { ConfigError } from '@asset-gateway/gateway';
import { expect, it, vi } from 'vitest';
import { lastingRefusal } from '../../packages/gateway/src/stores/redis/refusals.ts';
import { freePort } from '../http/ports.ts';
import { endsAfterTests } from '../kit/ends.ts';
import { makeFolder } from '../kit/folder.ts';
import { inSuite } from '../kit/in-suite.ts';
import { suiteWith } from '../kit/optional.ts';
import { startGatewayProcess } from '../kit/process.ts';
import { redisSuite, startRedis } from '../kit/redis.ts';
import { startTcpProxy } from '../kit/tcp-proxy.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { signedHeader } from '../kit/wallet.ts';
import { askWith, newPath, untilServed } from './asking.ts';

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];

/** The faults of a start with this Redis; none if it starts. */
async function faultsWith(url: string): Promise<readonly string[]> {
  try {
    await startTestGateway({ REDIS_URL: url });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

const PASSWORD = 'CANARY-redis-password';
const as = (user: string, port: number) => `redis://${user}:${PASSWORD}@127.0.0.1:${port}/0`;

redisSuite('a Redis whose user may not do all that is needed', () => {
  const redis = inSuite(startRedis);
  const setUser = (name: string, ...rules: string[]) =>
    redis.command('ACL', 'SETUSER', name, 'reset', 'on', `>${PASSWORD}`, '~*', '&*', ...rules);

  it.each([
    ['no INFO', ['+@all', '-info'], 'INFO: '],
    ['no dangerous commands, INFO among them', ['+@all', '-@dangerous'], 'INFO: '],
    ['no scripting', ['+@all', '-@scripting'], "'eval"],
    ['other keys', ['+@all', 'resetkeys', '~cache:*'], 'key'],
  ])('ends the start with a sentence: %s', async (_, rules, command) => {
    await setUser('gateway', ...rules);
    const faults = await faultsWith(as('gateway', redis.port));
    expect(faults).toEqual([
      expect.stringMatching(
        /^REDIS_URL: Redis refuses our commands \(.*\): its user may not do that; allow EVAL, .*INFO/,
      ),
    ]);
    expect(faults[0]).toContain(command);
    expect(faults[0]).not.toContain('CANARY');
  });

  it('starts with the commands that docs/redis.md names', async () => {
    const rules = '-@all +eval +evalsha +info +time +@string +@hash +@sortedset +@keyspace';
    await setUser('gateway', ...rules.split(' '));
    expect(await faultsWith(as('gateway', redis.port))).toEqual([]);
  });

  it('says so once if the right is taken away later, and serves nothing: no sign-in works twice', async () => {
    await setUser('gateway', '+@all');
    const gateway = await startTestGateway({ REDIS_URL: as('gateway', redis.port) });
    await untilServed(gateway.url);
    const path = gateway.url + newPath();
    const header = await signedHeader(path);
    expect((await askWith(path, header)).status).toBe(200);
    await setUser('gateway', '+@all', '-info');
    const said = () => gateway.logLines.filter((line) => line.includes('its user may not do that'));
    await vi.waitFor(() => expect(said()).toHaveLength(1), 5_000);
    const before = gateway.upstream.arrivals.length;
    expect((await askWith(path, header)).status).not.toBe(200);
    expect(gateway.upstream.arrivals.length).toBe(before);
    expect(said()).toHaveLength(1);
    await setUser('gateway', '+@all');
    await untilServed(gateway.url);
  });
});

redisSuite('a server whose INFO does not tell one process from the next', () => {
  const redis = inSuite(startRedis);

  it('ends the start: a loss of its data would go unnoticed, and used sign-ins would work again', async () => {
    const proxy = await startTcpProxy(redis.port);
    // As from a server without that line, which a script refuses.
    const refusal = Buffer.from('-ERR user_script:22: INFO names no run_id script: 00, on @user_script:22.\r\n');
    proxy.meddle = (reply) => (reply.toString('latin1').startsWith('*') ? refusal : reply);
    const [fault, ...others] = await faultsWith(`redis://127.0.0.1:${proxy.port}`);
    expect(others).toEqual([]);
    expect(fault).toMatch(/^REDIS_URL: .*no run_id.*a loss of its data would go unnoticed/);
  });
});

it.each([
  ['ERR unknown command `EVALSHA`, with args beginning with:', /renamed it; use Redis 7 or Valkey$/],
  ['ERR user_script:22: INFO: Unknown Redis command called from script script: 00', /renamed it/],
  ['NOAUTH Authentication required.', /needs a password/],
  ['CROSSSLOT Keys in request do not hash to the same slot', /node of a Redis cluster/],
  ['CLUSTERDOWN Hash slot not served', /node of a Redis cluster/],
  ['LOADING Redis is loading the dataset in memory', undefined],
  ['BUSY Redis is busy running a script.', undefined],
  ['READONLY You cannot write against a read only replica.', undefined],
  ['OOM command not allowed when used memory > maxmemory', undefined],
  ['no reply in time', undefined],
])('%s: %s', (message, advice) => {
  const refusal = lastingRefusal(new Error(message));
  if (advice) expect(refusal).toMatch(advice);
  else expect(refusal).toBeUndefined();
});

redisSuite('a node of a Redis cluster', () => {
  const startNode = async () => {
    // By default the port of the bus is 10,000 higher, which may be none.
    const bus = String(await freePort());
    return startRedis({ 'cluster-enabled': 'yes', 'cluster-node-timeout': '2000', 'cluster-port': bus });
  };
  const nodes = inSuite(async () => {
    const [one, two] = [await startNode(), await startNode()];
    await one.command('CLUSTER', 'ADDSLOTSRANGE', '0', '8191');
    await two.command('CLUSTER', 'ADDSLOTSRANGE', '8192', '16383');
    const [, bus = ''] = /@(\d+)/.exec(String(await two.command('CLUSTER', 'NODES'))) ?? [];
    await one.command('CLUSTER', 'MEET', '127.0.0.1', String(two.port), bus);
    for (const { command } of [one, two])
      await vi.waitFor(async () => expect(await command('CLUSTER', 'INFO')).toContain('cluster_state:ok'), 20_000);
    return { one, two, stop: () => Promise.all([one.stop(), two.stop()]) };
  });

  it('without the slot of our keys ends the start with a sentence that names MOVED', async () => {
    expect(await faultsWith(nodes.one.url)).toEqual([
      expect.stringMatching(
        /^REDIS_URL: Redis refuses our commands \(MOVED \d+ 127\.0\.0\.1:\d+\): it is a node of a Redis cluster/,
      ),
    ]);
  });

  it('with the budgets but not the cache starts, and the log names MOVED once', async () => {
    const variables = { REDIS_URL: nodes.two.url, RESPONSE_CACHE: 'on' };
    const gateway = await startTestGateway(variables);
    await untilServed(gateway.url);
    const said = () => gateway.logLines.filter((line) => line.includes('MOVED') && line.includes('name one server'));
    await vi.waitFor(() => expect(said()).toHaveLength(1), 10_000);
    for (let time = 0; time < 3; time++) {
      const path = gateway.url + newPath();
      expect((await askWith(path, await signedHeader(path))).status).toBe(200);
    }
    expect(said()).toHaveLength(1);
  });
});

redisSuite('a Redis behind a router that chooses by the name in TLS', () => {
  suiteWith('openssl', 'with certificates', () => {
    const redis = inSuite(startRedis);
    const folder = makeFolder();
    const file = (name: string) => join(folder, name);
    const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: folder, stdio: 'ignore' });

    /** A certificate for a host, signed by the authority; it and its key. */
    function certify(host: string) {
      const names = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
      const signed = ['-CA', 'authority.pem', '-CAkey', 'authority.key'];
      openssl('req', '-x509', ...KEY, ...signed, ...names, '-keyout', `${host}.key`, '-out', `${host}.pem`);
      return { cert: readFileSync(file(`${host}.pem`)), key: readFileSync(file(`${host}.key`)) };
    }

    it('is reached with rediss://, and sees the name of the host', async () => {
      openssl('req', '-x509', ...KEY, '-subj', '/CN=authority', '-keyout', 'authority.key', '-out', 'authority.pem');
      const [own, other] = [certify('localhost'), certify('other.test')];
      const asked: string[] = [];
      const router = createServer({
        ...other,
        SNICallback: (name, done) => {
          asked.push(name);
          done(null, createSecureContext(own));
        },
      });
      router.on('secureConnection', (near) => {
        const far = connect(redis.port, '127.0.0.1');
        for (const each of [near, far]) each.on('error', () => undefined);
        near.pipe(far).pipe(near);
      });
      await once(router.listen(0, 'localhost'), 'listening');
      endsAfterTests(async () => void router.close());
      const { port } = router.address() as AddressInfo;
      const gateway = await startGatewayProcess({
        ...{ NODE_EXTRA_CA_CERTS: file('authority.pem'), REDIS_URL: `rediss://localhost:${port}/0` },
        ...{ GATEWAY_SECRET: 's'.repeat(32), TOKENS_API_KEY: 'key', PORT: '0' },
      });
      await vi.waitFor(async () => expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200), 10_000);
      expect(new Set(asked)).toEqual(new Set(['localhost']));
      await gateway.end('SIGKILL');
    });
  });
});
