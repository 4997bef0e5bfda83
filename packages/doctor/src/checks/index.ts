import type { Check } from '../finding.ts';
import { catalogCheck } from './catalog.ts';
import { challengeCheck, probesCheck, resourceCheck } from './challenge.ts';
import { discoveryCheck } from './discovery.ts';
import { documentsCheck, livenessCheck } from './documents.ts';
import { examplesCheck } from './examples.ts';
import { answersCheck, cachingCheck, corsCheck, nosniffCheck, secretsCheck } from './headers.ts';
import { llmsCheck, wellKnownCheck } from './indexes.ts';
import { openApiCheck } from './openapi.ts';
import { preflightCheck } from './preflight.ts';
import { receiptsCheck } from './receipts.ts';
import { priceCheck, requirementsCheck } from './requirements.ts';
import { signInCheck } from './sign-in.ts';
import { headCheck, refusalsCheck, verbsCheck } from './verbs.ts';

/** All checks. Each fault of a gateway belongs to one of them. */
export const checks: readonly Check[] = [
  answersCheck,
  livenessCheck,
  documentsCheck,
  catalogCheck,
  probesCheck,
  challengeCheck,
  resourceCheck,
  requirementsCheck,
  priceCheck,
  signInCheck,
  discoveryCheck,
  examplesCheck,
  verbsCheck,
  headCheck,
  preflightCheck,
  corsCheck,
  cachingCheck,
  nosniffCheck,
  refusalsCheck,
  openApiCheck,
  wellKnownCheck,
  llmsCheck,
  receiptsCheck,
  secretsCheck,
];
