import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

/** The outcome of a run. */
export interface Run {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a block of a page as it stands there, on a machine where `npm start` runs; `leads` say which ports those are in truth. */
export async function runCode(code: string, leads: Readonly<Record<number, number>>): Promise<Run> {
  const words = ['--import', pathToFileURL('tests/kit/lead.mjs').href, '--input-type=module', '--eval', code];
  const env = { PATH: process.env.PATH, LEAD: JSON.stringify(leads) };
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { status: status as number, stdout, stderr };
}
