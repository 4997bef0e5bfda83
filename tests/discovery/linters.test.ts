import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../http/ports.ts';
import { suiteOfPackages } from '../kit/packages.ts';
import { isFull } from '../kit/rounds.ts';
import { startEverything } from './everything.ts';

const REDOCLY = { '@redocly/cli': '2.77.0' };
/** Nine thousand files, so not for every run. */
const SPECTRAL = isFull ? { '@stoplight/spectral-cli': '6.16.3' } : {};
const ORIGIN = 'https://gateway.test';

/** The recommended rules; one is of OpenAPI 3.0, where arrays had no prefixItems, and is held to arrays without them. */
const RULESET = `{
  "extends": ["spectral:oas"],
  "rules": {
    "array-items": {
      "severity": "error",
      "given": "$..[?(@ && @.type=='array' && !@.prefixItems)]",
      "then": { "function": "truthy", "field": "items" }
    }
  }
}`;

/** Runs a program of the folder there, and gives what it prints. */
async function print(folder: string, program: string, words: readonly string[]): Promise<string> {
  const env = { PATH: process.env.PATH, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const child = spawn(join(folder, 'node_modules/.bin', program), words, { cwd: folder, env });
  child.stderr.resume();
  const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return printed;
}

/** A rule that is broken, and in which file. */
interface Broken {
  readonly rule: string;
  readonly file: string;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, unknown>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

/** One path of the document and what it refers to, which is read in a fraction of the time. */
function smallPart(document: string): string {
  const { paths, components, ...others } = JSON.parse(document) as OpenApi;
  const keep = (of: Readonly<Record<string, unknown>>, word: string) =>
    Object.fromEntries(Object.entries(of).filter(([name]) => name.includes(word)));
  const schemas = {
    ...keep(components.schemas, 'RpcGetBalance'),
    ...keep(components.schemas, 'PaymentRequired'),
    ...keep(components.schemas, 'Error'),
  };
  return JSON.stringify({ ...others, paths: keep(paths, 'getBalance'), components: { ...components, schemas } });
}

/** By its recommended rules: which ones documents break, and a fault that breaks one. */
interface Linter {
  readonly name: string;
  broken(folder: string, files: readonly string[]): Promise<Broken[]>;
  readonly fault: { readonly rule: string; readonly change: (document: string) => string };
}

interface RedoclyReport {
  readonly problems: readonly { readonly ruleId: string; readonly location: readonly { source: { ref: string } }[] }[];
}

const LINTERS: readonly Linter[] = [
  {
    name: 'redocly',
    async broken(folder, files) {
      const words = ['lint', ...files, '--extends', 'recommended', '--format', 'json'];
      // One report follows the other.
      const reports = (await print(folder, 'redocly', words)).split(/(?<=^\})(?=\{$)/m);
      expect(reports).toHaveLength(files.length);
      return reports
        .flatMap((report) => (JSON.parse(report) as RedoclyReport).problems)
        .map(({ ruleId, location }) => ({ rule: ruleId, file: basename(location[0]?.source.ref ?? '') }));
    },
    fault: {
      rule: 'no-unresolved-refs',
      change: (document) => document.replace('schemas/RpcGetBalanceRequest"', 'schemas/Nothing"'),
    },
  },
  {
    name: 'spectral',
    async broken(folder, files) {
      writeFileSync(join(folder, 'ruleset.json'), RULESET);
      const words = ['lint', ...files, '--ruleset', 'ruleset.json', '--format', 'json', '--quiet'];
      const problems = JSON.parse(await print(folder, 'spectral', words)) as { code: string; source: string }[];
      return problems.map(({ code, source }) => ({ rule: code, file: basename(source) }));
    },
    fault: { rule: 'array-items', change: (document) => document.replace('"items":', '"x-items":') },
  },
];

await suiteOfPackages(
  'the linters that people run',
  { '.': { dependencies: { ...REDOCLY, ...SPECTRAL } } },
  (folder) => {
    let document: string;
    beforeAll(async () => {
      const port = await freePort();
      // With a public origin: one linter warns of a document that names this machine, as the one in the repository does.
      const gateway = await startEverything({ GATEWAY_BASE_URL: ORIGIN, PORT: String(port), CREDIT: 'on' });
      document = await (await fetch(`http://127.0.0.1:${port}/openapi.json`)).text();
      await gateway.stop();
    });

    describe.each(isFull ? LINTERS : LINTERS.slice(0, 1))('$name', ({ broken, fault }) => {
      let problems: Broken[];
      beforeAll(async () => {
        const small = smallPart(document);
        const changed = fault.change(small);
        expect(changed).not.toBe(small);
        writeFileSync(join(folder, 'whole.json'), document);
        writeFileSync(join(folder, 'faulty.json'), changed);
        problems = await broken(folder, ['whole.json', 'faulty.json']);
      }, 60_000);
      const rulesBrokenIn = (name: string) => problems.filter(({ file }) => file === name).map(({ rule }) => rule);

      it('has nothing to say about the document of everything', () => {
        expect(document).toContain(`"servers":[{"url":"${ORIGIN}"}]`);
        expect(rulesBrokenIn('whole.json')).toEqual([]);
      });

      it(`finds what breaks ${fault.rule}`, () => {
        expect(rulesBrokenIn('faulty.json')).toContain(fault.rule);
      });
    });
  },
);
