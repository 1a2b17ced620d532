import { stateOfBuild } from '../server/build.mjs';

/** What has to be done before the server is started; null for nothing. It would build by itself, and be measured while it does. */
export function neededBuild(): string | null {
  const state = stateOfBuild(process.cwd());
  if (state === 'current') return null;
  return `${state === 'missing' ? 'There is no build' : 'The build is older than its sources'}: run \`npm run build\` first.`;
}
