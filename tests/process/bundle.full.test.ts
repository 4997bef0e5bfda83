import { consoleRoutes, HEADERS, type Route, routes, textAt } from '@asset-gateway/protocol';
import { expect, it } from 'vitest';
import { AnswerRecorder, answersTo } from '../answers/recorder.ts';
import { serveWeatherAndNotes } from '../apis/apis.ts';
import { CREDIT, spendingHeader } from '../credit/gateway.ts';
import { AMBIGUOUS, SNAPSHOTS, UNAMBIGUOUS } from '../http/frames.ts';
import { SPELLINGS, UNREADABLE } from '../http/spellings.ts';
import { pathOf, rowOf } from '../http/targets.ts';
import { askOne, readAnswers, requestTo, type WireAnswer, writeAndRead } from '../http/wire.ts';
import { makeFolder } from '../kit/folder.ts';
import { everyThird } from '../kit/rounds.ts';
import { DEFAULT_PRICES } from '../kit/test-gateway.ts';
import { callOf, headerOf, requiredFor, send } from '../payments/calls.ts';
import { carrying, draftOf } from '../payments/drafts.ts';
import { genuineOf, openParties } from '../payments/forge.ts';
import { ALL_FORGERIES } from '../payments/forgeries.ts';
import { openWallet } from '../payments/wallets.ts';
import { jsonTestSuite } from '../signin/vectors.ts';
import { Caller, JSON_BODY, TOKENS } from '../upstream/caller.ts';
import { HOSTILE_IDS } from '../upstream/hostile-ids.ts';
import { startProgram } from './program.ts';

// A fixed secret makes both gateways issue and accept the same tickets.
const { gateway, rows } = await serveWeatherAndNotes({}, { ...CREDIT, ...DEFAULT_PRICES });
const program = startProgram({ ...gateway.variables, PORT: '0', DATA_DIR: makeFolder() });
const url = await program.url;
const bundle = { ...gateway, url, port: Number(new URL(url).port) };
type Place = Pick<typeof bundle, 'url'>;

const wallet = await openWallet(gateway.solana);
const parties = await openParties(gateway.solana.devnet);

/** Answers by title, without what varies. */
type Answers = Readonly<Record<string, string>>;
const WITHOUT_BODY = [204, 304];

/** Sends the same requests to the gateway made of the sources and to the bundle, and expects the same answers. */
async function expectSame(ask: (place: typeof bundle) => Promise<Answers>): Promise<void> {
  const [ofSources, ofBundle] = [await ask({ ...bundle, ...gateway }), await ask(bundle)];
  expect(Object.keys(ofSources).length).toBeGreaterThan(0);
  expect(ofBundle).toEqual(ofSources);
}

const recorded = (answer: Response): Promise<string> => new AnswerRecorder().record(answer);

/** The answer to raw bytes; a connection that ends without one has none. */
async function recordedBytes(answer: WireAnswer | undefined): Promise<string> {
  if (!answer) return 'none';
  const { status, headers, body } = answer;
  return recorded(new Response(WITHOUT_BODY.includes(status) ? null : body, { status, headers: { ...headers } }));
}

async function answersOf(place: Place, route: Route): Promise<Answers> {
  const answers: Record<string, string> = {};
  for await (const [title, answer] of answersTo(place.url, route, wallet)) answers[title] = await recorded(answer);
  return answers;
}

// The index says that only the gateway of the sources has a faucet.
const pages = consoleRoutes.filter(({ method }) => method !== 'index');
const all: readonly Route[] = [...routes, ...pages, ...rows];

it.each([...new Set(all.map(({ surface }) => surface))])('the bundle answers %s as the sources do', async (surface) => {
  const ofSurface = all.filter((each) => each.surface === surface);
  for (const route of everyThird(ofSurface, 0)) await expectSame((place) => answersOf(place, route));
});

const KINDS = ['system.catalog', 'tokens.assetDetail', 'tokens.marketSnapshots', 'rpc.mainnet.helius.getBalance'];

