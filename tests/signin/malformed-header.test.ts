import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../kit/rounds.ts';
import { decodeHeader } from '../kit/wallet.ts';
import { askWith, costsNothing, rawStatusWith, refusedWith, signInFor, statusOf } from './craft.ts';
import { openSignIn } from './gateway.ts';
import { jsonTestSuite } from './vectors.ts';

const { gateway, asker } = await openSignIn();

const MALFORMED = 'invalid_siwx_header';
const base64 = (content: string | Uint8Array): string => Buffer.from(content).toString('base64');
const refuses = (header: string): Promise<unknown> => refusedWith(MALFORMED, askWith(asker, header));

const rawStatus = (header: string): Promise<number> => rawStatusWith(gateway, header);

describe('S14 402 for a malformed header', () => {
  it('that holds any of the 318 files of JSONTestSuite, or 431 where it is too large', async () => {
    const files = jsonTestSuite();
    expect(files).toHaveLength(318);
    await costsNothing(gateway, asker, async () => {
      for (const { name, bytes } of files) {
        const header = base64(bytes);
        if (header.length < 15_000) await refuses(header);
        else expect(await rawStatus(header), name).toBe(431);
      }
    });
  });

  it('that is not canonical base64 of JSON in UTF-8', async () => {
    const header = await signInFor(asker);
    const json = JSON.stringify(decodeHeader(header));
    const utf16 = Buffer.from(json, 'utf16le');
    const bad = [
      '',
      ' ',
      '=',
      '====',
      `${header}=`,
      `${header}====`,
      `.${header}`,
      `${header.slice(0, 40)} ${header.slice(40)}`,
    ];
    bad.push(
      `${header.slice(0, 40)}-_${header.slice(42)}`,
      base64(`\ufeff${json}`),
      base64(utf16),
      json,
      encodeURIComponent(`${header}=`),
    );
    bad.push(base64(Buffer.concat([Buffer.from(json), Buffer.of(0xff)])), base64(`${json}${json}`), base64(`${json},`));
    bad.push(...['null', '[]', '1', '1e999', '""', 'true', '{}', `[${json}]`, `"${header}"`].map(base64));
    await costsNothing(gateway, asker, async () => {
      for (const each of bad) await refuses(each);
    });
    expect(await statusOf(askWith(asker, header))).toBe(200);
  });

  it('and the answer shows nothing of it', async () => {
    const header = base64('{"domain":"<script>evil</script>"');
    const response = await askWith(asker, header);
    expect(response.status).toBe(402);
    const shown = `${JSON.stringify([...response.headers])}${await response.text()}`;
    expect(shown).not.toContain('evil');
    expect(shown).not.toContain(header.slice(0, 20));
  });
});

type Mutation = readonly [kind: 'flip' | 'cut' | 'insert', at: number, byte: number];

function mutated(bytes: Buffer, [kind, at, byte]: Mutation): Buffer {
  const index = Math.floor(at * bytes.length);
  const [head, tail] = [bytes.subarray(0, index), bytes.subarray(index)];
  if (kind === 'insert') return Buffer.concat([head, Buffer.of(byte), tail]);
  return Buffer.concat([head, kind === 'cut' ? Buffer.of() : Buffer.of((tail[0] ?? 0) ^ byte), tail.subarray(1)]);
}

const meaning = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
};

describe('S14 402 for a mutated sign-in', () => {
  const kind = fc.constantFrom('flip' as const, 'cut' as const, 'insert' as const);
  const mutation = fc.tuple(
    kind,
    fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    fc.integer({ min: 1, max: 255 }),
  );

  it('whatever was changed in its JSON or its base64', async () => {
    const header = await signInFor(asker);
    const json = Buffer.from(header, 'base64');
    const changes = fc.asyncProperty(
      fc.array(mutation, { minLength: 1, maxLength: 3 }),
      fc.boolean(),
      async (list, inside) => {
        const bytes = list.reduce(mutated, inside ? json : Buffer.from(header));
        const sent = inside ? bytes.toString('base64') : bytes.toString('latin1').replace(/[^\x21-\x7e]/g, '!');
        // A comma makes two headers of one, of which the last counts.
        fc.pre(!sent.includes(','));
        fc.pre(JSON.stringify(meaning(Buffer.from(sent, 'base64'))) !== JSON.stringify(meaning(json)));
        expect(await statusOf(askWith(asker, sent))).toBe(402);
      },
    );
    await costsNothing(gateway, asker, () => fc.assert(changes, { numRuns: rounds(20) * 100 }));
    expect(await statusOf(askWith(asker, header))).toBe(200);
  }, 300_000);
});
