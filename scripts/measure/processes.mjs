import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const children = [];
process.once('exit', () => {
  for (const child of children) child.kill();
});

/** Starts a script that prints its URL. */
export function start(file, variables = {}) {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const env = { PATH: process.env.PATH, ...variables };
  const child = spawn(process.execPath, [path], { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
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

/** The time that all threads of a process have run, in microseconds. `/proc/<pid>/stat` counts only hundredths of a second. */
export const cpuMicros = ({ pid }) =>
  readdirSync(`/proc/${pid}/task`)
    .map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e3)
    .reduce((sum, micros) => sum + micros, 0);

/** Sends `count` requests, concurrently over all clients. */
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

/** The CPU time of a process for one of `count` requests. */
async function microsPerRequest({ child, asks, expected }, count) {
  const before = cpuMicros(child);
  await send(asks, count, expected);
  return (cpuMicros(child) - before) / count;
}

/** Microseconds by name: the minimum of several rounds, in turns, since other work on the machine only adds. */
export async function measureSubjects(subjects, { rounds, requests, warmUp }) {
  const least = new Map();
  for (const { asks, expected, share = 1 } of subjects) await send(asks, warmUp * share, expected);
  for (let round = 0; round < rounds; round++) {
    for (const subject of subjects) {
      const micros = await microsPerRequest(subject, requests * (subject.share ?? 1));
      least.set(subject.name, Math.min(least.get(subject.name) ?? Number.POSITIVE_INFINITY, micros));
    }
  }
  return least;
}

/** The heading of a table of such figures. */
export const titleOf = ({ rounds, requests }) =>
  `µs of CPU for one request, minimum of ${rounds} rounds of ${requests}`;

/** Writes a table in Markdown. */
export function writeTable([title, ...cells], rows) {
  const lines = [[title, ...cells], ['---', ...cells.map(() => '---')], ...rows];
  process.stdout.write(`${lines.map((line) => `| ${line.join(' | ')} |`).join('\n')}\n\n`);
}
