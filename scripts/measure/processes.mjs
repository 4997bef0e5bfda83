import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const TICKS_PER_SECOND = 100;

const children = [];
process.once('exit', () => {
  for (const child of children) child.kill();
});

/** Starts a script that says where it listens. */
export function start(file, variables = {}) {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, [path], { env: { PATH: process.env.PATH, ...variables } });
  children.push(child);
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)));
    child.stdout.on('data', (chunk) => {
      const url = /listening on (http:\S+?)["\s]/.exec(String(chunk))?.[1];
      if (url) resolve({ url, child });
    });
    child.stderr.pipe(process.stderr);
  });
}

/** User and system time of a process, in microseconds. */
function cpuMicros({ pid }) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1e6;
}

/** Sends so many requests over as many clients as there are, each waiting for its answer. */
export async function send(asks, count, expected = 200) {
  let left = count;
  await Promise.all(
    asks.map(async (ask) => {
      while (left-- > 0) {
        const response = await ask();
        if (response.status !== expected) throw new Error(`status ${response.status}: ${await response.text()}`);
        await response.arrayBuffer();
      }
    }),
  );
}

/** The CPU time of a process for one of so many requests. */
export async function microsPerRequest({ child, asks, expected }, count) {
  const before = cpuMicros(child);
  await send(asks, count, expected);
  return (cpuMicros(child) - before) / count;
}
