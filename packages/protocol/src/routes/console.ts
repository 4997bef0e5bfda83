import Type from 'typebox';
import type { Route } from '../route.ts';
import { row } from './system.ts';

/** What is there unless an operator leaves the console out: pages for people, which no description of the API names. */
export const consoleRoutes: readonly Route[] = [
  row('index', 'GET /', 'The console for browsers; for everybody else where the documents are.'),
  row('consoleFile', 'GET /console/:file', 'What the console is made of.', {
    path: { file: Type.String({ pattern: '^[A-Za-z0-9_.-]{1,100}$', description: 'The name of a file.' }) },
    example: { path: { file: 'icon.svg' } },
  }),
];
