import type { Access } from '@asset-gateway/protocol';
import type { Store } from '../budget/store.ts';
import type { Gate } from '../gates/gate.ts';
import type { Payments } from '../payments/payments.ts';
import type { Database, Statement } from '../stores/sql/database.ts';
import type { SpanNames } from '../traces/tracing.ts';

/** The table that a statement names first. A span never has a statement's values. */
const tableOf = ({ sql }: Statement): string => /\b(?:from|into|update) (\w+)/i.exec(sql)?.[1] ?? 'settings';

export const DATABASE_SPANS: SpanNames<Database> = {
  read: (statement) => `read ${tableOf(statement)}`,
  report: (statement) => `read ${tableOf(statement)}`,
  write: ({ guard }) => `write ${tableOf(guard)}`,
};

export const STORE_SPANS: SpanNames<Store> = { admit: 'take slot', burn: 'use nonce' };

/** The steps of a purchase that the database records. */
export const PAYMENT_SPANS: SpanNames<Payments> = {
  reserve: 'reserve',
  settling: 'begin settlement',
  resolve: 'record',
};

export const GATE_SPANS: Readonly<Record<Access, SpanNames<Gate>>> = {
  public: {},
  siwx: { admit: 'sign-in' },
  exact: { admit: 'payment' },
};
