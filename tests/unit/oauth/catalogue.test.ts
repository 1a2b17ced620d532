import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SWITCHES } from '@/lib/contract/lab-switches';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { AREAS, type Control } from '@/lib/oauth/controls/control';
import { REMEDIES } from '@/lib/oauth/controls/remedies/remedies';
import { FIXED_CONTROLS } from '@/lib/oauth/lab/controls';

const ROOM = 'lib/oauth/controls';

/** The controls that the file or the folder of an area exports. */
async function controlsOf(area: string): Promise<Control[]> {
  const paths = readdirSync(ROOM, { recursive: true, encoding: 'utf8' });
  const files = paths.filter((path) => path === `${area}.ts` || (path.startsWith(`${area}/`) && path.endsWith('.ts')));
  const modules = await Promise.all(files.map((file) => import(/* @vite-ignore */ resolve(ROOM, file))));
  return modules.flatMap((module) =>
    Object.values(module)
      .filter(Array.isArray)
      .flat()
      .filter((entry) => typeof entry === 'object'),
  );
}

describe('the catalogue of controls', () => {
  test('holds every control, each once and in the file or folder of its area', async () => {
    const found = await Promise.all(AREAS.map(async (area) => ({ area, controls: await controlsOf(area) })));
    for (const { area, controls } of found) {
      expect(controls.length, area).toBeGreaterThan(0);
      expect(controls.map((control) => [control.id, control.area])).toEqual(
        controls.map((control) => [control.id, area]),
      );
    }
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
    expect([...CATALOGUE].sort(byId)).toEqual(found.flatMap(({ controls }) => controls).sort(byId));
    expect(new Set(CATALOGUE.map(({ id }) => id)).size).toBe(CATALOGUE.length);
  });

  test('has a switch in the lab for each control that says so, and for no other', () => {
    const switchable = CATALOGUE.filter((control) => control.switchable).map((control) => control.id);
    expect(switchable.sort()).toEqual([...SWITCHES].sort());
  });

  test('has every control that the lab can name', () => {
    const ids = CATALOGUE.map((control) => control.id);
    expect(FIXED_CONTROLS.filter((id) => !ids.includes(id))).toEqual([]);
  });

  test('has a remedy for each control, and for nothing else', () => {
    expect(Object.keys(REMEDIES).sort()).toEqual(CATALOGUE.map(({ id }) => id).sort());
  });

  test('says for each control where it comes from and what it protects from', () => {
    for (const control of CATALOGUE) {
      expect(control.source.length, control.id).toBeGreaterThan(0);
      expect(control.title.length, control.id).toBeGreaterThan(5);
      expect(control.protectsFrom, control.id).toMatch(/^[A-Z].*\.$/);
    }
  });
});
