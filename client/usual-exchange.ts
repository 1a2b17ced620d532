/* The package for Node uses `nodeExchange` instead (server/client-package.mjs). */
export { fetchExchange as usualExchange } from '@/client/exchange';
