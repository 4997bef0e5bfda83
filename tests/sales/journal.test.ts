import { readFileSync } from 'node:fs';
import Connection from 'libsql';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Row } from '../../packages/gateway/src/stores/sql/database.ts';
import {
  grant,
  HOLDER,
  type Ledger,
  newDebit,
  newPayment,
  newPurchase,
  onBothDatabases,
  openPostgresLedger,
  REFUSED,
  requirementOf,
  settle,
  signatureOf,
  startSettling,
} from '../kit/ledger.ts';
import { askPostgres, openPostgresDatabase, postgresSuite } from '../kit/postgres.ts';
