import { withBothDatabases } from '../kit/databases.ts';
import { testKills } from './kills.ts';

withBothDatabases('P7 a gateway that is killed once the answer is stored', (variables) =>
  testKills(['store', 'settle', 'record', 'respond'], () => [1, 0], variables),
);
