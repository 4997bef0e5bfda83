import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const GIVE_UP_MS = 30_000;
/** A server may still work on a request that it has answered. */
const UNTIL_IDLE_MS = 2;

const children = [];
process.once('exit', () => {
  for (const child of children) child.kill();
});

/** Sends a request. Returns status, headers and body; status 0 if the connection closes without an answer. */
function sendTo({ agent, port }, { method = 'GET', target, lines = [], body }) {
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const headers = [`Host: 127.0.0.1:${port}`, ...length, ...lines].flatMap((line) => {
    const end = line.indexOf(':');
    return [line.slice(0, end), line.slice(end + 1).trim()];
  });
  return new Promise((resolve) => {
    const nothing = () => resolve({ status: 0, body: '' });
    const options = { agent, host: '127.0.0.1', port, method, path: target, headers, timeout: GIVE_UP_MS };
    const sent = request(options, (response) =>
      text(response).then(
        (answer) => resolve({ status: response.statusCode, headers: response.headers, body: answer }),
        nothing,
      ),
    );
    sent.on('timeout', () => sent.destroy()).on('error', nothing);
    sent.end(body);
  });
}

/** Starts a script that prints its URL. `ask` sends it requests, over so many connections. */
export async function start(file, variables = {}, connections = 1) {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const env = { PATH: process.env.PATH, PORT: '0', ...variables };
  const child = spawn(process.execPath, [path], { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  children.push(child);
  const url = await new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)));
    child.stdout.on('data', (chunk) => {
      const found = /listening on (http:\S+?)["\s]/.exec(String(chunk));
      if (found) resolve(found[1]);
    });
  });
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const place = { agent, port: Number(new URL(url).port) };
  return { url, child, ask: (each) => sendTo(place, each) };
}

/** The time that a thread has run, in microseconds; by default the main thread. `/proc/<pid>/stat` counts only hundredths of a second. */
export const threadMicros = ({ pid = 0 }, thread = String(pid)) =>
  Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e3;

/** The time that all threads of a process have run, in microseconds. */
const cpuMicros = (child) =>
  readdirSync(`/proc/${child.pid}/task`)
    .map((thread) => threadMicros(child, thread))
    .reduce((sum, micros) => sum + micros, 0);

/** Sends requests as fast as the server answers. Returns its CPU time for one of these, and their statuses. */
export async function cost({ child, ask }, requests) {
  const before = cpuMicros(child);
  const answers = await Promise.all(requests.map(ask));
  await pause(UNTIL_IDLE_MS);
  const micros = Math.round((cpuMicros(child) - before) / requests.length);
  return { micros, statuses: answers.map(({ status }) => status) };
}

/** Writes a table in Markdown. */
export function writeTable(heading, rows) {
  const lines = [heading, heading.map(() => '---'), ...rows];
  process.stdout.write(`${lines.map((line) => `| ${line.join(' | ')} |`).join('\n')}\n\n`);
}
