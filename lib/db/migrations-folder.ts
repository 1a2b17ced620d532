import { join } from 'node:path';

/** Where the generated migrations are: beside the process, in the working directory. */
export const MIGRATIONS_FOLDER = join(process.cwd(), 'drizzle');
