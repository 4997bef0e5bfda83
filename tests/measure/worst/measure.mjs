import { newKeypair, newSigner, signerFromBytes } from '../../../packages/client/dist/node.js';
import { consoleRoutes, everyRoute } from '../../../packages/protocol/dist/index.js';
import { paymentLines, signInLines, withLines } from '../../../scripts/measure/callers.mjs';
import { cost, start, writeTable } from '../../../scripts/measure/servers.mjs';
import { openApi } from './api.mjs';
import { faultOf, faultsIn, HEADING, isRefusal, linesOf } from './report.mjs';
import { exampleOf, LOST, servedLike, worstOf } from './requests.mjs';
import { openWorld } from './world.mjs';

const FUNDS = 10_000_000n;
/** A request this expensive is not measured again. */
const HOPELESS_MICROS = 200_000;
const HEALTH = { target: '/v1/x402/tokens/health' };
const LIVENESS = everyRoute.find(({ id }) => id === 'system.liveness');

/**
 * How often each request is sent at first, and how many of a row's most expensive ones are measured in blocks, each of how many
 * requests.
 */
const USUAL = { warmUp: 300, first: 1, best: 4, blocks: 4, size: 4, bought: 4 };
const FULL = { warmUp: 1_000, first: 3, best: 8, blocks: 15, size: 30, bought: 20 };

/** Microseconds of CPU for one of `count` requests, and the last status. All requests are built before the first is sent. */
async function costOf({ gateway }, count, make) {
  const requests = [];
  for (let at = 0; at < count; at++) requests.push(await make());
  const { micros, statuses } = await cost(gateway, requests);
  return { micros, status: statuses.at(-1) };
}

/** Makes a valid request, with a fresh sign-in if the row needs one. */
const served = (row, request, { signIn }) => {
  return async () => (row.access === 'siwx' ? withLines(request, await signIn()) : request);
};

/** Makes payments for a row; without funds they cannot settle. */
async function buyerOf({ cluster }, { gateway, solana }, funds = 0n) {
  const buyer = { wallet: newKeypair(), chain: solana[cluster] };
  if (funds > 0n) await buyer.chain.fundUsdc(signerFromBytes(buyer.wallet).address, funds);
  return (request) => paymentLines(gateway, buyer, request);
}

/** The cost of a row's answer, the minimum of several blocks. */
async function plainMicros(row, parts) {
  const { blocks, size, bought } = parts.pace;
  const example = exampleOf(row);
  const pay = row.access === 'exact' ? await buyerOf(row, parts, FUNDS) : undefined;
  const make = pay ? async () => withLines(example, await pay(example)) : served(row, example, parts);
  const costs = [];
  for (let block = 0; block < (pay ? 1 : blocks); block++) {
    const { micros, status } = await costOf(parts, pay ? bought : size, make);
    if (status !== 200) throw new Error(`${row.id} is not served: ${status}`);
    costs.push(micros);
  }
  return Math.min(...costs);
}

/** The worst requests for a row, without and with a sign-in or payment, each with a function that makes it again. */
async function candidatesFor(row, requests, parts) {
  const without = requests.map((request) => ({ ...request, as: row.access === 'public' ? '' : 'anonymous' }));
  const candidates = without.map((request) => ({ request, make: async () => request }));
  if (row.access === 'public') return candidates;
  const admit = row.access === 'siwx' ? parts.signIn : await buyerOf(row, parts);
  for (const request of requests.filter(({ isBare }) => !isBare)) {
    const lines = await admit(request);
    const as = row.access === 'siwx' ? 'signed' : 'paid';
    // A sign-in stays valid if its request is refused for its content.
    const make = async () => withLines(request, request.place === 'header' ? await admit(request) : lines);
    if (lines) candidates.push({ request: { ...request, as }, make });
  }
  return candidates;
}

/**
 * Measures a request in blocks. Blocks of a refused request alternate with blocks of a served one. The minimum counts, since other work
 * on the machine only adds. A request that seems too expensive is measured again, for longer.
 */
