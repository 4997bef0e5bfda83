import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../http/ports.ts';
import { type Command, startCommand } from '../kit/command.ts';
import { type Installation, suiteWithInstallation } from '../kit/packages.ts';
import { installPacked } from './packed.ts';

let installation: Installation;

await suiteWithInstallation(
  'the sandbox, installed into an empty folder,',
  async (folder) => {
    installation = await installPacked(folder, { ours: ['sandbox', 'gateway', 'console', 'doctor', 'protocol'] });
    return installation;
  },
  (folder) => {
    let sandbox: Command;
    beforeAll(async () => {
      const env = { PORT: String(await freePort()), DATA_DIR: join(folder, 'data') };
      sandbox = startCommand([join(folder, 'node_modules/.bin/asset-gateway-sandbox')], { cwd: folder, env });
    });
    afterAll(async () => {
      sandbox.child.kill();
      await sandbox.ended;
    });

    it('has no package that refuses this Node', () => {
      expect(installation.code).toBe(0);
      expect(installation.stderr).not.toContain('EBADENGINE');
    });

    it('starts with its chains', async () => {
      const isUp = () => /Asset gateway listening on .*a real SVM with play money/s.test(sandbox.stdout());
      await expect.poll(isUp, { timeout: 20_000 }).toBe(true);
    });
  },
  { isOfReleases: true },
);
