import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { inTerminal, node, type Outcome, runCommand, startCommand } from '../kit/command.ts';
import { suiteWith } from '../kit/optional.ts';
import { isFull } from '../kit/rounds.ts';
import { DEFAULT_PRICES } from '../kit/test-gateway.ts';
import { MAIN, openFixture, PROGRAM, SOL, WALLET } from './fixture.ts';

const PAGES = ['docs/cli.md', 'tests/cli/pictures.md'];
/** A picture: the width of its terminal, the command and its output. */
const PICTURE = /^```text (\d+)\n\$ asset-gateway-client (.+)\n[\s\S]*?^```$/gm;
const [GREEN, RED] = ['\u001B[32m', '\u001B[31m'];
const GLYPH = /^[╷╻╵│╽╹╿┃]/u;

const fixture = await openFixture(DEFAULT_PRICES);

suiteWith(
  'script',
  'at a terminal',
  (script) => {
    const environment = (env: NodeJS.ProcessEnv) => ({
      ...fixture.environment(fixture.newHome()),
      SHELL: '/bin/sh',
      ...env,
    });

    /** Runs several commands in a terminal with this many columns, in one process. */
    async function seenAll(columns: number, given: readonly { typed: string; env: NodeJS.ProcessEnv }[]) {
      const all = given.map(({ typed, env }) => ({ typed, env: environment(env) }));
      const command = node(PROGRAM, 'type', JSON.stringify(all));
      const words = ['sh', '-c', `stty cols ${columns}; exec "$@" 2>/dev/null`, 'sh', ...command];
      const { stdout } = await runCommand(inTerminal(script, words), { env: environment({}) });
      const parts = stdout.replaceAll('\r\n', '\n').split('\f');
      return given.map((_, at) => ({ stdout: parts[2 * at] ?? '', code: Number(parts[2 * at + 1]) }));
    }

    // Redraw the pictures with: npm test -- tests/cli/pictures.full.test.ts --update
    it.each(PAGES)('the pictures of %s are current, and no line is wider than its terminal', async (path) => {
      const page = readFileSync(path, 'utf8');
      const pictures = [...page.matchAll(PICTURE)];
      expect(pictures.length).toBeGreaterThan(1);
      const drawn = new Map<string, string>();
      for (const width of new Set(pictures.map(([, columns]) => Number(columns)))) {
        const ofWidth = pictures.filter(([, columns]) => Number(columns) === width);
        const commands = ofWidth.map(([, , typed = '']) => ({ typed, env: { NO_COLOR: '1' } }));
        const answers = await seenAll(width, commands);
        for (const [at, [picture, columns, typed]] of ofWidth.entries()) {
          const { code, stdout = '' } = answers[at] ?? {};
          expect([typed, code]).toEqual([typed, 0]);
          expect(Math.max(...stdout.split('\n').map((line) => [...line].length))).toBeLessThanOrEqual(width);
          drawn.set(picture, `\`\`\`text ${columns}\n$ asset-gateway-client ${typed}\n${stdout}\`\`\``);
        }
      }
      const redrawn = page.replace(PICTURE, (picture) => drawn.get(picture) ?? picture);
      await expect(redrawn).toMatchFileSnapshot(`../../${path}`);
    });

    it('candles are coloured unless disabled, answers have no control characters, and --json prints every byte', async () => {
      fixture.proxy.alter = ({ target, body }) =>
        target.includes('search') ? { body: body.replace('"Gold"', '"G\\u001b[2Jold\\u009b2J"') } : undefined;
      const typed = 'chart solana --interval 1D';
      const [coloured, withoutColour, dumb, forced, search, risk] = await seenAll(80, [
        { typed, env: { TERM: 'xterm' } },
        { typed, env: { TERM: 'xterm', NO_COLOR: '1' } },
        { typed, env: { TERM: 'dumb' } },
        { typed, env: { TERM: 'dumb', FORCE_COLOR: '1' } },
        { typed: 'search gold', env: { NO_COLOR: '1' } },
        { typed: `risk ${SOL} --json`, env: { FORCE_COLOR: '1' } },
      ]);
      for (const colour of [GREEN, RED])
        expect(coloured?.stdout.split(colour).some((after) => GLYPH.test(after))).toBe(true);
      for (const plain of [withoutColour, dumb]) {
        expect(plain?.stdout).toContain('│');
        expect(plain?.stdout).not.toContain('\u001B');
      }
      expect(forced?.stdout).toContain(GREEN);
      expect(search?.stdout).toContain('G[2Jold2J');
      for (const control of ['\u001B', '\u009B']) expect(search?.stdout).not.toContain(control);
      expect(risk?.stdout).toBe(fixture.proxy.exchanges.at(-1)?.body);
    });

    /** Runs a process for a user who gives these answers to its questions. */
    function answered(command: readonly string[], ...answers: string[]): Promise<Outcome> {
      const options = { env: environment({ TERM: 'xterm' }), stdin: 'pipe' } as const;
      const { child, stdout, ended } = startCommand(inTerminal(script, command), options);
      let asked = 0;
      child.stdout?.on('data', () => {
        for (; asked < stdout().split('[y/N]').length - 1; asked++) child.stdin?.write(answers[asked] ?? '');
      });
      return ended;
    }

    const PAID = `balances ${WALLET}`;
    const counts = () => [fixture.transfers(), fixture.payments()];

    it.each(isFull ? ['\u0003', '\u0004'] : ['\u0003'])('pays nothing with %j', async (answer) => {
      const before = counts();
      const { code, stdout } = await answered(node(MAIN, ...PAID.split(' ')), answer);
      expect(code).not.toBe(0);
      expect(stdout).not.toContain('paying');
      expect(counts()).toEqual(before);
    });

    it('pays with yes and nothing with any other answer, and is not asked with --no-input or --pay', async () => {
      const [paid, sent] = counts();
      const env = { PATH: process.env.PATH, ...environment({ TERM: 'xterm' }) };
      const commands = ['', '', '', '', ' --no-input', ' --pay'].map((option) => ({ typed: PAID + option, env }));
      const command = node(PROGRAM, 'type', JSON.stringify(commands));
      const { stdout } = await answered(command, 'n\r', '\r', 'yes please\r', 'y\r');
      const parts = stdout.split('\f');
      expect(stdout.split('[y/N]')).toHaveLength(5);
      expect(parts.filter((_, at) => at % 2 === 1)).toEqual(['1', '1', '1', '0', '1', '0']);
      expect(parts.slice(0, 6).join('')).not.toContain('paying');
      expect(parts[6]).toMatch(
        /Pay \$0\.0045 in play money on the sandbox's Solana mainnet to \w+\? \[y\/N\][\s\S]*TOKEN {2}BALANCE/,
      );
      expect(parts[8]).toContain('payment_required');
      expect(counts()).toEqual([Number(paid) + 2, Number(sent) + 2]);
    });
  },
  { timeout: 120_000 },
);
