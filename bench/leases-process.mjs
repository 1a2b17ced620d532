/* Instance of `npm run bench -- leases`, in its own process. */
import { pathToFileURL } from 'node:url';
import { bundle } from './bundle.mjs';

await import(pathToFileURL(await bundle('bench/leases-instance.ts')).href);
