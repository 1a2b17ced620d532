import packageJson from '@/package.json';
import { readArguments, rejectArguments } from '@/server/read-arguments.mjs';

/** Parsed command line of the server. */
interface ServerArguments {
  dev: boolean;
  migrate: boolean;
  /** Owner to reset. `email` is null if there is only one. */
  reset: { email: string | null; secondFactor: boolean } | null;
  /** A single step of a build. */
  step: 'complete-build' | 'packages' | null;
}

/** Reads the arguments of `server.mjs`. Ends the process after `--help` and `--version`, and if one is invalid. */
export function readServerArguments(): ServerArguments {
  const { values, positionals } = readArguments({
    usage: 'node server.mjs',
    summary: 'Runs the server. Its settings are environment variables, which .env.example lists.',
    version: packageJson.version,
    positionals: ['E-MAIL', 'The owner, for --reset-owner.'],
    options: {
      migrate: { description: 'Migrate the database to the newest schema and exit.' },
      'reset-owner': { description: 'Print a link with which an owner sets a new password, and exit.' },
      'second-factor': { description: 'With --reset-owner: remove the second factor too.' },
      here: { description: 'Use .env and data in the working directory instead of those next to server.mjs.' },
      dev: { description: 'Run the sources and follow their changes, in a clone.' },
      'complete-build': {},
      packages: {},
    },
  });
  const resets = values['reset-owner'] === true;
  const [email = null, ...more] = positionals;
  const unexpected = resets ? more[0] : email;
  if (unexpected != null) rejectArguments(`Unexpected argument '${unexpected}'.`);
  if (values['second-factor'] && !resets) rejectArguments('--second-factor needs --reset-owner.');
  if (values.migrate && resets) rejectArguments('--migrate and --reset-owner are separate commands.');
  return {
    dev: values.dev === true,
    migrate: values.migrate === true,
    reset: resets ? { email, secondFactor: values['second-factor'] === true } : null,
    step: values['complete-build'] ? 'complete-build' : values.packages ? 'packages' : null,
  };
}
