import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '@asset-gateway/gateway';
import { startTokensApi } from '../../packages/sandbox/src/tokens/api.ts';
import { freePort } from '../http/ports.ts';
import { startCommand } from '../kit/command.ts';
import { makeFolder } from '../kit/folder.ts';
import { openPostgresDatabase } from '../kit/postgres.ts';
import { startRedis } from '../kit/redis.ts';
import { type Program, startProgram } from '../process/program.ts';

const CONFIGURATION = 'deploy/nginx.conf';

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.end());
    socket.once('close', (hadError) => resolve(!hadError));
    socket.on('error', () => undefined);
  });
}

const NODES = /( *server )gateway-a:8402(.*\n) *server gateway-b:8402.*\n/;

/** The shipped configuration with the nodes, ports and folder of this machine. */
function configurationFor(port: number, nodePorts: readonly number[], folder: string): string {
  return readFileSync(CONFIGURATION, 'utf8')
    .replace(NODES, (_, before, after) => nodePorts.map((each) => `${before}127.0.0.1:${each}${after}`).join(''))
    .replace('proxy_next_upstream_tries 2;', `proxy_next_upstream_tries ${nodePorts.length};`)
    .replace('listen 8080;', `listen 127.0.0.1:${port};`)
    .replaceAll('/tmp/', `${folder}/`)
    .replace('worker_processes auto;', 'worker_processes 1;');
}

/** Starts a real nginx, with the configuration that is shipped, in front of nodes on ports of 127.0.0.1. */
async function startNginx(program: string, port: number, nodePorts: readonly number[]) {
  const folder = makeFolder();
  // Its workers are another user where it is started as root.
  chmodSync(folder, 0o755);
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, configurationFor(port, nodePorts, folder));
  const { child, stderr, ended } = startCommand([program, '-p', folder, '-c', file, '-g', 'daemon off;']);
  while (!(await isOpen(port))) {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}: ${stderr()}`);
    await pause(20);
  }
  return {
    log: stderr,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

const SHARED = {
  GATEWAY_SECRET: 'one-secret-that-both-nodes-are-given',
  TRUST_PROXY: '127.0.0.1/32',
  TOKENS_API_KEY: 'a-key-of-the-upstream',
  TOKENS_RATE_LIMIT_PER_MINUTE: '1000000',
};

/** Starts a gateway process at a fixed place, which may be stopped and started again, and an upstream that only it asks. */
async function startNode(own: NodeJS.ProcessEnv) {
  const upstream = await startTokensApi({ key: SHARED.TOKENS_API_KEY });
  const port = await freePort();
  const variables = { ...SHARED, ...own, PORT: String(port), TOKENS_API_BASE_URL: upstream.url };
  const programs = [startProgram(variables)];
  const node = {
    port,
    upstream,
    /** The process that serves now. */
    get program() {
      return programs[programs.length - 1] as Program;
    },
    async start(): Promise<void> {
      programs.push(startProgram(variables));
      await node.program.url;
    },
    /** The log of all its processes. */
    log: () => programs.map(({ stdout }) => stdout()).join(''),
  };
  await node.program.url;
  return node;
}

/** Starts this many nodes with nginx, PostgreSQL and Redis on free ports of 127.0.0.1. */
export async function startDeployment(nginxProgram: string, count: number, variables: Environment = {}) {
  const closing: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const close of closing.splice(0).reverse()) await close();
  };
  try {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const redis = await startRedis();
    const { url: databaseUrl, drop } = await openPostgresDatabase();
    closing.push(redis.stop, drop);
    const own = { ...variables, GATEWAY_BASE_URL: url, REDIS_URL: redis.url, DATABASE_URL: databaseUrl };
    const nodes = await Promise.all(Array.from({ length: count }, () => startNode(own)));
    closing.push(...nodes.map(({ upstream }) => upstream.close));
    const nginx = await startNginx(
      nginxProgram,
      port,
      nodes.map((node) => node.port),
    );
    closing.push(nginx.stop);
    return {
      url,
      port,
      databaseUrl,
      nodes,
      /** The log of all processes. */
      log: () => nodes.map((node) => node.log()).join(''),
      proxyLog: nginx.log,
      /** How many requests have reached the upstreams of all nodes. */
      arrivals: () => nodes.reduce((total, { upstream }) => total + upstream.arrivals.length, 0),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
