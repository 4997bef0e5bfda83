import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inTerminal, node } from '../kit/command.ts';
import { suiteWith } from '../kit/optional.ts';
import { MAIN, openShop, type Shop, WALLET } from './shop.ts';

suiteWith(
  'script',
  'a person at a terminal',
  (script) => {
    let shop: Shop;
    beforeAll(async () => {
      shop = await openShop();
    });
    afterAll(() => shop.close());

    /** Runs a command for a person who answers its question with this. */
    async function answered(words: readonly string[], answer: string): Promise<{ code: number; shown: string }> {
      const [program = '', ...rest] = inTerminal(script, node(MAIN, ...words));
      const env = { PATH: process.env.PATH, SHELL: '/bin/sh', TERM: 'xterm', ...shop.environment(shop.newHome()) };
      const child = spawn(program, rest, { env, stdio: ['pipe', 'pipe', 'inherit'] });
      let shown = '';
      child.stdout.on('data', (chunk: Buffer) => {
        const isAsked = shown.includes('[y/N]');
        shown += chunk.toString();
        if (!isAsked && shown.includes('[y/N]')) child.stdin.write(answer);
      });
      const [code] = (await once(child, 'close')) as [number];
      return { code, shown };
    }

    const PAID = ['balances', WALLET];

    it('is asked before anything is paid, and pays with a yes', async () => {
      const before = shop.transfers();
      const { code, shown } = await answered(PAID, 'y\r');
      expect([code, shop.transfers() - before], shown).toEqual([0, 1]);
      expect(shown).toMatch(/Pay \$0\.0005 on solana:\w+ to \w+\? \[y\/N\]/);
      expect(shown).toContain('TOKEN  BALANCE');
    });

    it.each(['n\r', '\r', 'yes please\r', '\u0003', '\u0004'])('pays nothing with %j', async (answer) => {
      const before = [shop.transfers(), shop.passage.passed.filter(({ carries }) => carries === 'payment').length];
      const { code, shown } = await answered(PAID, answer);
      expect(code).not.toBe(0);
      expect(shown).not.toContain('paying');
      expect([shop.transfers(), shop.passage.passed.filter(({ carries }) => carries === 'payment').length]).toEqual(
        before,
      );
    });

    it('is not asked with --no-input, nor with --pay', async () => {
      const refused = await answered([...PAID, '--no-input'], '');
      expect([refused.code, refused.shown.includes('[y/N]')]).toEqual([1, false]);
      expect(refused.shown).toContain('payment_required');
      const paid = await answered([...PAID, '--pay'], '');
      expect([paid.code, paid.shown.includes('[y/N]')]).toEqual([0, false]);
    });
  },
  { timeout: 60_000 },
);
