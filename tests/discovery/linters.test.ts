import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../http/ports.ts';
import { suiteOfPackages } from '../kit/packages.ts';
import { startEverything } from './everything.ts';

const PACKAGES = { '@redocly/cli': '2.77.0', '@stoplight/spectral-cli': '6.16.3' };
const ORIGIN = 'https://gateway.test';

/** Runs a program of the folder there, and gives the JSON that it prints. */
async function print(folder: string, program: string, words: readonly string[]): Promise<unknown> {
  const env = { PATH: process.env.PATH, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const child = spawn(join(folder, 'node_modules/.bin', program), words, { cwd: folder, env });
  child.stderr.resume();
  const [printed] = await Promise.all([json(child.stdout), once(child, 'exit')]);
  return printed;
}

/** By its recommended rules, none of them changed: which ones a document breaks, and a fault that breaks one. */
interface Linter {
  readonly name: string;
  broken(folder: string, file: string): Promise<string[]>;
  readonly fault: { readonly rule: string; readonly change: (document: string) => string };
}

const LINTERS: readonly Linter[] = [
  {
    name: 'redocly',
    async broken(folder, file) {
      const words = ['lint', file, '--extends', 'recommended', '--format', 'json'];
      const { problems } = (await print(folder, 'redocly', words)) as { problems: { ruleId: string }[] };
      return problems.map(({ ruleId }) => ruleId);
    },
    fault: {
      rule: 'no-unresolved-refs',
      change: (document) => document.replace('schemas/RpcGetBalanceRequest"', 'schemas/Nothing"'),
    },
  },
  {
    name: 'spectral',
    async broken(folder, file) {
      writeFileSync(join(folder, 'ruleset.json'), JSON.stringify({ extends: ['spectral:oas'] }));
      const words = ['lint', file, '--ruleset', 'ruleset.json', '--format', 'json', '--quiet'];
      return ((await print(folder, 'spectral', words)) as { code: string }[]).map(({ code }) => code);
    },
    fault: { rule: 'array-items', change: (document) => document.replace('"items":{},', '') },
  },
];

await suiteOfPackages('the linters that people run', { '.': { dependencies: PACKAGES } }, (folder) => {
  let document: string;
  beforeAll(async () => {
    const port = await freePort();
    // With a public origin: one linter warns of a document that names this machine, as the one in the repository does.
    const gateway = await startEverything({ GATEWAY_BASE_URL: ORIGIN, PORT: String(port), CREDIT: 'on' });
    document = await (await fetch(`http://127.0.0.1:${port}/openapi.json`)).text();
    await gateway.stop();
  });

  describe.each(LINTERS)('$name', ({ broken, fault }) => {
    it('has nothing to say about the document of everything', async () => {
      expect(document).toContain(`"servers":[{"url":"${ORIGIN}"}]`);
      writeFileSync(join(folder, 'whole.json'), document);
      expect(await broken(folder, 'whole.json')).toEqual([]);
    }, 60_000);

    it(`finds what breaks ${fault.rule}`, async () => {
      const changed = fault.change(document);
      expect(changed).not.toBe(document);
      writeFileSync(join(folder, 'faulty.json'), changed);
      expect(await broken(folder, 'faulty.json')).toContain(fault.rule);
    }, 60_000);
  });
});
