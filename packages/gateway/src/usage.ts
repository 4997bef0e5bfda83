import { readFileSync } from 'node:fs';

const USAGE = `Usage: asset-gateway
       asset-gateway doctor <url>
       asset-gateway sales
       asset-gateway --version
  Without a word it starts the gateway, which is configured by environment variables alone: docs/configuration.md.
  doctor      looks at any gateway from outside and says what to fix; asset-gateway doctor --help
  sales       says what was sold, and compares the books with the chain; asset-gateway sales --help
  --version   prints the version
`;

/** Where the command writes to. */
interface Output {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return String((manifest as { version?: unknown }).version);
}

/** What the command answers where it starts nothing; the number is its exit code. */
export function explain(word: string, { stdout, stderr }: Output): number {
  if (word === '--help' || word === '-h') stdout.write(USAGE);
  else if (word === '--version') stdout.write(`${version()}\n`);
  else {
    stderr.write(`asset-gateway: there is no command ${JSON.stringify(word)}.\n${USAGE}`);
    return 2;
  }
  return 0;
}
