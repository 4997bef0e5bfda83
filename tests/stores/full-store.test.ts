import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { open } from 'lmdb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openEmbedded } from '../../packages/gateway/src/compose/embedded.ts';
import { PAYMENTS, type PaymentRecord } from '../../packages/gateway/src/payments/record.ts';
import { makeFolder } from '../kit/folder.ts';
import { suiteInCi } from '../kit/optional.ts';
import { isFull } from '../kit/rounds.ts';
import { newPayment } from '../payments/forge-records.ts';
import { compileGateway, endPrograms, startProgram } from '../process/program.ts';

const MIB = 1024 * 1024;
/** As much text in fewer answers, unless there is time for answers of the usual size. */
const ANSWER_BYTES = isFull ? 10_240 : 40_960;
/** Together with the 70 MiB that a gateway takes anyway, more than 200 MB. */
const ANSWERS_MIB = isFull ? 250 : 150;
const ANSWERS = (ANSWERS_MIB * MIB) / ANSWER_BYTES;
/** As many bytes as all answers may have together. */
const BOUND = isFull ? PAYMENTS.answerBytes : MIB;
const RECORDS = 40_000;
const text = 'x'.repeat(ANSWER_BYTES);
const keyOf = (serial: number) => `network:${String(serial).padStart(64, '0')}`;

let folder: string;
beforeAll(compileGateway, 120_000);
beforeEach(() => {
  folder = makeFolder();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
afterAll(endPrograms);

/** Writes to the folder's database, past the store. */
async function write(table: string, count: number, make: (serial: number) => unknown): Promise<void> {
  const root = open({ path: `${folder}/gateway.lmdb`, maxDbs: 20 });
  const records = root.openDB({ name: table });
  records.transactionSync(() => {
    for (let serial = 0; serial < count; serial++) records.putSync(keyOf(serial), make(serial));
  });
  await root.flushed;
  await root.close();
}

const LONG = { transaction: 'A'.repeat(1_000), requirement: JSON.stringify({ x: 'y'.repeat(600) }) };

/** A settled payment of some hours ago, of the size that they have. */
function settledRecord(serial: number, change: Partial<PaymentRecord> = {}): PaymentRecord {
  const resolvedAtMs = Date.now() - 3_600_000;
  const over = {
    progress: 'settled',
    owed: false,
    resolvedAtMs,
    forgetAtMs: resolvedAtMs + PAYMENTS.recordMs,
  } as const;
  return { ...newPayment({ key: keyOf(serial), ...LONG }), ...over, ...change };
}

/** The most memory that a gateway has had when it serves, in MiB. */
async function peakAtStart(): Promise<number> {
  const program = startProgram({ PORT: '0', DATA_DIR: folder, TOKENS_API_KEY: 'key-of-the-upstream' });
  await program.url;
  const status = readFileSync(`/proc/${program.child.pid}/status`, 'latin1');
  program.child.kill('SIGKILL');
  await program.ended;
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
}

(process.platform === 'linux' ? suiteInCi : describe.skip)('the start with a full store', {}, () => {
  it.each(isFull ? [0, 2 * PAYMENTS.answerMs] : [0])(
    `V19 takes less than 200 MB with ${ANSWERS_MIB} MiB of answers of %i ms ago`,
    async (ageMs) => {
      const kept = await openEmbedded(folder, { now: () => Date.now() - ageMs });
      for (let serial = 0; serial < ANSWERS; serial++) {
        const done = kept.payments.keep(keyOf(serial), text);
        if (serial % 500 === 0) await done;
      }
      await kept.close();
      expect(await peakAtStart()).toBeLessThan(200);
      const again = await openEmbedded(folder);
      expect((await again.payments.answer(keyOf(ANSWERS - 1))) === text).toBe(ageMs === 0);
      await again.close();
    },
    120_000,
  );

  it('V19 takes less than 200 MB with the payments of a busy day', async () => {
    await (await openEmbedded(folder)).close();
    await write('payments', RECORDS, settledRecord);
    expect(await peakAtStart()).toBeLessThan(200);
  }, 120_000);
});

it('V19 an answer that is kept several times at once is counted once', async () => {
  const atMs = Date.now();
  const { payments, close } = await openEmbedded(folder, { now: () => atMs, answerBytes: BOUND });
  const large = 'x'.repeat(BOUND * 0.4);
  await Promise.all([0, 0, 0].map((serial) => payments.keep(keyOf(serial), large)));
  await payments.keep(keyOf(1), large);
  await payments.reserve(newPayment());
  const answers = await Promise.all([0, 1].map((serial) => payments.answer(keyOf(serial))));
  expect(answers.map((answer) => answer?.length)).toEqual([large.length, large.length]);
  await close();
}, 120_000);

describe('a folder from before ages were kept apart from texts', () => {
  const atMs = Date.now() - PAYMENTS.answerMs / 2;

  it('V19 opens without holding all texts in memory, and has them', async () => {
    await write('answers', ANSWERS, (serial) => ({ text, atMs: atMs + serial }));
    const script = `
      const { openEmbedded } = await import('${process.cwd()}/packages/gateway/dist/compose/embedded.js');
      const { payments, close } = await openEmbedded('${folder}');
      const answer = await payments.answer('${keyOf(7)}');
      await close();
      process.stdout.write(String(answer.length));`;
    const words = ['--max-old-space-size=64', '--input-type=module', '-e', script];
    expect(spawnSync(process.execPath, words, { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stdout: `${text.length}`,
    });
  }, 120_000);

  it('V19 still keeps to the limit of bytes and of time', async () => {
    const large = 'x'.repeat(BOUND * 0.3);
    await write('answers', 4, (serial) => ({ text: large, atMs: serial === 0 ? 0 : atMs + serial }));
    const { payments, close } = await openEmbedded(folder, { answerBytes: BOUND });
    const kept = async () => {
      const answers = await Promise.all([0, 1, 2, 3].map((serial) => payments.answer(keyOf(serial))));
      return answers.map((answer) => answer !== undefined);
    };
    expect(await kept()).toEqual([false, true, true, true]);
    await payments.reserve(newPayment());
    await payments.keep(keyOf(4), large);
    await payments.reserve(newPayment());
    expect(await kept()).toEqual([false, false, true, true]);
    await close();
  }, 120_000);

  it('V19 knows which payments are open and which answers are owed, then and from then on', async () => {
    const [over, open, owed] = [0, 1, 2].map(keyOf);
    const changes = [{}, { progress: 'settling' }, { owed: true, resolvedAtMs: atMs }] as const;
    await write('payments', changes.length, (serial) => settledRecord(serial, changes[serial]));
    for (let start = 0; start < 2; start++) {
      const { payments, close } = await openEmbedded(folder);
      expect((await payments.open()).map(({ key }) => key)).toEqual([open]);
      const known = await Promise.all([over, open, owed].map((key = '') => payments.find(key)));
      const answers = known.map(
        async (record) => (await payments.owed(record?.payer ?? '', record?.requestHash ?? ''))?.key,
      );
      expect(await Promise.all(answers)).toEqual([undefined, open, owed]);
      await close();
    }
  });
});
