import { consoleRoutes, everyRoute } from '../../../packages/protocol/dist/index.js';
import { openBuyer, openCaller } from './callers.mjs';
import { faultOf, faultsIn, isRefusal, tableOf } from './report.mjs';
import { exampleOf, LOST, servedLike, worstOf } from './requests.mjs';
import { Wire } from './wire.mjs';
import { openWorld } from './world.mjs';

const FUNDS = 10_000_000n;
/** A request this expensive is not measured again. */
const HOPELESS_MICROS = 200_000;
const HEALTH = { method: 'GET', target: '/v1/x402/tokens/health' };

/**
 * How often each request is sent at first; how many of a route's most expensive ones are sent again, and how often; and how many of
 * those are measured in blocks, alternating with blocks of served requests.
 */
const ROUNDS = {
  warmUp: 300,
  first: 1,
  again: { best: 4, times: 2 },
  blocks: { best: 1, count: 4, size: 4 },
  bought: 4,
};
const FULL = {
  warmUp: 1_000,
  first: 3,
  again: { best: 30, times: 10 },
  blocks: { best: 5, count: 15, size: 30 },
  bought: 20,
};

const withLines = (request, lines) => ({ ...request, lines: [...(request.lines ?? []), ...lines] });
/** Sends requests one after the other and measures the CPU time of the gateway's process. */
class Meter {
  #world;
  #wire;

  constructor(world) {
    this.#world = world;
    this.#wire = new Wire(world.port);
  }

  ask = (request) => this.#wire.ask(request);

