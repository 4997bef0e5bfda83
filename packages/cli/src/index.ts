export type { PurchaseStep } from './money/ledger-file.ts';
export { run } from './run.ts';
export type { RunOptions } from './session.ts';
