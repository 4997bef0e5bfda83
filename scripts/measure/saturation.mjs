import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { challengeIn, signIn } from '../../packages/client/dist/index.js';
import { cpuMicros } from './processes.mjs';

const CONNECTIONS = 32;
/** A server is warm when this many rounds in a row were not faster than the fastest by this factor; at most so many rounds. */
const [STEADY_ROUNDS, FASTER, MOST_ROUNDS] = [3, 0.98, 40];

/** Requests that each carry a fresh sign-in. The challenges are fetched, and everything is signed, before the first one is sent. */
async function signedRequests({ url, path }, signer, count) {
  const { host } = new URL(url);
  const requests = [];
  while (requests.length < count) {
    const batch = Math.min(CONNECTIONS, count - requests.length);
    const written = Array.from({ length: batch }, async () => {
      const { info, ...others } = challengeIn(await (await fetch(url + path)).json());
      const header = await signIn({ ...others, info: { ...info, uri: url } }, signer, new URL(url));
      return `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: application/json\r\nSIGN-IN-WITH-X: ${header}\r\n\r\n`;
    });
    requests.push(...(await Promise.all(written)));
  }
  return requests;
}

/** The CPU time of a server for one of `count` requests that arrive as fast as it answers, in microseconds. */
async function saturatedMicros(subject, { loader, signer, requests: count }) {
  const requests = await signedRequests(subject, signer, count);
  const before = cpuMicros(subject.child);
  loader.send({ port: Number(new URL(subject.url).port), connections: CONNECTIONS, requests });
  const [{ served }] = await once(loader, 'message');
  if (served < count) throw new Error(`${subject.name} answered ${served} of ${count} requests`);
  return (cpuMicros(subject.child) - before) / count;
}

async function warm(subject, load) {
  let [least, steady] = [Number.POSITIVE_INFINITY, 0];
  for (let round = 0; steady < STEADY_ROUNDS && round < MOST_ROUNDS; round++) {
    const micros = await saturatedMicros(subject, load);
    steady = micros < least * FASTER ? 0 : steady + 1;
    least = Math.min(least, micros);
  }
}

/** Microseconds by name when saturated, after warming: the minimum of several rounds, in turns. */
export async function measureSaturated(subjects, { signer, rounds, requests }) {
  const loader = fork(fileURLToPath(new URL('loader.mjs', import.meta.url)), { execArgv: [] });
  const load = { loader, signer, requests };
  const least = new Map(subjects.map(({ name }) => [name, Number.POSITIVE_INFINITY]));
  try {
    for (const subject of subjects) await warm(subject, load);
    for (let round = 0; round < rounds; round++) {
      for (const subject of subjects) {
        least.set(subject.name, Math.min(least.get(subject.name), await saturatedMicros(subject, load)));
      }
    }
    return least;
  } finally {
    loader.kill();
  }
}

/** The heading of a table of such figures. */
export const saturatedTitle = ({ rounds, requests }) =>
  `µs of CPU for one request, warm and saturated by ${CONNECTIONS} connections, minimum of ${rounds} rounds of ${requests}`;
