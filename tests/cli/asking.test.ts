import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { inTerminal, node } from '../kit/command.ts';
import { suiteWith } from '../kit/optional.ts';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { MAIN, openFixture, WALLET } from './fixture.ts';

const fixture = await stopAfterTests(openFixture());

suiteWith(
  'script',
  'a user at a terminal',
  (script) => {
    /** Runs a process for a user who gives these answers to its questions. */
    async function answered(
      command: readonly string[],
      ...answers: string[]
    ): Promise<{ code: number; shown: string }> {
      const [program = '', ...rest] = inTerminal(script, command);
      const env = {
        PATH: process.env.PATH,
        SHELL: '/bin/sh',
        TERM: 'xterm',
        ...fixture.environment(fixture.newHome()),
      };
      const child = spawn(program, rest, { env, stdio: ['pipe', 'pipe', 'inherit'] });
      let shown = '';
      let asked = 0;
      child.stdout.on('data', (chunk: Buffer) => {
        shown += chunk.toString();
        for (; asked < shown.split('[y/N]').length - 1; asked++) child.stdin.write(answers[asked] ?? '');
      });
      const [code] = (await once(child, 'close')) as [number];
      return { code, shown };
    }

    /** A command in a process of its own. */
    const own = (...words: string[]): string[] => node(MAIN, ...words);

    /** Several commands in one process, to save the start of each. */
    function together(commands: readonly (readonly string[])[]): string[] {
      const env = { PATH: process.env.PATH, TERM: 'xterm', ...fixture.environment(fixture.newHome()) };
      return node('tests/cli/typing.mjs', JSON.stringify(commands.map((words) => ({ typed: words.join(' '), env }))));
    }

    const PAID = ['balances', WALLET];

    it('confirms a payment with yes', async () => {
      const before = fixture.transfers();
      const { code, shown } = await answered(own(...PAID), 'y\r');
      expect([code, fixture.transfers() - before], shown).toEqual([0, 1]);
      expect(shown).toMatch(/Pay \$0\.0005 on solana:\w+ to \w+\? \[y\/N\]/);
      expect(shown).toContain('TOKEN  BALANCE');
    });

    const counts = () => [fixture.transfers(), fixture.payments()];

    it.each(['\u0003', '\u0004'])('pays nothing with %j', async (answer) => {
      const before = counts();
      const { code, shown } = await answered(own(...PAID), answer);
      expect(code).not.toBe(0);
      expect(shown).not.toContain('paying');
      expect(counts()).toEqual(before);
    });

    it('pays nothing with any other answer than yes, and is not asked with --no-input or --pay', async () => {
      const [paid, sent] = counts();
      const commands = [PAID, PAID, PAID, [...PAID, '--no-input'], [...PAID, '--pay']];
      const { shown } = await answered(together(commands), 'n\r', '\r', 'yes please\r');
      const [none = '', , , , , , , refused] = shown.split('\f');
      expect(shown.split('[y/N]')).toHaveLength(4);
      expect(shown.split('\f').filter((_, at) => at % 2 === 1)).toEqual(['1', '1', '1', '1', '0']);
      expect(none).not.toContain('paying');
      expect(refused).toContain('payment_required');
      expect(counts()).toEqual([Number(paid) + 1, Number(sent) + 1]);
    });
  },
  { timeout: 60_000 },
);