const VERBS = ['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE', 'TRACE', 'CONNECT', 'PRI', 'get'];

it.each(VERBS)('the bundle answers %s of every spelling of a path as the sources do', async (verb) => {
  await expectSame(async ({ port }) => {
    const answers: Record<string, string> = {};
    for (const row of everyThird([...KINDS.map(rowOf), ...pages, ...rows], VERBS.indexOf(verb)))
      for (const [name, spell] of Object.entries({ ...SPELLINGS, ...UNREADABLE })) {
        const request = requestTo(port, verb, spell(pathOf(row)), 'Connection: close');
        answers[`${row.id}, ${name}`] = await recordedBytes(await askOne(port, request));
      }
    return answers;
  });
});

it('the bundle answers every frame as the sources do', async () => {
  await expectSame(async (place) => {
    const answers: Record<string, string> = {};
    for (const [name, [lines, body]] of Object.entries({ ...AMBIGUOUS, ...UNAMBIGUOUS })) {
      const signIn = await new Caller({ ...gateway, ...place }).signIn();
      const fields = Object.entries({ ...JSON_BODY, ...signIn, Connection: 'close' }).map(
        ([field, value]) => `${field}: ${value}`,
      );
      const head = requestTo(place.port, 'POST', pathOf(SNAPSHOTS), ...fields).bytes.slice(0, -2);
      const raw = await writeAndRead(place.port, `${head}${lines}\r\n${body}`, 1_000);
      answers[name] = await recordedBytes(readAnswers(raw, ['POST'])[0]);
    }
    return answers;
  });
});

it('the bundle answers signed requests with hostile paths and bodies as the sources do', async () => {
  await expectSame(async (place) => {
    const caller = new Caller({ ...gateway, ...place });
    const signIn = await caller.signIn();
    const answers: Record<string, string> = {};
    const ask = async (name: string, request: Parameters<typeof caller.ask>[0]) => {
      const { status, json } = await caller.askWith(signIn, request);
      answers[name] = JSON.stringify([status, { ...json, requestId: '' }]);
    };
    for (const id of HOSTILE_IDS) await ask(id, { target: `${TOKENS}/assets/${id}/variants` });
    for (const { name, bytes } of jsonTestSuite())
      await ask(name, { method: 'POST', target: pathOf(SNAPSHOTS), headers: JSON_BODY, body: bytes });
    return answers;
  });
});

it('the bundle refuses forged payments as the sources do', async () => {
  const call = callOf('rpc.devnet.helius.getBalance');
  await expectSame(async (place) => {
    const required = await requiredFor(place, call);
    const genuine = await genuineOf(required, parties.payer, gateway.solana.devnet);
    const feePayer = textAt(required, 'accepts', '0', 'extra', 'feePayer');
    const answers: Record<string, string> = {};
    for (const { name, make } of ALL_FORGERIES) {
      const wire = make({ ...genuine, draft: draftOf(genuine.wire) }, { ...parties, feePayer });
      const header = headerOf(carrying(genuine.payload, wire));
      answers[name] = await recorded(await send(place, call, { [HEADERS.payment]: header }));
    }
    return answers;
  });
});

it('the bundle charges credit as the sources do', async () => {
  await expectSame(async (place) => {
    const payer = await openWallet(gateway.solana);
    const call = callOf('rpc.mainnet.helius.getBalance');
    const answers: Record<string, string> = {};
    const spend = async (title: string) => {
      const header = await spendingHeader(place, call, payer.signIn);
      answers[title] = await recorded(await send(place, call, { [HEADERS.signIn]: header }));
      answers[`${title}, again`] = await recorded(await send(place, call, { [HEADERS.signIn]: header }));
    };
    await spend('without credit');
    const bought = await payer.buy(`${place.url}/v1/x402/credit/mainnet`, { method: 'POST' });
    answers.bundle = await recorded(bought);
    await spend('with credit');
    return answers;
  });
});
