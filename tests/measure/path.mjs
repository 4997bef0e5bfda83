// The files and functions of ours that one warm request runs through, counted by V8 in the compiled gateway, not in its bundle.
import { once } from 'node:events';
import { join } from 'node:path';
import { newKeypair, newSigner, signerFromBytes } from '../../packages/client/dist/node.js';
import { giveCredit, paymentLines, signInLines, withLines } from '../../scripts/measure/callers.mjs';
import { start, writeTable } from '../../scripts/measure/servers.mjs';
import { openWorld } from './worst/world.mjs';

const FREE = { target: '/v1/x402/tokens/health' };
const CACHEABLE = { target: '/v1/x402/tokens/assets/search?q=sol&limit=5' };
const PAID = { target: '/v1/x402/helius/wallet/balances/So11111111111111111111111111111111111111112' };
const DEBITED = { ...PAID, lines: ['Prefer: credit'] };
const FUNDS = 10_000_000n;
const WARM = 5;
/** Timers add to some of the requests, so the fewest functions count. */
const COUNTED = 10;

async function takeCalls({ child }) {
  child.send('calls');
  const [calls] = await once(child, 'message');
  return calls;
}

/** The calls of one request, without those of its challenge. */
async function callsOf({ server, request, admit }) {
  const admitted = withLines(request, await admit(request));
  await takeCalls(server);
  const { status } = await server.ask(admitted);
  if (status !== 200) throw new Error(`status ${status}`);
  return takeCalls(server);
}

/** Every function as a line, for a reader who asks which they are. */
const listOf = (calls) =>
  calls.map(({ url, name, count }) => `${url.replace(/.*\/packages\//, '')} ${name} ${count}\n`).join('');

async function measureSubject(name, subject) {
  for (let time = 0; time < WARM; time++) await callsOf(subject);
  const counted = [];
  for (let time = 0; time < COUNTED; time++) counted.push(await callsOf(subject));
  const fewest = counted.reduce((least, calls) => (calls.length < least.length ? calls : least));
  if (process.env.LIST === name) process.stdout.write(listOf(fewest));
  const files = new Set(fewest.map(({ url }) => url));
  return [name, files.size, fewest.length, fewest.reduce((sum, { count }) => sum + count, 0)];
}

/** Writes how much of our code one request of each kind runs through. `LIST=<kind>` also writes the functions of that kind. */
export async function measurePath() {
  const { solana, folder, variables, close } = await openWorld();
  const signer = newSigner();
  const counting = { ...variables, COUNTED: 'on' };
  await giveCredit(folder, [signer]);
  const plain = await start('gateway.mjs', counting);
  const caching = await start('gateway.mjs', { ...counting, DATA_DIR: join(folder, 'caching'), RESPONSE_CACHE: 'on' });
  try {
    const signing = (server) => (request) => signInLines(server, signer, request);
    const buyer = { wallet: newKeypair(), chain: solana.mainnet };
    await solana.mainnet.fundUsdc(signerFromBytes(buyer.wallet).address, FUNDS);
    const subjects = {
      'signed and free': { server: plain, request: FREE, admit: signing(plain) },
      cached: { server: caching, request: CACHEABLE, admit: signing(caching) },
      bought: { server: plain, request: PAID, admit: (request) => paymentLines(plain, buyer, request) },
      debited: { server: plain, request: DEBITED, admit: signing(plain) },
    };
    const rows = [];
    for (const [name, subject] of Object.entries(subjects)) rows.push(await measureSubject(name, subject));
    writeTable(['one request', 'files', 'functions', 'calls'], rows);
  } finally {
    for (const { child } of [plain, caching]) child.kill();
    await close();
  }
}
