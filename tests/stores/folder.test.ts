import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Connection from 'libsql';
import { describe, expect, it } from 'vitest';
import { openLocal } from '../../packages/gateway/src/compose/local.ts';
import { openMoney } from '../../packages/gateway/src/compose/money.ts';
import { sqliteIn } from '../../packages/gateway/src/stores/sql/sqlite.ts';
import { checkSqlite } from '../../packages/gateway/src/stores/sql/sqlite-connection.ts';
import { makeFolder } from '../kit/folder.ts';
import { JOURNAL_KEEP_MS, newPayment, settle } from '../kit/ledger.ts';

const ANSWER = '"An answer of this many words, with a number: 0123456789"';

/** A database with one stored answer, whose bytes from its twelfth on are these. */
async function databaseWith(answer: string, damage = Buffer.alloc(0)): Promise<string> {
  const folder = makeFolder();
  const local = await openLocal({ dataDir: folder });
  const money = openMoney(local.database, JOURNAL_KEEP_MS);
  await settle(money, newPayment(), answer);
  await money.close();
  await local.close();
  const bytes = readFileSync(sqliteIn(folder));
  const at = bytes.indexOf(answer);
  expect(at).toBeGreaterThan(0);
  damage.copy(bytes, at + 12);
  writeFileSync(sqliteIn(folder), bytes);
  return sqliteIn(folder);
}

const damageIn = async (file: string): Promise<string | undefined> =>
  checkSqlite(file).then(
    ({ damage }) => damage,
    ({ message }: Error) => message,
  );

describe('the check of a database file', () => {
  it.each<[string, number[]]>([
    ['a bit of a digit', [0xb5]],
    ['a bit of a letter', [0xe5]],
    ['two bytes of a character of three', [0xe5, 0x80]],
    ['four bytes for a character of two', [0xc3, 0x80, 0x80, 0x80]],
    ['a longer form than necessary', [0xe0, 0x85, 0x80]],
    ['half of a pair of UTF-16', [0xed, 0xa0, 0x80]],
    ['a byte that is no text after a NUL', [0x00, 0x61, 0xff]],
  ])('V16 finds text in which damage left %s', async (_, bytes) => {
    const file = await databaseWith(ANSWER, Buffer.from(bytes));
    expect(await damageIn(file)).toBe('database disk image is malformed: text in answers is not UTF-8');
  });

  it.each(['café', '价格', '🙂', '\ufffd', 'a\u0080b', 'a\u0000b'])('accepts an answer with text %j', async (text) => {
    expect(await damageIn(await databaseWith(`"${text}"`))).toBe(undefined);
  });

  it('accepts many answers with such text', async () => {
    const folder = makeFolder();
    const local = await openLocal({ dataDir: folder });
    const money = openMoney(local.database, JOURNAL_KEEP_MS);
    for (let serial = 0; serial < 12; serial++) await settle(money, newPayment(), serial % 3 ? '"é"' : '"e"');
    await money.close();
    await local.close();
    expect(await damageIn(sqliteIn(folder))).toBe(undefined);
  });

  it('V16 finds damage in the name of a column', async () => {
    const file = await databaseWith(ANSWER);
    const connection = new Connection(file);
    connection.exec('create table further (name_of_column text) strict; pragma wal_checkpoint(truncate)');
    connection.close();
    const bytes = readFileSync(file);
    const at = bytes.indexOf('name_of_column');
    expect(at).toBeGreaterThan(0);
    bytes[at + 4] = 0xb5;
    writeFileSync(file, bytes);
    expect(await damageIn(file)).toBe('database disk image is malformed: text in sqlite_schema is not UTF-8');
  });
});

it('a gateway whose folder is a file says so, and leaves the file as it is', async () => {
  const file = join(makeFolder(), 'data');
  writeFileSync(file, 'mine');
  await expect(openLocal({ dataDir: file })).rejects.toThrow(`DATA_DIR: ${file} is a file; name a folder.`);
  expect(readFileSync(file, 'utf8')).toBe('mine');
});
