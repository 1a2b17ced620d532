import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { FIXED_CONTROLS, SWITCHES } from '@/lib/oauth/lab/controls';

describe('the catalogue of controls', () => {
  test('holds every control of the folder, each once and in the folder of its area: run write-catalogue.mjs if this fails', async () => {
    const names = readdirSync('lib/oauth/controls', { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && path !== 'catalogue.ts')
      .map((path) => path.slice(0, -'.ts'.length));
    const found = await Promise.all(
      names.map(async (name) => ({
        name,
        control: (await import(/* @vite-ignore */ resolve(`lib/oauth/controls/${name}.ts`))).default,
      })),
    );
    const controls = found.filter(({ control }) => control !== undefined);
    expect(controls.map(({ control }) => `${control.area}/${control.id}`)).toEqual(controls.map(({ name }) => name));
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
    expect([...CATALOGUE].sort(byId)).toEqual(controls.map(({ control }) => control).sort(byId));
  });

  test('has a switch in the lab for each control that says so, and for no other', () => {
    const switchable = CATALOGUE.filter((control) => control.switchable).map((control) => control.id);
    expect(switchable.sort()).toEqual([...SWITCHES].sort());
  });

  test('has every control that the lab can name', () => {
    const ids = CATALOGUE.map((control) => control.id);
    expect(FIXED_CONTROLS.filter((id) => !ids.includes(id))).toEqual([]);
  });

  test('says for each control where it comes from and what it protects from', () => {
    for (const control of CATALOGUE) {
      expect(control.source.length, control.id).toBeGreaterThan(0);
      expect(control.title.length, control.id).toBeGreaterThan(5);
      expect(control.protectsFrom, control.id).toMatch(/^[A-Z].*\.$/);
    }
  });
});
