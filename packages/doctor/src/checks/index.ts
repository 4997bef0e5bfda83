import type { Check } from '../finding.ts';
import { catalogCheck, examplesCheck } from './catalog.ts';
import { challengeCheck, probesCheck, resourceCheck } from './challenge.ts';
import { documentsCheck, livenessCheck, llmsCheck, wellKnownCheck } from './documents.ts';
import { answersCheck, cachingCheck, corsCheck, nosniffCheck, secretsCheck } from './headers.ts';
import { discoveryCheck, openApiCheck } from './openapi.ts';
import { receiptsCheck } from './receipts.ts';
import { priceCheck, requirementsCheck } from './requirements.ts';
import { signInCheck } from './sign-in.ts';
import { headCheck, preflightCheck, refusalsCheck, verbsCheck } from './verbs.ts';

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
