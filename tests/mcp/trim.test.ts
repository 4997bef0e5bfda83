import type { Full } from '@asset-gateway/client';
import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { fittingResult, StoredAnswers } from '../../packages/cli/src/mcp/answer.ts';
import { Approvals } from '../../packages/cli/src/mcp/approvals.ts';
import { readOnTool } from '../../packages/cli/src/mcp/own-tools.ts';
import { jsonBytes, trim } from '../../packages/cli/src/mcp/trim.ts';
import { textOf, tokensOf } from './host.ts';

/** The full answer of a method with this result. */
const fullOf = (result: unknown) => ({ result, text: '' }) as Full<unknown>;

describe('a trimmed value', () => {
  it('fits, and is unchanged if it already fits', () => {
    const sizes = fc.integer({ min: 200, max: 5_000 });
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), sizes, (value, most) => {
        const trimmed = trim(value, most);
        expect(jsonBytes(trimmed)).toBeLessThanOrEqual(most);
        if (jsonBytes(value) <= most) expect(trimmed).toEqual(value);
      }),
    );
  });

  it('ends with a notice of the omitted rest', () => {
    const items = Array.from({ length: 5_000 }, (_, at) => at);
    expect(trim({ items }, 1_000)).toEqual({ items: [...items.slice(0, 200), '… 4800 more of 5000'] });
    expect(trim('x'.repeat(9_000), 5_000)).toBe(`${'x'.repeat(4_000)}… 5000 more characters`);
    const members = Object.fromEntries(items.map((at) => [`member ${at}`, at]));
    expect(trim(members, 4_000)).toMatchObject({ '…': '4800 more of 5000' });
  });

  it('is cut only if that makes it shorter', () => {
    const text = 'x'.repeat(4_001);
    expect(trim(['y'.repeat(10_000), text], 10_000)).toEqual([`${'y'.repeat(4_000)}… 6000 more characters`, text]);
    const [items, members] = [Array(201).fill(1), Object.fromEntries(Array.from({ length: 201 }, (_, at) => [at, 1]))];
    const [ys, cut] = ['y'.repeat(10_000), `${'y'.repeat(2_000)}… 8000 more characters`];
    expect(trim([ys, items, members], 5_000)).toEqual([cut, items, members]);
    const longer = [...items.slice(1), 'z'.repeat(50)];
    expect(trim([ys, longer], 3_000)).toEqual([cut, [...items.slice(1), '… 1 more of 201']]);
  });

  it('W25 has no hidden characters, even in names of members', () => {
    const hidden = ['\u001b', '\u009b', '\u202e', '\u200b', '\u{e0041}', '\u2028', '\ud800', '\u00ad'];
    const value = { [`a${hidden.join('')}`]: [hidden.join('b'), { c: `${hidden.join('')}\n\t` }] };
    const marks = (between: string) => Array(hidden.length).fill('\ufffd').join(between);
    const shown = { [`a${marks('')}`]: [marks('b'), { c: `${marks('')}\n\t` }] };
    expect(trim(value, 5_000)).toEqual(shown);
    const stored = new StoredAnswers();
    const whole = fittingResult(fullOf(value), stored, {});
    expect([whole.structuredContent, JSON.parse(textOf(whole))]).toEqual(Array(2).fill({ result: shown }));
    const long = fittingResult(fullOf(Array(5_000).fill(value)), stored, {});
    const { answer } = (long.structuredContent as { cut: { answer: string } }).cut;
    for (const each of hidden) expect([JSON.stringify(long), stored.text(answer)].join('')).not.toContain(each);
  });

  it('fits even if its items are deep, wide or full of escapes', () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 2_000; depth++) deep = [deep, deep === 1 ? 1 : 0];
    const hostile = [deep, Array.from({ length: 60 }, () => Array(60).fill('漢'.repeat(50))), '\u0000'.repeat(50_000)];
    for (const value of [...hostile, hostile]) expect(jsonBytes(trim(value, 2_000))).toBeLessThanOrEqual(2_000);
  });
});

