import { afterAll } from 'vitest';
import { endAll } from './ends.ts';

// Vitest loads this file anew for each file of tests, and the module of the ends once.
afterAll(endAll);
