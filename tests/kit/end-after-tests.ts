import { afterAll } from 'vitest';
import { disableStorages } from './async-storage.ts';
import { endAll } from './ends.ts';

// Vitest loads this file anew for each test file, but the modules that it imports only once.
afterAll(async () => {
  await endAll();
  disableStorages();
});
