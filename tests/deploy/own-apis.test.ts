import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readYaml } from '../kit/yaml.ts';

const read = (path: string): string => readFileSync(`deploy/${path}`, 'utf8');
/** The folder of the file that an example names. */
const folderIn = (text: string): string => dirname(/(\/\S+\/apis\.yaml)/.exec(text)?.[1] ?? '');

interface Composed {
  readonly services: Readonly<Record<string, { readonly volumes: readonly string[] }>>;
}

interface Deployment {
  readonly spec: {
    readonly template: {
      readonly spec: { readonly containers: readonly [{ readonly volumeMounts: unknown }]; readonly volumes: unknown };
    };
  };
}

describe('an own API is deployed', () => {
  it('with Compose from a folder that each gateway reads and cannot change', () => {
    const { services } = readYaml<Composed>('deploy/compose.yaml');
    const folder = folderIn(read('gateway.env.example'));
    expect(folder).toBe('/apis');
    for (const name of ['gateway-a', 'gateway-b']) expect(services[name]?.volumes).toEqual([`./apis:${folder}:ro`]);
  });

  it('on Kubernetes from a ConfigMap that may be absent, and which no pod can change', () => {
    const { spec } = readYaml<Deployment>('deploy/kubernetes/deployment.yaml').spec.template;
    const [{ volumeMounts }] = spec.containers;
    expect(volumeMounts).toEqual([
      { name: 'apis', mountPath: folderIn(read('kubernetes/config.yaml')), readOnly: true },
    ]);
    expect(spec.volumes).toEqual([{ name: 'apis', configMap: { name: 'asset-gateway-apis', optional: true } }]);
  });
});
