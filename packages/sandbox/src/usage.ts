const USAGE = `Usage: asset-gateway-sandbox
  Starts the gateway on http://localhost:8402, with an offline sandbox for every upstream that has no key. Takes PORT and, for
  the sandbox's chains, the two ports after it. It is configured by environment variables alone. Ctrl+C stops it.
`;

/** Where the command writes to. */
interface Output {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/** Answers a word after the command, which starts nothing then; the number is its exit code. */
export function explain(word: string, { stdout, stderr }: Output): number {
  if (word === '--help' || word === '-h') {
    stdout.write(USAGE);
    return 0;
  }
  stderr.write(`asset-gateway-sandbox: there is no command ${JSON.stringify(word)}.\n${USAGE}`);
  return 2;
}
