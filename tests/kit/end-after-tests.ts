import { afterAll } from 'vitest';
import { endAll } from './ends.ts';

// Vitest loads this file anew for each test file, but the module of the ends only once.
afterAll(endAll);
