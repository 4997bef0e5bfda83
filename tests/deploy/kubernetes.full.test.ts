import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '@asset-gateway/gateway';
import { routes } from '@asset-gateway/protocol';
import { loadAll } from 'js-yaml';
import type { Deployment, StatefulSet } from 'kubernetes-types/apps/v1.js';
import type { ConfigMap, Container, Secret, Service } from 'kubernetes-types/core/v1.js';
import type { NetworkPolicy } from 'kubernetes-types/networking/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import { describe, expect, it } from 'vitest';
import { findProgram } from '../kit/optional.ts';
import { compile } from '../kit/run-code.ts';
import { DOCUMENTED, DRAIN_SECONDS } from './monitoring.ts';

/** A Kubernetes object as it stands in a file. */
interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly [member: string]: unknown;
}

const FOLDER = 'deploy/kubernetes';

/** The module of the API's types, by version. */
const MODULES: Readonly<Record<string, string>> = {
  v1: 'core/v1',
  'apps/v1': 'apps/v1',
  'policy/v1': 'policy/v1',
  'networking.k8s.io/v1': 'networking/v1',
};

/** Every object of the folder that goes to a cluster. */
const readManifests = (): Manifest[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml')
    .flatMap((name) => loadAll(readFileSync(join(FOLDER, name), 'utf8')) as Manifest[]);

const declarationOf = (manifest: Manifest, index: number): string => {
  const type = `import('kubernetes-types/${MODULES[manifest.apiVersion]}.js').${manifest.kind}`;
  return `export const manifest${index}: ${type} = ${JSON.stringify(manifest)};`;
};

/** Whether the compiler refuses each object, checked against the API's types. */
function wronglyTyped(manifests: readonly Manifest[]): boolean[] {
  const output = compile({ 'manifests.ts': manifests.map(declarationOf).join('\n') });
  // The number of the line names the object; a fault of the file itself stands in none.
  const faults = output.split('\n').filter((line) => line !== '' && !line.startsWith(' '));
  if (!faults.every((line) => line.includes('manifests.ts('))) throw new Error(output);
  return manifests.map((_, index) => faults.some((line) => line.includes(`manifests.ts(${index + 1},`)));
}

const manifests = readManifests();
const nameOf = ({ metadata }: Manifest): string => (metadata as { readonly name: string }).name;

function the<Kind>(kind: string, name = 'asset-gateway'): Kind {
  const found = manifests.filter((manifest) => manifest.kind === kind && nameOf(manifest) === name);
  expect(found).toHaveLength(1);
  return found[0] as Kind;
}

const deployment = the<Deployment>('Deployment');
const pod = deployment.spec?.template;
const [container] = (pod?.spec?.containers ?? []) as [Container];
const labels = pod?.metadata?.labels;

describe('the manifests', () => {
  it('fit the types of the API, which would find out others', () => {
    expect(manifests.length).toBeGreaterThan(5);
    const misspelt = structuredClone(deployment) as Manifest & Deployment;
    Object.assign(misspelt.spec?.template.spec?.containers[0]?.securityContext ?? {}, { readOnlyRootFilesytem: true });
    const mistyped = { apiVersion: 'v1', kind: 'ConfigMap', data: { PORT: 8402 } };
    const wrong = [...manifests.map(() => false), true, true];
    expect(wronglyTyped([...manifests, misspelt, mistyped])).toEqual(wrong);
  });

  it('select the pods that the deployment makes', () => {
    const budget = the<PodDisruptionBudget>('PodDisruptionBudget');
    const policy = the<NetworkPolicy>('NetworkPolicy');
    const spread = pod?.spec?.topologySpreadConstraints?.map(({ labelSelector }) => labelSelector?.matchLabels) ?? [];
    const selectors = [
      deployment.spec?.selector.matchLabels,
      the<Service>('Service').spec?.selector,
      budget.spec?.selector?.matchLabels,
      policy.spec?.podSelector.matchLabels,
      ...spread,
    ];
    expect(selectors).toEqual(selectors.map(() => labels));
  });

  it('probe paths and ports of the gateway', () => {
    const { startupProbe, livenessProbe, readinessProbe, ports = [] } = container;
    const probes = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet);
    expect(probes.map((probe) => probe?.port)).toEqual(['http', 'http', 'http']);
    const paths = routes.filter(({ access }) => access === 'public').map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(probes.map((probe) => probe?.path)));
    const numbers = Object.fromEntries(ports.map(({ name, containerPort }) => [name, containerPort]));
    const { METRICS_PORT } = the<ConfigMap>('ConfigMap').data ?? {};
    expect(numbers).toEqual({ http: 8402, metrics: Number(METRICS_PORT) });
    expect(pod?.metadata?.annotations?.['prometheus.io/port']).toBe(METRICS_PORT);
    expect(the<Service>('Service').spec?.ports?.map(({ targetPort }) => targetPort)).toEqual(['http']);
    const ingress = the<NetworkPolicy>('NetworkPolicy').spec?.ingress ?? [];
    expect(ingress.flatMap((rule) => rule.ports?.map(({ port }) => port))).toEqual(Object.values(numbers));
  });

  it('let a node finish open requests', () => {
    const [, seconds] = container.lifecycle?.preStop?.exec?.command ?? [];
    expect(pod?.spec?.terminationGracePeriodSeconds).toBeGreaterThan(Number(seconds) + DRAIN_SECONDS);
  });

  it('never have fewer nodes than are asked for, nor let an eviction take the last one', () => {
    expect(deployment.spec?.replicas).toBeGreaterThanOrEqual(2);
    expect(deployment.spec?.strategy?.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
    expect(the<PodDisruptionBudget>('PodDisruptionBudget').spec?.maxUnavailable).toBe(1);
  });

  it('give a node only the rights that it needs', () => {
    expect(pod?.spec?.automountServiceAccountToken).toBe(false);
    const seccompProfile = { type: 'RuntimeDefault' };
    expect(pod?.spec?.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, seccompProfile });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container.resources?.limits?.memory).toBeDefined();
  });

  it('set known variables to valid values', () => {
    const variables = { ...the<ConfigMap>('ConfigMap').data, ...the<Secret>('Secret').stringData };
    expect(Object.keys(variables).filter((name) => !DOCUMENTED.has(name))).toEqual([]);
    expect(variables.DATABASE_URL).toBeDefined();
    const filledIn = { ...variables, GATEWAY_SECRET: 'x'.repeat(32), TOKENS_API_KEY: 'a-key', HOST: '0.0.0.0' };
    expect(() => readConfig(filledIn)).not.toThrow();
  });
});

