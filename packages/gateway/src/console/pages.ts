import { consoleRoutes, JSON_MEDIA_TYPE, Refusal } from '@asset-gateway/protocol';
import type { Answer } from '../call.ts';
import type { OwnAnswer, OwnRoute } from '../upstreams/self.ts';
import { type ConsoleFiles, lists } from './files.ts';

const PAGE = 'index.html';

/** The rows of the console: the page, its files and what it sees of the chain; for whoever wants no page the index, as JSON. */
export function consolePages(files: ConsoleFiles, index: string, chain: OwnAnswer): OwnRoute[] {
  const asJson: Answer = { json: index, headers: { 'Content-Type': JSON_MEDIA_TYPE, Vary: 'Accept' } };
  const answers: Readonly<Record<string, OwnAnswer>> = {
    index: ({ arrival }) => (lists(arrival.headers?.accept, 'text/html') && files.page(PAGE, arrival)) || asJson,
    chain,
    consoleFile({ input, arrival }) {
      const file = files.part(String(input.path.file), arrival);
      if (!file) throw new Refusal('not_found', { reason: 'no file of the console' });
      return file;
    },
  };
  return consoleRoutes.flatMap((route) => {
    const answer = answers[route.method];
    return answer ? [{ route, answer }] : [];
  });
}
