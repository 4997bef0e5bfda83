import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makeFolder } from '../kit/folder.ts';

/** A real nginx with the configuration that is shipped. */
export interface Nginx {
  readonly port: number;
  /** Its error log. */
  log(): string;
  stop(): Promise<void>;
}

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

/** Starts it in front of nodes on ports of 127.0.0.1. */
export async function startNginx(program: string, port: number, nodePorts: readonly number[]): Promise<Nginx> {
  const folder = makeFolder();
  // Its workers are another user where it is started as root.
  chmodSync(folder, 0o755);
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, configurationFor(port, nodePorts, folder));
  const child = spawn(program, ['-p', folder, '-c', file, '-g', 'daemon off;'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  while (!(await isOpen(port))) {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}: ${output}`);
    await pause(20);
  }
  return {
    port,
    log: () => output,
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
