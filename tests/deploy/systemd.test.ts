import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '@asset-gateway/gateway';
import { afterAll, describe, expect, it } from 'vitest';
import { makeFolder } from '../kit/folder.ts';
import { findProgram } from '../kit/optional.ts';
import { DOCUMENTED, DRAIN_SECONDS } from './variables.ts';

const UNIT = 'deploy/systemd/asset-gateway.service';
const text = readFileSync(UNIT, 'utf8');

/** The values of a setting in the unit. */
const valuesOf = (name: string): string[] =>
  [...text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);

describe('the systemd unit', () => {
  it('starts the program that there is', () => {
    const [program = '', script = ''] = valuesOf('ExecStart')[0]?.split(' ') ?? [];
    expect(program).toBe('/usr/bin/node');
    expect(script).toMatch(/^\/opt\/asset-gateway\/packages\/gateway\/bin\/main\.js$/);
    expect(existsSync('packages/gateway/src/main.ts')).toBe(true);
  });

  it('keeps what is stored, lets a node finish open requests, and starts it again when it fails', () => {
    expect(valuesOf('StateDirectory')).toEqual(['asset-gateway']);
    expect(DRAIN_SECONDS).toBeGreaterThan(0);
    expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThan(DRAIN_SECONDS);
    expect([valuesOf('Restart'), valuesOf('KillSignal')]).toEqual([['on-failure'], []]);
  });

  it('gives variables that the gateway knows, in values that it takes', () => {
    const pairs = [...text.matchAll(/^#?Environment=(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]);
    const names = pairs.map(([name]) => name);
    expect(names.filter((name) => name !== 'NODE_ENV')).toEqual(['DATA_DIR', 'FEE_PAYER_KEYPAIR']);
    expect(names.filter((name) => name !== 'NODE_ENV' && !DOCUMENTED.has(name ?? ''))).toEqual([]);
    expect(readConfig({ TOKENS_API_KEY: 'k', DATA_DIR: '/var/lib/asset-gateway' }).notices).toEqual([]);
  });
});

const analyze = findProgram('systemd-analyze');

describe.skipIf(!analyze)(
  `the systemd unit, by systemd itself${analyze ? '' : ' (skipped: no systemd-analyze here)'}`,
  () => {
    const folder = makeFolder();
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    /** Runs it on the unit for this machine, which has another Node, with a change. */
    function analyzed(words: readonly string[], from = '', to = '') {
      const path = join(folder, 'asset-gateway.service');
      writeFileSync(path, text.replace('/usr/bin/node', process.execPath).replace(from, to));
      return spawnSync(analyze ?? '', [...words, path], { encoding: 'utf8' });
    }

    it('is a unit without a word that it does not know', () => {
      const words = ['verify', '--man=no'];
      expect(analyzed(words)).toMatchObject({ status: 0, stderr: '' });
      const misspelt = analyzed(words, 'ProtectHome=', 'ProtectHomes=');
      expect(misspelt.stderr).toMatch(/Unknown key(?: name)? 'ProtectHomes'/);
    });

    it('confines the service', () => {
      const words = ['security', '--offline=yes', '--no-pager', '--threshold=15'];
      expect(analyzed(words).status).toBe(0);
      expect(analyzed(words, 'SystemCallFilter=@system-service @pkey').status).not.toBe(0);
    });
  },
);
