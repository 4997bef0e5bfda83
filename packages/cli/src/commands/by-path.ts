import { show } from '../answer.ts';
import { absolutePath, readRequest, rowOf } from '../request.ts';
import type { Command } from './command.ts';

/** Whether a word that is no command's name is meant as a path. */
export const isPath = (word: string): boolean => word.includes('/') || rowOf(absolutePath(word)) !== undefined;

/** A request by its path: every route, also those that have no command. */
export const byPath: Command = {
  name: '<path>',
  takes: '[<json body>]',
  summary: 'ask for a path such as assets/solana; a JSON body makes it a POST',
  examples: ['assets/solana', `assets/market-snapshots '{"mints":["…"]}'`],
  request: (words) => readRequest(words),
  run: async ({ words, session }) => show(session, await session.ask(readRequest(words))),
};
