import { readBuildState } from '../server/build';

/**
 * Explains what must be done before the server starts, or null. Otherwise the server would build first and distort the
 * measurement.
 */
export function neededBuild(): string | null {
  const state = readBuildState(process.cwd());
  if (state === 'current') return null;
  return `${state === 'missing' ? 'There is no build' : 'The build is older than its sources'}: run \`npm run build\` first.`;
}
