export { doctor } from './command.ts';
export { type Diagnosis, examine } from './examine.ts';
