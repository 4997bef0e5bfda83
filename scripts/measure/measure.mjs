// The CPU time of one request on warm, saturated servers. Linux only: it reads /proc.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newSigner } from '../../packages/client/dist/node.js';
import { giveCredit, signInLines, withLines } from './callers.mjs';
import { cost, start, writeTable } from './servers.mjs';

/** The first rounds warm the servers. */
const USUAL = { rounds: 12, requests: 1_000 };
const FULL = { rounds: 12, requests: 5_000 };
const CONNECTIONS = 32;

const HEALTH = { target: '/v1/x402/tokens/health' };
const SEARCH = { target: '/v1/x402/tokens/assets/search?q=sol&limit=5' };
const WALLET = 'So11111111111111111111111111111111111111112';
const DEBIT = { target: `/v1/x402/helius/wallet/balances/${WALLET}`, lines: ['Prefer: credit'] };
/** A budget in memory, and the largest one with slots on disk, in windows so short that it suffices for every request. */
const IN_MEMORY = { TOKENS_RATE_LIMIT_PER_MINUTE: 1_000_000 };
const ON_DISK = { TOKENS_RATE_LIMIT_PER_MINUTE: 1_000, WINDOW_MS: 50 };
/** A gateway that sells wallet data for credit. */
const SELLING = {
  ...ON_DISK,
  CREDIT: 'on',
  PAY_TO_WALLET: WALLET,
  HELIUS_API_KEY: 'a-key-of-no-upstream',
  WALLET_RATE_LIMIT_PER_SECOND: 1_000_000,
};

/** The servers of each command; the others are compared with its first. */
const SERVERS = {
  request: [
    { name: 'hand-written floor', file: 'floor.mjs' },
    { name: 'gateway', variables: IN_MEMORY },
    { name: 'gateway, slots on disk', variables: ON_DISK },
    { name: 'gateway, a search', variables: IN_MEMORY, request: SEARCH },
    { name: 'gateway, the search from its cache', variables: { RESPONSE_CACHE: 'on' }, request: SEARCH },
    { name: 'floor that repeats its answer', file: 'floor.mjs', variables: { KEEP: 'on' } },
    { name: 'bare server', file: 'upstream.mjs', isUnsigned: true },
    { name: 'gateway, challenge', variables: IN_MEMORY, isUnsigned: true, expected: 402 },
  ],
  credit: [
    { name: 'signed, free', variables: SELLING },
    { name: 'signed, from credit', variables: SELLING, request: DEBIT },
  ],
};

async function startSubject({ file = 'gateway.mjs', variables, ...subject }, { folder, upstream, signers }) {
  const dataFolder = join(folder, subject.name);
  await giveCredit(dataFolder, signers);
  const upstreams = {
    TOKENS_API_BASE_URL: upstream.url,
    TOKENS_API_KEY: 'a-key-of-no-upstream',
    HELIUS_WALLET_API_BASE_URL: upstream.url,
    FACILITATOR_URL: upstream.url,
  };
  const server = await start(file, { DATA_DIR: dataFolder, ...upstreams, ...variables }, CONNECTIONS);
  return { request: HEALTH, expected: 200, ...subject, server };
}

/** The CPU time for one of `count` requests; all are signed before the first is sent. */
async function microsOf({ name, server, request, isUnsigned, expected }, { signers, requests: count }) {
  const sign = async (at) => withLines(request, await signInLines(server, signers[at % signers.length], request));
  const requests = [];
  for (let at = 0; at < count; at++) requests.push(isUnsigned ? request : await sign(at));
  const { micros, statuses } = await cost(server, requests);
  const others = statuses.filter((status) => status !== expected);
  if (others.length > 0) throw new Error(`${name} answered ${others.length} requests with ${others[0]}`);
  return micros;
}

/** Writes the CPU time of each server: the minimum of several rounds, in turns, since other work on the machine only adds. */
async function measureServers(servers, pace = process.env.ROUNDS === 'full' ? FULL : USUAL) {
  const folder = mkdtempSync(join(tmpdir(), 'asset-gateway-measure-'));
  const signers = Array.from({ length: CONNECTIONS }, newSigner);
  const upstream = await start('upstream.mjs');
  const subjects = [];
  try {
    for (const each of servers) subjects.push(await startSubject(each, { folder, upstream, signers }));
    const load = { signers, requests: pace.requests };
    const rounds = [];
    for (let round = 0; round < pace.rounds; round++) {
      rounds.push([]);
      for (const subject of subjects) rounds.at(-1).push(await microsOf(subject, load));
    }
    const least = subjects.map((_, at) => Math.min(...rounds.map((round) => round[at])));
    const title = `µs of CPU for one request, minimum of ${pace.rounds} rounds of ${pace.requests}`;
    const rows = subjects.map(({ name }, at) => [name, least[at], (least[at] / least[0]).toFixed(2)]);
    writeTable([title, 'µs', 'relative to the first'], rows);
  } finally {
    for (const { child } of [upstream, ...subjects.map(({ server }) => server)]) child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

export const measure = (pace) => measureServers(SERVERS.request, pace);
export const measureCredit = (pace) => measureServers(SERVERS.credit, pace);