it.each([
  ['random digits', () => String(fc.sample(fc.bigInt({ min: 10n ** 70n, max: 10n ** 76n }), 1)[0])],
  ['characters in no vocabulary', () => '\u{2b739}\u{1f9ff}\ua015'.repeat(30)],
  ['control characters', () => '\u0001'.repeat(60)],
  ['quotes and backslashes', () => '"\\'.repeat(60)],
])('an answer of %s takes less than 25,000 tokens in both copies', (_, text) => {
  const stored = new StoredAnswers();
  const result = Array.from({ length: 2_000 }, text);
  const { content, structuredContent } = fittingResult(fullOf(result), stored, {});
  const [shown, link] = content;
  expect([shown?.type, link?.type]).toEqual(['text', 'resource_link']);
  const { answer } = (structuredContent as { cut: { answer: string } }).cut;
  expect(JSON.parse(stored.text(answer) ?? '')).toHaveLength(2_000);
  const tokens = countTokens(shown?.type === 'text' ? shown.text : '') + tokensOf(structuredContent) + tokensOf(link);
  expect(tokens).toBeLessThan(25_000);
});

const transaction = '4'.repeat(88);

it('W25 a paid answer that nests too deep is not lost, because read_on shows its text', async () => {
  for (const depth of [600, 100_000]) {
    const stored = new StoredAnswers();
    let result: unknown = 1;
    for (let level = 0; level < depth; level++) result = [result];
    const text = `{"result":${'['.repeat(depth)}1${']'.repeat(depth)}}`;
    const answer = fittingResult({ ...fullOf(result), text, transaction, price: '0.0005' }, stored, {});
    const shown = JSON.stringify(answer);
    expect(shown).toContain(transaction);
    const [name = ''] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(shown) ?? [];
    expect(stored.text(name)).toContain('['.repeat(depth));
    const read = await readOnTool(stored).call({ answer: name }, {} as never);
    expect([read.isError ?? false, JSON.stringify(read).length < 25_000]).toEqual([false, true]);
  }
});

it.each(['x'.repeat(4_000_000), '1e9', '-1', '0.1\u202e', undefined])('W25 hides a malformed price: %#', (price) => {
  const { structuredContent } = fittingResult({ ...fullOf(1), transaction, price }, new StoredAnswers(), {});
  expect(JSON.parse(JSON.stringify(structuredContent))).toEqual({ result: 1, paid: { transaction } });
});

it('a whole answer is stored for an hour, until 64 newer ones or 32 million characters are stored', () => {
  let now = 1;
  const stored = new StoredAnswers(() => now);
  const answer = stored.add('[1]');
  now += 3_600_000;
  expect(stored.text(answer)).toBe('[1]');
  now++;
  expect(stored.text(answer)).toBeUndefined();
  const names = Array.from({ length: 65 }, () => stored.add('[]'));
  expect(names.map((name) => stored.text(name))).toEqual([undefined, ...Array<string>(64).fill('[]')]);
  const large = stored.add('x'.repeat(40 * 1024 * 1024));
  expect(names.map((name) => stored.text(name))).toEqual(Array(65).fill(undefined));
  expect(stored.text(large)).toHaveLength(40 * 1024 * 1024);
  stored.add('[]');
  expect(stored.text(large)).toBeUndefined();
});

it('a yes to a payment is valid once, for the same call, for ten minutes, until a hundred newer questions', () => {
  const offer = { network: 'solana:1', asset: 'mint', payTo: 'payee', amount: '5' };
  let now = 1;
  const approvals = new Approvals(() => now);
  const ask = () => approvals.ask('rpc_getBalance', { account: 'a' }, offer);
  const take = (id: string | undefined, account = 'a') => approvals.redeem(id, 'rpc_getBalance', { account });
  const once = ask();
  expect([take(once), take(once), take(ask(), 'b')]).toEqual([offer, undefined, undefined]);
  const late = ask();
  now += 600_001;
  expect(take(late)).toBeUndefined();
  const [first, second] = Array.from({ length: 101 }, ask);
  expect([take(first), take(second)]).toEqual([undefined, offer]);
});
