// What each stage of a signed request costs, run by itself in this process over and over.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../../packages/client/dist/index.js';
import { newSigner } from '../../packages/client/dist/node.js';
import { Channels } from '../../packages/gateway/dist/compose/channels.js';
import { bindEndpoints } from '../../packages/gateway/dist/compose/endpoints.js';
import { openState } from '../../packages/gateway/dist/compose/state.js';
import { loadSodium, nodeCrypto } from '../../packages/gateway/dist/gates/crypto.js';
import { fixedOrigin } from '../../packages/gateway/dist/gates/origin.js';
import { Nonces } from '../../packages/gateway/dist/gates/siwx/nonce.js';
import { readConfig } from '../../packages/gateway/dist/index.js';
import { createLog } from '../../packages/gateway/dist/log.js';
import { refuse, success } from '../../packages/gateway/dist/stages/envelope.js';
import { createMatch } from '../../packages/gateway/dist/stages/match.js';
import { RequestTrail } from '../../packages/gateway/dist/stages/trail.js';
import { routes } from '../../packages/protocol/dist/index.js';

const AT_ONCE = 32;
/** So short that the smaller budget lasts for every spend, one after the other. */
const WINDOW_MS = 10;
const PATH = '/v1/x402/tokens/health';
const ORIGIN = 'https://gateway.example';
const FREE = { release: () => undefined };

async function micros(step, count) {
  const before = process.cpuUsage();
  let left = count;
  const worker = async () => {
    while (left-- > 0) await step();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

/** The parts of a gateway, put together as `compose` puts them, but within reach. */
async function assemble(upstreamUrl, folder, limit) {
  const config = readConfig({
    DATA_DIR: folder,
    TOKENS_API_BASE_URL: upstreamUrl,
    TOKENS_API_KEY: 'a-key-of-no-upstream',
    TOKENS_RATE_LIMIT_PER_MINUTE: String(limit),
  });
  const state = await openState(config);
  const { store, secrets } = state;
  const crypto = (await loadSodium()) ?? nodeCrypto;
  const randomId = () => crypto.random(16).toString('hex');
  const channels = new Channels({ config, store, onFailure: () => undefined, windowMs: WINDOW_MS, breaker: undefined });
  const originOf = fixedOrigin(ORIGIN);
  const signIn = { crypto, nonces: new Nonces(crypto, secrets), store, originOf, singleUse: true };
  const service = { name: 'measure', routes: routes.filter(({ id }) => id.startsWith('tokens')), priceUsd: () => '0' };
  const parts = { service, store, channels, own: {}, beside: [], signIn, randomId, caches: new Map() };
  const log = createLog('info', secrets, { write: () => undefined });
  const match = createMatch(bindEndpoints(parts));
  return { match, store, channels, log, randomId, close: () => channels.close().then(() => state.close()) };
}

const inboundOf = (headers) => {
  const where = { hosts: ['gateway.example'], port: 443, client: '127.0.0.1' };
  return { method: 'GET', target: PATH, headers, ...where, body: new Uint8Array(0) };
};

/** A sign-in for the gateway's own challenge. */
async function signedInbound({ match, log, randomId }) {
  let header;
  const fetch = async (_, { headers }) => {
    header = headers['SIGN-IN-WITH-X'];
    const trail = new RequestTrail(inboundOf({}), { log: log.request, randomId });
    const { endpoint, ...call } = trail.follow(match(inboundOf({})));
    const { status, body } = refuse(await endpoint.gate.admit(call, trail).catch((error) => error), trail);
    return new Response(body, { status });
  };
  await createClient({ baseUrl: ORIGIN, signer: newSigner(), fetch }).ask(PATH);
  return inboundOf({ 'sign-in-with-x': header });
}

/** The stages by name, in their order; each may be run any number of times. */
async function stagesOf(gateway) {
  const { match, store, channels, log, randomId } = gateway;
  const inbound = await signedInbound(gateway);
  const open = () => new RequestTrail(inbound, { log: log.request, randomId });
  const trail = open();
  const call = trail.follow(match(inbound));
  const { endpoint, route } = call;
  const admission = trail.enter(await endpoint.gate.admit(call, trail));
  const input = endpoint.read(call);
  const [budget] = channels.get(route).keys.budgets();
  const nonce = () => ({ nonce: randomId(), issuedAtSeconds: Math.floor(store.now() / 1000), epoch: store.epoch() });
  const spend = endpoint.spending({ spend: (take) => take(nonce()) }, trail);
  const asked = { route, input, wallet: trail.wallet, arrival: inbound, spend: async () => FREE };
  const answer = await endpoint.upstream.answer(asked);
  const complete = success(route, answer, { headers: {} });
  return {
    open,
    match: () => match(inbound),
    gate: () => endpoint.gate.admit(call, trail),
    read: () => endpoint.read(call),
    spend: async () => (await spend(budget)).release(true),
    exchange: () => endpoint.upstream.answer(asked),
    success: () => success(route, answer, { headers: {} }),
    settle: () => admission.settle(answer),
    finish: () => trail.finish(complete),
  };
}

/** Microseconds of CPU by stage: the least of several rounds, for whatever else runs only adds to it. */
export async function measureStages(upstreamUrl, limit, { rounds, count }) {
  const folder = mkdtempSync(join(tmpdir(), 'asset-gateway-stages-'));
  const gateway = await assemble(upstreamUrl, folder, limit);
  const stages = Object.entries(await stagesOf(gateway));
  const found = new Map();
  for (let round = 0; round < rounds; round++) {
    for (const [name, step] of stages)
      found.set(name, Math.min(found.get(name) ?? Infinity, await micros(step, count)));
  }
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
  return found;
}
