import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import dropConversion from '../../../server/json-schema-loader.cjs';

const readModule = (name: string) => readFileSync(`node_modules/zod/v4/core/${name}.js`, 'utf8');
const listExports = (source: string) => source.match(/^export .*/gm);

it('keeps every export of the two modules of Zod, and what reads bounds as it is', () => {
  const processors = dropConversion(readModule('json-schema-processors'));
  expect(listExports(processors)).toHaveLength(1);
  expect(processors).toMatch(/^export \{.*doNothing as stringProcessor.*, aggregateChecks \};$/m);
  expect(processors).not.toContain('doNothing as aggregateChecks');
  const conversion = dropConversion(readModule('to-json-schema'));
  expect(listExports(conversion)).toHaveLength(1);
  for (const name of ['process', 'finalize', 'createToJSONSchemaMethod', 'createStandardJSONSchemaMethod'])
    expect(conversion).toContain(`doNothing as ${name}`);
});

it('ends the build if the modules have changed beyond recognition', () => {
  expect(() => dropConversion('module.exports = {};')).toThrow('Zod has changed');
});
