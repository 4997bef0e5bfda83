import { readFileSync } from 'node:fs';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';

/** The document in a YAML file, whose mappings may merge others (`<<`). */
export const readYaml = <T>(path: string): T =>
  load(readFileSync(path, 'utf8'), { schema: CORE_SCHEMA.withTags(mergeTag) }) as T;