  /** Microseconds of CPU for one of `count` requests, and the last status. All requests are built before the first is sent. */
  async cost(count, make) {
    const requests = [];
    for (let at = 0; at < count; at++) requests.push(await make());
    const before = await this.#world.cpuMicros();
    let status = 0;
    for (const request of requests) ({ status } = await this.#wire.ask(request));
    return { micros: Math.round(((await this.#world.cpuMicros()) - before) / count), status };
  }

  close() {
    this.#wire.close();
  }
}

/** A valid request to a row, with a fresh sign-in if the row needs one. */
const served = (row, request, signIn) => async () =>
  row.access === 'siwx' ? withLines(request, await signIn()) : request;

/** The cost of a paid answer. */
async function boughtMicros(row, { world, meter, rounds }) {
  const example = exampleOf(row);
  const pay = await openBuyer({ row, example, ask: meter.ask, chain: world.solana[row.cluster], funds: FUNDS });
  const { micros, status } = await meter.cost(rounds.bought, async () => withLines(example, await pay(example)));
  if (status !== 200) throw new Error(`${row.id} is not sold: ${status}`);
  return micros;
}

/** Makes the header lines that admit a request: a sign-in, or a payment that cannot settle; undefined for a public row. */
async function admissionTo(row, { meter, signIn, world }) {
  if (row.access === 'public') return undefined;
  if (row.access === 'siwx') return signIn;
  return openBuyer({ row, example: exampleOf(row), ask: meter.ask, chain: world.solana[row.cluster] });
}

/** The worst requests for a row, without and with admission, each with a function that makes it again. */
async function candidatesFor(row, order, parts) {
  const requests = worstOf(row, order);
  const without = requests.map((request) => ({ ...request, as: row.access === 'public' ? '' : 'anonymous' }));
  const admit = await admissionTo(row, parts);
  const candidates = without.map((request) => ({ request, make: async () => request }));
  for (const request of admit ? requests.filter(({ isBare }) => !isBare) : []) {
    const lines = await admit(request);
    const as = row.access === 'siwx' ? 'signed' : 'paid';
    // A sign-in stays valid if its request is refused for its content.
    const make = async () => withLines(request, request.place === 'header' ? await admit(request) : lines);
    if (lines) candidates.push({ request: { ...request, as }, make });
  }
  return candidates;
}

/** The most expensive refused and served requests. */
const dearest = (measured, best) =>
  [true, false].flatMap((refused) =>
    measured
      .filter((each) => isRefusal(each) === refused)
      .sort((a, b) => b.micros - a.micros)
      .slice(0, best),
  );

/**
 * Measures a request in blocks. Blocks of a refused request alternate with blocks of a served one. The minimum counts, since other work
 * on the machine only adds.
 */
async function inBlocks({ make, status }, makeServed, count, { meter, rounds: { blocks } }) {
  const [own, alike] = [[], []];
  for (let block = 0; block < count; block++) {
    own.push((await meter.cost(blocks.size, make)).micros);
    if (makeServed && isRefusal({ status })) alike.push((await meter.cost(blocks.size, makeServed)).micros);
  }
  return { micros: Math.min(...own), ...(alike.length > 0 && { alike: Math.min(...alike) }) };
}

/** Measures a request in blocks; one that seems too expensive is measured again, for longer. */
async function thorough(candidate, { servedLike, plain }, parts) {
  const { request, micros, status } = candidate;
  if (micros > HOPELESS_MICROS) return { ...request, status, micros };
  const makeServed = servedLike(request);
  const { count } = parts.rounds.blocks;
  const first = { ...request, status, ...(await inBlocks(candidate, makeServed, count, parts)) };
  if (!faultOf(first, plain)) return first;
  return { ...request, status, ...(await inBlocks(candidate, makeServed, 4 * count, parts)) };
}

/** The dearest of these requests: all are sent a little, the dearest more, and the dearest of those in blocks. */
async function dearestOf(candidates, standard, parts) {
  const { meter, rounds } = parts;
  const measured = [];
  for (const candidate of candidates) {
    measured.push({ ...candidate, ...(await meter.cost(rounds.first, candidate.make)) });
  }
  const best = dearest(measured, rounds.again.best);
  for (const each of best.filter(({ micros }) => micros < HOPELESS_MICROS)) {
    for (let time = 0; time < rounds.again.times; time++) {
      each.micros = Math.min(each.micros, (await meter.cost(1, each.make)).micros);
    }
  }
  const results = [];
  for (const each of dearest(best, rounds.blocks.best)) results.push(await thorough(each, standard, parts));
  return results;
}

async function plainMicros(row, { meter, signIn, rounds: { blocks } }) {
  const costs = [];
  for (let block = 0; block < blocks.count; block++) {
    const { micros, status } = await meter.cost(blocks.size, served(row, exampleOf(row), signIn));
    if (status !== 200) throw new Error(`${row.id} is not served: ${status}`);
    costs.push(micros);
  }
  return Math.min(...costs);
}

const LIVENESS = everyRoute.find(({ id }) => id === 'system.liveness');

async function measureRow(row, order, bought, parts) {
  const plain = bought ?? (await plainMicros(row, parts));
  const standard = {
    plain,
    servedLike: (request) => (bought ? undefined : served(row, servedLike(row, request), parts.signIn)),
  };
  const requests = await dearestOf(await candidatesFor(row, order, parts), standard, parts);
  return { id: row.id, served: plain, requests };
}

async function measureLost(parts) {
  const plain = await plainMicros(LIVENESS, parts);
  const candidates = LOST.map((request) => ({ request, make: async () => request }));
  const standard = { plain, servedLike: (request) => served(LIVENESS, servedLike(LIVENESS, request)) };
  return { id: '(no row)', served: plain, requests: await dearestOf(candidates, standard, parts) };
}

/** Measures the most expensive requests of each row, and the cost of a normal answer. */
async function measureWorst(ids, isFull) {
  const world = await openWorld();
  const meter = new Meter(world);
  const rounds = isFull ? FULL : ROUNDS;
  try {
    const signIn = await openCaller(world.url, meter.ask);
    const parts = { world, meter, signIn, rounds };
    const all = [...everyRoute, ...consoleRoutes, ...world.apiRows];
    const rows = all.filter(({ id }) => ids.length === 0 || ids.includes(id));
    await meter.cost(rounds.warmUp, async () => withLines(HEALTH, await signIn()));
    // What a purchase costs depends on its surface.
    const bought = new Map();
    for (const row of rows.filter(({ access }) => access === 'exact')) {
      if (!bought.has(row.surface)) bought.set(row.surface, await boughtMicros(row, parts));
    }
    const results = [await measureLost(parts)];
    const seen = new Set();
    for (const row of rows) {
      const { surface } = row;
      const method = `${surface} ${row.method}`;
      const order = { isFirstOfSurface: !seen.has(surface), isFirstOfMethod: !seen.has(method) };
      const micros = row.access === 'exact' ? bought.get(surface) : undefined;
      results.push(await measureRow(row, order, micros, parts));
      seen.add(surface).add(method);
    }
    return results;
  } finally {
    meter.close();
    await world.close();
  }
}

/**
 * Measures the worst requests: for every route, or the named ones, the most expensive texts of the largest allowed size in path, query,
 * headers and body, with and without a sign-in or payment.
 */
export async function worst(words) {
  const results = await measureWorst(words, process.env.ROUNDS === 'full');
  const faults = faultsIn(results);
  process.stdout.write(`${tableOf(results)}\n${faults.map((fault) => `${fault}\n`).join('')}`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
