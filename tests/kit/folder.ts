import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';

/** The variable with the folders of a run, which run.ts makes. */
export const FOLDERS = 'TEST_FOLDERS';

/** Where the folders of a run are. */
export interface Places {
  /** In memory if there is room: a busy disk makes each transaction wait. */
  readonly memory: string;
  /** For programs, which some systems do not start from memory. */
  readonly disk: string;
  /** Below the repository, where Node and compilers find the packages. */
  readonly repository: string;
}

/** The folders that all files of a run share. */
export const placesOfRun = (): Places => JSON.parse(process.env[FOLDERS] ?? '{}') as Places;

/** A new empty folder, which is removed after the run. */
export const makeFolder = (place: keyof Places = 'memory'): string =>
  mkdtempSync(join(placesOfRun()[place], 'folder-'));
