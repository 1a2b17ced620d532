import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Deployment, type IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap, type IConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { type ISecret, Secret } from 'kubernetes-models/v1/Secret';
import { type IService, Service } from 'kubernetes-models/v1/Service';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { parseConfig, VARIABLES } from '@/lib/config/config';
import { readDockerfile, textsOf } from '@/tests/fixtures/dockerfile';

const FOLDER = 'deploy/kubernetes';

const MODELS = {
  ConfigMap: { model: ConfigMap, module: 'v1/ConfigMap' },
  Deployment: { model: Deployment, module: 'apps/v1/Deployment' },
  HorizontalPodAutoscaler: { model: HorizontalPodAutoscaler, module: 'autoscaling/v2/HorizontalPodAutoscaler' },
  PodDisruptionBudget: { model: PodDisruptionBudget, module: 'policy/v1/PodDisruptionBudget' },
  Secret: { model: Secret, module: 'v1/Secret' },
  Service: { model: Service, module: 'v1/Service' },
};
type Kind = keyof typeof MODELS;

interface Manifest {
  apiVersion: string;
  kind: Kind;
  metadata: { name: string };
}

const manifests = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.yaml'))
  .flatMap((name) => parseAllDocuments(readFileSync(join(FOLDER, name), 'utf8')))
  .map((document) => document.toJS() as Manifest);

function find<T>(kind: Kind): T {
  const found = manifests.filter((manifest) => manifest.kind === kind);
  expect([kind, found.length]).toEqual([kind, 1]);
  return found[0] as T;
}

const settings = find<IConfigMap>('ConfigMap').data ?? {};
const secrets = find<ISecret>('Secret').stringData ?? {};
const pod = find<IDeployment>('Deployment').spec!.template.spec!;
const [container] = pod.containers;

describe('the manifests for Kubernetes', () => {
  it('are one of each kind', () => {
    expect(manifests.map(({ kind }) => kind).sort()).toEqual(Object.keys(MODELS).sort());
    expect(new Set(manifests.map(({ metadata }) => metadata.name))).toEqual(new Set(['sluice']));
  });

  it.each(manifests.map((manifest) => [manifest.kind, manifest] as const))(
    '%s is valid by its schema',
    (kind, given) => {
      const { model: Model } = MODELS[kind];
      const { apiVersion, kind: own } = new Model();
      expect([given.apiVersion, given.kind]).toEqual([apiVersion, own]);
      expect(() => new Model(given as object).validate()).not.toThrow();
    },
  );

  it('have no field that Kubernetes ignores', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-kubernetes-'));
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    const lines = manifests.map((manifest) => {
      const type = `import('kubernetes-models/${MODELS[manifest.kind].module}').I${manifest.kind}`;
      return `(${JSON.stringify(manifest)}) satisfies ${type};`;
    });
    writeFileSync(join(folder, 'manifests.ts'), `export {};\n${lines.join('\n')}`);
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'esnext', '--moduleResolution', 'bundler'];
    const { stdout } = spawnSync(resolve('node_modules/.bin/tsc'), [...options, 'manifests.ts'], {
      cwd: folder,
      encoding: 'utf8',
    });
    rmSync(folder, { recursive: true });
    expect(stdout).toBe('');
  });

  it('set only variables of .env.example, with values that Sluice accepts', () => {
    const documented = [...readFileSync('.env.example', 'utf8').matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
    const names = [
      ...Object.keys(settings),
      ...Object.keys(secrets),
      ...(container?.env ?? []).map(({ name }) => name),
    ];
    expect(names.filter((name) => !documented.includes(name) || !VARIABLES.includes(name))).toEqual([]);
    expect(names.length).toBe(new Set(names).size);
    const config = parseConfig({ ...settings, ...secrets, AUTH_SECRET: 'x'.repeat(32) });
    expect(config).toMatchObject({ PORT: container?.ports?.[0]?.containerPort });
    const sources = container?.envFrom?.map(({ configMapRef, secretRef }) => configMapRef?.name ?? secretRef?.name);
    expect(sources).toEqual(['sluice', 'sluice']);
    // Nobody's instance signs with a secret of this repository.
    expect(secrets.AUTH_SECRET).toBe('');
    expect(secrets.SLUICE_ADMIN_PASSWORD).toBe('');
  });

  it('give a stop the time that it takes', () => {
    const drain = Number(settings.SLUICE_DRAIN_SECONDS);
    const { periodSeconds = 10, failureThreshold = 3 } = container?.readinessProbe ?? {};
    expect(drain).toBeGreaterThan(2 * periodSeconds * failureThreshold);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(drain + 5);
  });

  it('probe the paths that exist, through the port that is open', () => {
    const probes = [container?.startupProbe, container?.livenessProbe, container?.readinessProbe];
    expect(probes.map((probe) => probe?.httpGet)).toEqual([
      { path: '/healthz', port: 'http' },
      { path: '/healthz', port: 'http' },
      { path: '/readyz', port: 'http' },
    ]);
    expect(find<IService>('Service').spec?.ports?.map(({ targetPort }) => targetPort)).toEqual(['http']);
    expect(container?.ports?.map(({ name }) => name)).toEqual(['http']);
  });

  it("run as the image's user, and meet the restricted Pod Security Standard", () => {
    const user = textsOf(readDockerfile('Dockerfile').at(-1)!, 'USER')[0];
    const { runAsUser, runAsGroup, runAsNonRoot, seccompProfile } = pod.securityContext ?? {};
    expect(`${runAsUser}:${runAsGroup}`).toBe(user);
    expect([runAsNonRoot, seccompProfile]).toEqual([true, { type: 'RuntimeDefault' }]);
    expect(container?.securityContext).toEqual({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    });
    expect(container?.volumeMounts?.map(({ mountPath }) => mountPath)).toEqual(['/tmp']);
    // A Service named `sluice` would add SLUICE_PORT and others.
    expect(pod.enableServiceLinks).toBe(false);
  });

  it('select the pods that they describe', () => {
    const text = JSON.stringify(find<IDeployment>('Deployment').spec!.template.metadata?.labels);
    const selectors = manifests.flatMap((manifest) =>
      [...JSON.stringify(manifest).matchAll(/"(?:matchLabels|selector)":(\{"app[^}]*\})/g)].map(([, labels]) => labels),
    );
    expect(selectors).toEqual(Array(4).fill(text));
  });
});
