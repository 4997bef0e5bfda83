import type { JournalEntry } from '../../packages/gateway/src/payments/store/journal.ts';
import { NETWORKS } from '../../packages/protocol/src/index.ts';

/** An entry of a settlement, but for what a test changes of it. */
export const entryOf = (change: Partial<JournalEntry> = {}): JournalEntry => ({
  kind: 'settlement',
  id: `${NETWORKS.mainnet}:${'ab'.repeat(32)}`,
  network: NETWORKS.mainnet,
  wallet: 'FKT3g5Vj8JqAAsMT2oxeiSAzhS6T2vgLPT5mL9wsMuEX',
  micros: 480,
  feeLamports: 10_001,
  transaction: '5'.repeat(88),
  route: 'heliusMainnetGetBalance',
  requestId: 'a-request',
  node: '00112233aabbccdd',
  ...change,
});
