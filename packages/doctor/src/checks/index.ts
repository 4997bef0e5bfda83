import type { Exploration } from '../explore.ts';
import type { Fault } from '../finding.ts';
import { catalog, examples } from './catalog.ts';
import { challenge, probes, resource } from './challenge.ts';
import { documents, liveness, llms, wellKnown } from './documents.ts';
import { answers, caching, cors, nosniff, secrets } from './headers.ts';
import { discovery, openapi } from './openapi.ts';
import { receipts } from './receipts.ts';
import { price, requirements } from './requirements.ts';
import { signIn } from './sign-in.ts';
import { head, preflight, refusals, verbs } from './verbs.ts';

/** All checks of the gathered answers, by name. They send no requests. Only one check reports each fault. */
export const checks: Readonly<Record<string, (exploration: Exploration) => readonly Fault[]>> = {
  answers,
  liveness,
  documents,
  catalog,
  probes,
  challenge,
  resource,
  requirements,
  price,
  'sign-in': signIn,
  discovery,
  examples,
  verbs,
  head,
  preflight,
  cors,
  caching,
  nosniff,
  refusals,
  openapi,
  'well-known': wellKnown,
  llms,
  receipts,
  secrets,
};
