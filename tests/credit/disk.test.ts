import { fdatasync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  grant,
  HOLDER,
  type Ledger,
  landed,
  newDebit,
  newPurchase,
  openSqliteLedger,
  startSettling,
} from '../kit/ledger.ts';
