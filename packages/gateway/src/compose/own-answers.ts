import { catalog } from '../describe/catalog.ts';
import { document } from '../describe/document.ts';
import { llmsText } from '../describe/llms.ts';
import { openApi } from '../describe/openapi.ts';
import { ownRoute, type Service } from '../describe/service.ts';
import { wellKnown } from '../describe/well-known.ts';
import type { OriginOf } from '../gates/origin.ts';
import type { ReceiptIssuer } from '../receipts/issuer.ts';
import type { OwnAnswer } from '../upstreams/self.ts';

/** Makes a thing when it is first asked for, and keeps it; its keys are few and known. */
function kept<K, V>(make: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>();
  return (key) => {
    const thing = made.get(key) ?? make(key);
    made.set(key, thing);
    return thing;
  };
}

/** By the row's method. */
export type OwnAnswers = Readonly<Record<string, OwnAnswer>>;

/** The gateway's own answers: views of the enabled routes, for each origin that they name. */
export function ownAnswers(service: Service, originOf: OriginOf, receipts: ReceiptIssuer | undefined): OwnAnswers {
  const answerOf = (method: string, text: string) => document(text, ownRoute(service, method).maxAgeSeconds ?? 0);
  const catalogOf = kept((provider: string | undefined) => {
    return answerOf('catalog', JSON.stringify(catalog(service, provider)));
  });
  const atOrigin = (method: string, view: (service: Service, origin: string) => string): OwnAnswer => {
    const viewFrom = kept((origin: string) => answerOf(method, view(service, origin)));
    return ({ arrival }) => viewFrom(originOf(arrival));
  };
  const liveness = { json: JSON.stringify({ ok: true, service: service.name, status: 'healthy' }) };
  return {
    liveness: () => liveness,
    catalog: ({ input }) => catalogOf(input.query.provider === undefined ? undefined : String(input.query.provider)),
    openapi: atOrigin('openapi', (...parts) => JSON.stringify(openApi(...parts))),
    wellKnown: atOrigin('wellKnown', (...parts) => JSON.stringify(wellKnown(...parts))),
    llms: atOrigin('llms', llmsText),
    ...(receipts && { didDocument: atOrigin('didDocument', (_, origin) => receipts.didDocument(origin)) }),
  };
}
