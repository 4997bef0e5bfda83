import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';

/** The variable with the folders of a run. run.ts sets it. */
export const FOLDERS = 'TEST_FOLDERS';

/** The parent folders of a run. */
export interface Places {
  /** In memory if there is room, because a busy disk delays each transaction. */
  readonly memory: string;
  /** For programs, because some systems start none from memory. */
  readonly disk: string;
  /** Below the repository, where Node and compilers find the packages. */
  readonly repository: string;
}

/** The folders that all files of a run share. */
export const placesOfRun = (): Places => JSON.parse(process.env[FOLDERS] ?? '{}') as Places;

/** A new empty folder. It is removed after the run. */
export const makeFolder = (place: keyof Places = 'memory'): string =>
  mkdtempSync(join(placesOfRun()[place], 'folder-'));