async function thorough({ make, request, ...first }, standard, parts, blocks = parts.pace.blocks) {
  if (first.micros > HOPELESS_MICROS) return { ...request, ...first };
  const { makeServed, plain } = standard;
  const [own, alike] = [[], []];
  for (let block = 0; block < blocks; block++) {
    own.push((await costOf(parts, parts.pace.size, make)).micros);
    if (makeServed && isRefusal(Object(first))) alike.push((await costOf(parts, parts.pace.size, makeServed)).micros);
  }
  const served = alike.length > 0 ? { alike: Math.min(...alike) } : {};
  const result = { ...request, ...first, micros: Math.min(...own), ...served };
  if (blocks > parts.pace.blocks || !faultOf(result, plain)) return result;
  return thorough({ make, request, ...first }, standard, parts, 4 * blocks);
}

/** Measures requests for a row: all a little, and the dearest refused and served ones in blocks. */
async function measureRow(row, { requests, plain }, parts) {
  const measured = [];
  for (const candidate of await candidatesFor(row, requests, parts))
    measured.push({ ...candidate, ...(await costOf(parts, parts.pace.first, candidate.make)) });
  measured.sort((a, b) => b.micros - a.micros);
  const ofKind = (refused) => measured.filter((each) => isRefusal(each) === refused).slice(0, parts.pace.best);
  const results = [];
  for (const each of [...ofKind(true), ...ofKind(false)]) {
    const makeServed = row.access === 'exact' ? undefined : served(row, servedLike(row, each.request), parts);
    results.push(await thorough(each, { makeServed, plain }, parts));
  }
  return { id: row.id, served: plain, requests: results };
}

/** Measures the most expensive requests of each row, and the cost of a normal answer. */
async function measureRows(rows, parts) {
  const lost = { requests: LOST, plain: await plainMicros(LIVENESS, parts) };
  const results = [await measureRow({ ...LIVENESS, id: '(no row)' }, lost, parts)];
  const [methods, bought] = [new Set(), new Map()];
  for (const row of rows) {
    const method = `${row.surface} ${row.method}`;
    // What a purchase costs depends on its surface.
    const plain = bought.get(row.surface) ?? (await plainMicros(row, parts));
    if (row.access === 'exact') bought.set(row.surface, plain);
    results.push(await measureRow(row, { requests: worstOf(row, !methods.has(method)), plain }, parts));
    methods.add(method);
  }
  return results;
}

/**
 * Measures the worst requests: for every route, or the named ones, the most expensive texts of the largest allowed size in path, query,
 * headers and body, with and without a sign-in or payment. Linux only. ROUNDS=full repeats each more often. Exit code 1: one costs too much.
 */
export async function worst(ids) {
  const world = await openWorld();
  const upstream = await start('upstream.mjs');
  const api = openApi(world.folder, upstream.url);
  const gateway = await start('gateway.mjs', {
    ...world.variables,
    TOKENS_RATE_LIMIT_PER_MINUTE: '1000000',
    FEE_BUDGET_LAMPORTS_PER_HOUR: '1000000000',
    APIS_FILE: api.file,
    RECEIPTS: 'on',
    // The sender counts as a proxy, so that X-Forwarded-For is read.
    TRUST_PROXY: '127.0.0.0/8',
  });
  try {
    // A wallet may read its credit five times a second.
    const signIn = () => signInLines(gateway, newSigner(), HEALTH, gateway.url);
    const pace = process.env.ROUNDS === 'full' ? FULL : USUAL;
    const parts = { gateway, solana: world.solana, signIn, pace };
    await costOf(parts, pace.warmUp, async () => withLines(HEALTH, await signIn()));
    const all = [...everyRoute, ...consoleRoutes, ...api.rows];
    const rows = all.filter(({ id }) => ids.length === 0 || ids.includes(id));
    const results = await measureRows(rows, parts);
    const faults = faultsIn(results);
    writeTable(HEADING, results.flatMap(linesOf));
    process.stdout.write(faults.map((fault) => `${fault}\n`).join(''));
    process.exitCode = faults.length > 0 ? 1 : 0;
  } finally {
    for (const { child } of [gateway, upstream]) child.kill();
    await world.close();
  }
}
