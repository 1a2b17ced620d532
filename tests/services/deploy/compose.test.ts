import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { VARIABLES } from '@/lib/config/config';

/** A length of time as Compose writes it: `200ms`, `15s`, `1m30s`. */
const duration = z.string().regex(/^(\d+(us|ms|s|m|h))+$/);
const logging = z.strictObject({ driver: z.string(), options: z.record(z.string(), z.string()) });

/** The members that compose.yaml uses, as https://docs.docker.com/reference/compose-file/services/ has them. */
const Service = z.strictObject({
  image: z.string(),
  build: z.string().optional(),
  pull_policy: z.literal('never').optional(),
  profiles: z.array(z.string()).min(1),
  restart: z.enum(['no', 'always', 'on-failure', 'unless-stopped']),
  command: z.array(z.string()).optional(),
  env_file: z.array(z.strictObject({ path: z.string(), required: z.boolean() })).optional(),
  environment: z.record(z.string(), z.string()).optional(),
  // Only this machine: what stands before Sluice on the network is somebody's decision.
  ports: z.array(z.string().regex(/^127\.0\.0\.1:\d+:\d+$/)).optional(),
  volumes: z.array(z.string().regex(/^[\w./-]+:\/[\w./-]+(:ro)?$/)).optional(),
  read_only: z.boolean().optional(),
  tmpfs: z.array(z.string()).optional(),
  cap_drop: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  stop_grace_period: duration.optional(),
  logging,
  depends_on: z
    .record(
      z.string(),
      z.strictObject({ condition: z.enum(['service_started', 'service_healthy', 'service_completed_successfully']) }),
    )
    .optional(),
  healthcheck: z
    .strictObject({
      test: z.array(z.string()).optional(),
      interval: duration.optional(),
      timeout: duration.optional(),
      start_interval: duration,
      start_period: duration,
    })
    .optional(),
});
const File = z.strictObject({
  name: z.string(),
  services: z.record(z.string(), Service),
  networks: z.strictObject({
    default: z.strictObject({ ipam: z.strictObject({ config: z.array(z.strictObject({ subnet: z.cidrv4() })) }) }),
  }),
  volumes: z.record(z.string(), z.null()),
});

const document = parse(readFileSync('compose.yaml', 'utf8'), { merge: true }) as Record<string, unknown>;
const file = File.parse(Object.fromEntries(Object.entries(document).filter(([name]) => !name.startsWith('x-'))));
const services = Object.entries(file.services);
const ours = services.filter(([, { image }]) => image === 'sluice');

describe('compose.yaml', () => {
  it('leaves no service in a profile without those that it waits for', () => {
    for (const [name, { profiles, depends_on = {} }] of services) {
      for (const [other, { condition }] of Object.entries(depends_on)) {
        const needed = file.services[other];
        expect([name, profiles.filter((profile) => !needed?.profiles.includes(profile))]).toEqual([name, []]);
        // Of Sluice by the health check of its image.
        if (condition === 'service_healthy')
          expect(needed?.image === 'sluice' || needed?.healthcheck?.test).toBeTruthy();
      }
    }
    expect(new Set(services.flatMap(([, { profiles }]) => profiles))).toEqual(new Set(['alone', 'redis', 'instances']));
  });

  it('builds the image once in each profile, and pulls no other image of that name', () => {
    expect(ours.map(([, { pull_policy }]) => pull_policy)).toEqual(ours.map(() => 'never'));
    const profiles = ours.filter(([, { build }]) => build !== undefined).flatMap(([, service]) => service.profiles);
    expect(profiles.sort()).toEqual(['alone', 'instances', 'redis']);
  });

  it('names volumes and files that there are, and variables that Sluice reads', () => {
    for (const [source = ''] of services.flatMap(([, { volumes = [] }]) => volumes.map((text) => text.split(':')))) {
      expect([source, source.startsWith('.') ? existsSync(source) : source in file.volumes]).toEqual([source, true]);
    }
    for (const [name, { environment = {} }] of ours) {
      expect([name, Object.keys(environment).filter((variable) => !VARIABLES.includes(variable))]).toEqual([name, []]);
      for (const [, host] of Object.values(environment)
        .join(' ')
        .matchAll(/\w+:\/\/(\w+):/g))
        expect(Object.keys(file.services)).toContain(host);
    }
  });

  it('trusts the addresses of its own network, and of nothing else', () => {
    const [{ subnet } = { subnet: '' }] = file.networks.default.ipam.config;
    const trusted = ours.flatMap(([, { environment }]) => environment?.SLUICE_TRUSTED_PROXIES ?? []);
    expect(new Set(trusted)).toEqual(new Set([subnet]));
  });

  it('gives Sluice a read-only root, no capabilities, and time to drain', () => {
    expect(ours.map(([name]) => name)).toEqual(['alone', 'with-redis', 'one', 'two']);
    for (const [name, service] of ours) {
      expect([name, service]).toEqual([
        name,
        expect.objectContaining({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] }),
      ]);
      expect(Number.parseInt(service.stop_grace_period ?? '0', 10)).toBeGreaterThanOrEqual(10);
    }
  });

  it('has two instances, alike, behind the documented HAProxy', () => {
    const { one, two, proxy } = file.services;
    expect(one).toEqual({ ...two, build: '.' });
    expect(proxy?.volumes?.join()).toMatch(/^\.\/deploy\/haproxy\.cfg:/);
    const servers = readFileSync('deploy/haproxy.cfg', 'utf8').matchAll(/^ {2}server (\w+) (\w+):3000$/gm);
    expect([...servers].map(([, name, host]) => [name, host])).toEqual([
      ['one', 'one'],
      ['two', 'two'],
    ]);
  });
});
