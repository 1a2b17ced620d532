import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { catalogueSource } from '@/lib/oauth/controls/write-catalogue.mjs';
import { FIXED_CONTROLS, SWITCHES } from '@/lib/oauth/lab/controls';

/** The formatter has its own order of imports. */
const plain = (text: string) => text.split(/\s+/).sort().join(' ');

describe('the catalogue of controls', () => {
  test('holds every control file: run write-catalogue.mjs if this fails', () => {
    expect(plain(readFileSync('lib/oauth/controls/catalogue.ts', 'utf8'))).toBe(plain(catalogueSource()));
  });

  test('has each control once, in a file of its name', () => {
    const ids = CATALOGUE.map((control) => control.id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(readFileSync(`lib/oauth/controls/${id}.ts`, 'utf8')).toContain(`id: '${id}'`);
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
