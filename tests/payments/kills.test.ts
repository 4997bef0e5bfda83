import { withBothDatabases } from '../kit/databases.ts';
import { testKills } from './kills.ts';

withBothDatabases('P7 a gateway that is killed before the answer is stored', (variables) =>
  testKills(['reserve', 'verify', 'upstream'], (step) => [step === 'upstream' ? 1 : 0, 1], variables),
);
