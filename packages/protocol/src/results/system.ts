import type { ResultShape } from '../route.ts';
import { always, object, string } from './fields.ts';

/** The whole body, since the gateway's own routes have no envelope: that the process is alive. */
export const liveness: ResultShape = {
  schema: object({ ok: always(true), service: string('Name of this gateway.'), status: always('healthy') }),
  example: { ok: true, service: 'asset-gateway', status: 'healthy' },
};
