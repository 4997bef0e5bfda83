import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inTerminal, node, type Outcome, runCommand } from '../kit/command.ts';
import { suiteWith } from '../kit/optional.ts';
import { MAIN, openShop, type Shop, SOL } from './shop.ts';

const PAGE = 'docs/cli.md';
/** A picture: how wide its terminal is, what was typed there, and what was seen. */
const PICTURE = /^```text (\d+)\n\$ asset-gateway-client (.+)\n[\s\S]*?^```$/gm;
const [GREEN, RED] = ['\u001B[32m', '\u001B[31m'];
const GLYPH = /^[╷╻╵│╽╹╿┃]/u;

suiteWith(
  'script',
  'at a terminal',
  (script) => {
    let shop: Shop;
    beforeAll(async () => {
      shop = await openShop();
    });
    afterAll(() => shop.close());

    /** Runs a command in a terminal of so many columns, where only what it says on its standard output is seen. */
    async function seen(columns: number, typed: string, env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
      const command = [...node(MAIN), typed].join(' ');
      const words = inTerminal(script, ['sh', '-c', `stty cols ${columns}; exec ${command} 2>/dev/null`]);
      const outcome = await runCommand(words, {
        env: { ...shop.environment(shop.newHome()), SHELL: '/bin/sh', ...env },
      });
      return { ...outcome, stdout: outcome.stdout.replaceAll('\r\n', '\n') };
    }

    // What a change is meant to change is drawn anew with: npm test -- tests/cli/pictures.test.ts --update
    it('the pictures of the page are what is seen, and no line is wider than its terminal', async () => {
      const page = readFileSync(PAGE, 'utf8');
      const pictures = [...page.matchAll(PICTURE)];
      expect(pictures.length).toBeGreaterThan(9);
      const drawn = new Map<string, string>();
      for (const [picture, columns, typed = ''] of pictures) {
        const { code, stdout } = await seen(Number(columns), typed, { NO_COLOR: '1' });
        expect([typed, code]).toEqual([typed, 0]);
        const widest = Math.max(...stdout.split('\n').map((line) => [...line].length));
        expect(widest).toBeLessThanOrEqual(Number(columns));
        drawn.set(picture, `\`\`\`text ${columns}\n$ asset-gateway-client ${typed}\n${stdout}\`\`\``);
      }
      const redrawn = page.replace(PICTURE, (picture) => drawn.get(picture) ?? picture);
      await expect(redrawn).toMatchFileSnapshot(`../../${PAGE}`);
    });

    it('candles that rise and fall are coloured, unless the terminal or the user has none of it', async () => {
      const [chart, plain] = ['chart solana --interval 1D', { TERM: 'xterm' }];
      const { stdout } = await seen(80, chart, plain);
      for (const colour of [GREEN, RED]) expect(stdout.split(colour).some((after) => GLYPH.test(after))).toBe(true);
      for (const env of [{ ...plain, NO_COLOR: '1' }, { TERM: 'dumb' }]) {
        expect((await seen(80, chart, env)).stdout).not.toContain('\u001B');
      }
      expect((await seen(80, chart, { TERM: 'dumb', FORCE_COLOR: '1' })).stdout).toContain(GREEN);
    });

    it('--json is the answer byte for byte, as in a pipe', async () => {
      const { stdout } = await seen(80, `risk ${SOL} --json`, { FORCE_COLOR: '1' });
      expect(Buffer.from(stdout).equals(shop.passage.passed.at(-1)?.body ?? Buffer.alloc(0))).toBe(true);
    });

    it('what strangers have written moves nothing there', async () => {
      shop.passage.hooks.after = ({ body }) => ({
        body: Buffer.from(body.toString().replace('"Gold"', '"G\\u001b[2Jold\\u009b2J"')),
      });
      const { stdout } = await seen(80, 'search gold', { NO_COLOR: '1' });
      delete shop.passage.hooks.after;
      expect(stdout).toContain('G\ufffd[2Jold\ufffd2J');
      for (const control of ['\u001B', '\u009B']) expect(stdout).not.toContain(control);
    });
  },
  { timeout: 120_000 },
);
