// @ts-check
// Leaves out of browsers what converts Zod's schemas to JSON Schema: only the server does that, for the OpenAPI document.
// Every schema refers to it, so no bundler drops it by itself. This saves 5 kB of each page's script.
// CommonJS for the reason that `contract-loader.cjs` gives.

/** Other exports of the two modules of Zod, such as `maxValue`, which the JSON Schema code reads. */
const KEPT = 'aggregateChecks';

/** @param {string} source @returns {string} a module with the same exports, which do nothing, except `KEPT` */
module.exports = function dropConversion(source) {
  const names = [...source.matchAll(/^export (?:(?:const|function) |\{ \w+ as )(\w+)/gm)].map(([, name]) => name);
  if (names.length === 0) throw new Error('Zod has changed: no exports were found in its conversion to JSON Schema.');
  const dropped = names.filter((name) => name !== KEPT).map((name) => `doNothing as ${name}`);
  const imports = names.includes(KEPT) ? `, ${KEPT}` : '';
  const body = source.replace(/^export (?=const|function)/gm, '').replace(/^export \{.*\};$/gm, '');
  return `${body}\nconst doNothing = () => undefined;\nexport { ${dropped.join(', ')}${imports} };\n`;
};
