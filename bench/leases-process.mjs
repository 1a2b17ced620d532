/* One instance of `npm run bench -- leases`, in a process of its own. */
import { pathToFileURL } from 'node:url';
import { bundle } from './bundle.mjs';

await import(pathToFileURL(await bundle('bench/leases-instance.ts')).href);