describe('PostgreSQL', () => {
  const { spec } = the<StatefulSet>('StatefulSet', 'postgres');
  const [server] = (spec?.template.spec?.containers ?? []) as [Container];
  const { DATABASE_URL } = the<Secret>('Secret').stringData ?? {};
  const url = new URL(DATABASE_URL ?? '');

  it('is reached at DATABASE_URL with its own user, database and password', () => {
    const values = Object.fromEntries(server.env?.map(({ name, value }) => [name, value]) ?? []);
    const { POSTGRES_PASSWORD } = the<Secret>('Secret', 'postgres').stringData ?? {};
    const { username, password, pathname } = url;
    const named = [values.POSTGRES_USER, POSTGRES_PASSWORD, `/${values.POSTGRES_DB}`];
    expect([username, password, pathname]).toEqual(named);
    const service = the<Service>('Service', url.hostname).spec;
    expect(spec?.serviceName).toBe(url.hostname);
    expect(service?.ports?.map(({ port }) => String(port))).toEqual([url.port]);
    const { labels } = spec?.template.metadata ?? {};
    expect([service?.selector, spec?.selector.matchLabels]).toEqual([labels, labels]);
  });

  it('is open to the gateways and nothing else', () => {
    const { podSelector, ingress } = the<NetworkPolicy>('NetworkPolicy', 'postgres').spec ?? {};
    expect(podSelector?.matchLabels).toEqual(spec?.template.metadata?.labels);
    const ports = [{ port: Number(url.port) }];
    expect(ingress).toEqual([{ from: [{ podSelector: { matchLabels: labels } }], ports }]);
    const egress = the<NetworkPolicy>('NetworkPolicy').spec?.egress;
    expect(egress).toContainEqual({ to: [{ podSelector }], ports });
  });

  it('keeps its data on a volume, has only the rights that it needs, and is ready when it answers', () => {
    const [claim] = spec?.volumeClaimTemplates ?? [];
    const mounts = server.volumeMounts ?? [];
    const dataAt = mounts.find(({ name }) => name === claim?.metadata?.name)?.mountPath;
    expect(server.env?.find(({ name }) => name === 'PGDATA')?.value).toMatch(new RegExp(`^${dataAt}/`));
    expect(spec?.template.spec?.securityContext).toMatchObject({ runAsNonRoot: true });
    expect(server.securityContext).toEqual(container.securityContext);
    expect(server.readinessProbe?.exec?.command).toContain('pg_isready');
    const compose = readFileSync('deploy/compose.yaml', 'utf8');
    expect(compose).toContain(`image: ${server.image}\n`);
  });
});

/** The common members of objects. */
interface Built {
  readonly kind: string;
  readonly metadata: { readonly namespace?: string };
}

const kubectl = findProgram('kubectl');

describe.skipIf(!kubectl)('kubectl', () => {
  it('puts all resources into one namespace, without a secret', () => {
    const { stdout, stderr, status } = spawnSync(kubectl ?? '', ['kustomize', 'deploy/kubernetes'], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    const built = loadAll(stdout) as Built[];
    const kinds = manifests.map(({ kind }) => kind).filter((kind) => kind !== 'Secret');
    expect(built.map(({ kind }) => kind).sort()).toEqual(kinds.sort());
    for (const { kind, metadata } of built) {
      if (kind !== 'Namespace') expect(metadata.namespace).toBe('asset-gateway');
    }
  });
});
