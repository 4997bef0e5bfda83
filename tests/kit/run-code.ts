import { pathToFileURL } from 'node:url';
import { node, type Outcome, runCommand } from './command.ts';

/** Runs a block of a page as it stands there, on a machine where `npm start` runs; `leads` say which ports those are in truth. */
export const runCode = (code: string, leads: Readonly<Record<number, number>>): Promise<Outcome> =>
  runCommand(node('--import', pathToFileURL('tests/kit/lead.mjs').href, '--input-type=module', '--eval', code), {
    env: { LEAD: JSON.stringify(leads) },
  });
