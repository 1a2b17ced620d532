import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  alerts,
  codeIn,
  dashboard,
  MONITORING_FOLDER,
  monitoringFile,
  rowsBelow,
} from '@/tests/fixtures/monitoring-files';
import { prometheusIsMissing, promtool } from '@/tests/fixtures/prometheus-server';

describe('the dashboard', () => {
  it('has the shape that Grafana publishes', () => {
    const directory = mkdtempSync(join(tmpdir(), 'sluice-dashboard-'));
    symlinkSync(resolve('node_modules'), join(directory, 'node_modules'));
    const panels = resolve('node_modules/@grafana/schema/dist/types/raw/composable');
    // In JSON an enumeration is its values.
    const source = `
      import type { Dashboard, Panel, RowPanel } from '@grafana/schema';
      import type { FieldConfig, Options } from '${panels}/timeseries/panelcfg/x/types.gen';
      import type { Options as StatOptions } from '${panels}/stat/panelcfg/x/types.gen';
      type Json<T> = T extends string ? \`\${T}\` : T extends object ? { [K in keyof T]: Json<T[K]> } : T;
      type Shown = Omit<Panel, 'fieldConfig' | 'options' | 'type'>;
      type Fields<Custom> = Omit<NonNullable<Panel['fieldConfig']>, 'defaults'> &
        { defaults: Omit<NonNullable<Panel['fieldConfig']>['defaults'], 'custom'> & Custom };
      type Series = Shown & { type: 'timeseries'; options: Options; fieldConfig: Fields<{ custom: FieldConfig }> };
      type Stat = Shown & { type: 'stat'; options: Partial<StatOptions>; fieldConfig: Fields<{}> };
      type Board = Omit<Dashboard, 'panels'> & { panels: (RowPanel | Series | Stat)[] };
      export default ${monitoringFile('grafana-dashboard.json').trim()} satisfies Json<Board>;`;
    writeFileSync(join(directory, 'dashboard.ts'), source);
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'esnext', '--moduleResolution', 'bundler'];
    const { stdout, status } = spawnSync(resolve('node_modules/.bin/tsc'), [...options, 'dashboard.ts'], {
      cwd: directory,
      encoding: 'utf8',
    });
    rmSync(directory, { recursive: true });
    expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
    const ids = (dashboard.panels ?? []).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('the alerts', () => {
  it('are those of the page', () => {
    expect(rowsBelow('Alerts').flatMap(([name]) => codeIn(name))).toEqual(alerts.map(({ alert }) => alert));
  });

  it('each have a test', () => {
    const tested = [...monitoringFile('alerts.test.yml').matchAll(/alertname: (\w+)/g)].map(([, name]) => name);
    expect([...new Set(tested)].sort()).toEqual(alerts.map(({ alert }) => alert).sort());
  });
});

describe.skipIf(prometheusIsMissing('unit/monitoring'))('promtool', () => {
  it('accepts the rules, and raises each alert as its test says', () => {
    expect(promtool(['check', 'rules', join(MONITORING_FOLDER, 'alerts.yml')])).toMatchObject({ status: 0 });
    expect(promtool(['test', 'rules', join(MONITORING_FOLDER, 'alerts.test.yml')])).toMatchObject({ status: 0 });
  });
});
