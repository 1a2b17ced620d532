/* The package for Node has `nodeExchange` in its place (server/client-package.mjs). */
export { fetchExchange as usualExchange } from '@/client/exchange';
